package web

import (
	"context"

	"tidings"
)

// emptyRing is a part among other nodes of which none is here yet.
type emptyRing struct{}

func (emptyRing) Network(context.Context) (tidings.Network, error) {
	return tidings.Network{ID: sampleID, Nodes: 1}, nil
}

func (emptyRing) Peers(context.Context) ([]tidings.Peer, error) { return nil, nil }

func (emptyRing) Friends(context.Context, tidings.AccountID) ([]tidings.Friend, error) {
	return nil, nil
}

func (emptyRing) Overlay(context.Context, tidings.AccountID) (tidings.Overlay, error) {
	return tidings.Overlay{}, nil
}

func (emptyRing) Zone(context.Context, string) (tidings.Zone, error) { return tidings.Zone{}, nil }

func (emptyRing) Tree(context.Context, string) (tidings.Tree, error) { return tidings.Tree{}, nil }

func (emptyRing) AddJoin(context.Context, string) error { return nil }

func (emptyRing) RemoveJoin(context.Context, string) error { return nil }

func (emptyRing) NetworkChanged() <-chan struct{} { return nil }
