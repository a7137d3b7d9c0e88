package corona

import (
	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// core is what all machines of a node share.
type core struct {
	machine.Base
	node    *Node
	config  Config
	library Library
	// listener receives the events that the user acts on; never nil.
	listener Listener
}

// Subscribe and the methods below are the machines'.
func (n *Node) Subscribe(c Channel, outside string, count int) { n.roster.Subscribe(c, outside, count) }
func (n *Node) Unsubscribe(channel engine.ID, outside string)  { n.roster.Unsubscribe(channel, outside) }
func (n *Node) Subscribed(channel engine.ID) bool              { return n.roster.Subscribed(channel) }
func (n *Node) Unacknowledged() int                            { return n.roster.Unacknowledged() }
func (n *Node) Holds(channel engine.ID, subscriber engine.Peer) bool {
	return n.roster.Find(channel) != nil && n.roster.Subscribes(channel, subscriber)
}
func (n *Node) Use(name network.RouterName, r network.Router)  { n.version.Use(name, r) }
func (n *Node) Root(channel engine.ID) engine.Peer             { return n.roster.Root(channel) }
func (n *Node) OnRoot(f func(channel engine.ID))               { n.roster.OnRoot(f) }
func (n *Node) CarriedBy(channel engine.ID) network.RouterName { return n.version.CarriedBy(channel) }
func (n *Node) TreeMember() TreeMember                         { return n.version.TreeMember() }
func (n *Node) Stored(channel engine.ID, version uint64, ok bool) {
	n.version.Stored(channel, version, ok)
}
func (n *Node) Polled(channel engine.ID, r PollResult) { n.version.Polled(channel, r) }
func (n *Node) Params() (Agreement, bool)              { return n.settle.Params() }
