// Package networkroom is the part of the page about the node among other nodes. It begins with what the network means
// for people here. Behind that are the ring, the sharing of polls, the ways of updates, the nodes that people trust,
// and this node as others see it.
//
// Each of these is a page of its own below /network, so that a browser gets only the parts that a person views. While a
// page is open, a stream of events replaces those of its parts that are different.
package networkroom

import (
	"context"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/view"
)

// Store is what the room asks of what people follow.
type Store interface {
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
}

// Node is what the room asks of the node's own work, and of what people here think of other nodes.
type Node interface {
	Status(ctx context.Context) (view.Status, error)
	CoopStatus(ctx context.Context) (view.CoopStatus, error)
	PollingStats(ctx context.Context, followed []tidings.Subscription) error
	Trees() []string
	Republisher(ctx context.Context, node string) (view.Republisher, error)
	Republishers(ctx context.Context) ([]view.Republisher, error)
	SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (view.Republisher, error)
}

// Network is what the room asks of the node's part among other nodes.
type Network interface {
	Network(ctx context.Context) (view.Network, error)
	Peers(ctx context.Context) ([]view.Peer, error)
	Friends(ctx context.Context, account tidings.AccountID) ([]view.Friend, error)
	Overlay(ctx context.Context, account tidings.AccountID) (view.Overlay, error)
	Zone(ctx context.Context, path string) (view.Zone, error)
	Tree(ctx context.Context, url string) (view.Tree, error)
	AddJoin(ctx context.Context, address string) error
	RemoveJoin(ctx context.Context, address string) error
	NetworkChanged() <-chan struct{}
}

// Config is what the room is made of.
type Config struct {
	Shell   shell.Shell
	Store   Store
	Node    Node
	Network Network // nil: the node works alone
	Streams shell.Streams
}

// room answers the requests.
type room struct {
	shell.Room
	store   Store
	node    Node
	network Network // nil: the node works alone
	streams shell.Streams
}

// Handlers returns what answers the room's requests, by their routes.
func Handlers(c Config) map[string]shell.Handler {
	s := &room{shell.Room{Shell: c.Shell, Templates: pages}, c.Store, c.Node, c.Network, c.Streams}
	return map[string]shell.Handler{
		"GET /network":         s.networkView,
		"GET /network/events":  s.networkEvents,
		"POST /network/join":   s.join,
		"POST /network/forget": s.forget,
		"GET /node":            s.nodeView,
		"POST /node":           s.believe,
	}
}

// said returns what a page says after a form led back to it.
func said(r shell.Request) string {
	switch r.URL.Query().Get("said") {
	case "preferred":
		return r.Words.Text("What it finds is always believed.")
	case "doubted":
		return r.Words.Text("What it finds is shown once a check of this node has seen it.")
	case "neutral":
		return r.Words.Text("It is believed like any other node.")
	case "joining":
		return r.Words.Text("The address is kept, and tried now.")
	case "forgotten":
		return r.Words.Text("The address is forgotten. Connections stay.")
	}
	return ""
}
