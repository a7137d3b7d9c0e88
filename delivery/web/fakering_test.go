package web

import (
	"context"

	"tidings"
	"tidings/view"
)

// emptyRing is a part among other nodes of which none is here yet.
type emptyRing struct{}

func (emptyRing) Network(context.Context) (view.Network, error) {
	return view.Network{ID: sampleID, Nodes: 1}, nil
}

func (emptyRing) Peers(context.Context) ([]view.Peer, error) { return nil, nil }

func (emptyRing) Friends(context.Context, tidings.AccountID) ([]view.Friend, error) {
	return nil, nil
}

func (emptyRing) Overlay(context.Context, tidings.AccountID) (view.Overlay, error) {
	return view.Overlay{}, nil
}

func (emptyRing) Zone(context.Context, string) (view.Zone, error) { return view.Zone{}, nil }

func (emptyRing) Tree(context.Context, string) (view.Tree, error) { return view.Tree{}, nil }

func (emptyRing) AddJoin(context.Context, string) error { return nil }

func (emptyRing) RemoveJoin(context.Context, string) error { return nil }

func (emptyRing) NetworkChanged() <-chan struct{} { return nil }
