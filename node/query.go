package node

import (
	"context"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/source/query"
	"tidings/store"
)

// querying is the node as package queries sees it.
type querying struct{ *Node }

// Record stores what a query has selected, and shows it to readers.
func (n querying) Record(ctx context.Context, channel string, f *tidings.Change) error {
	_, err := n.entrance.Apply(ctx, store.Remote{Shared: store.Shared{URL: channel}, Change: f})
	return err
}

// Want has the network send what queries need, where its router can.
func (n querying) Want(topics []string) {
	if n.zones != nil {
		n.zones.Want(topics)
	}
}

// routesNews reports whether the network brings what queries need from channels that the node does not have.
func (n *Node) routesNews() bool {
	return n.member != nil && n.coop.Params().Router == router.NewsWire
}

// checkWithin bounds how long the store is looked through for a query.
const checkWithin = 20 * time.Second

// CheckQuery tells what is to be known of a query before an account follows it.
func (n *Node) CheckQuery(ctx context.Context, text string) (tidings.QueryCheck, error) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	c, err := n.queries.Check(ctx, text)
	c.Network = n.routesNews()
	return c, err
}

// QueryOf returns the text of the query that a form asks for.
func (n *Node) QueryOf(f tidings.QueryForm) string { return query.Form(f).Query() }
