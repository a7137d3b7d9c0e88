package corona

import (
	"time"

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
	// listener is told what the node acts on; never nil.
	listener Listener
}

type settler struct {
	*core
	params params // what is agreed on with all others
}

type budgeter struct {
	*core
	claims claims // what is asked of hosts' owners
	hosts  hosts  // what is divided here as one
	// polled has the certificates of the channels polled here.
	polled   map[engine.ID]*certificate
	gapPolls map[engine.ID]time.Duration // by host: until when this node does not look for what it lacks
}

// Subscribe and the methods below are the machines'.
func (n *Node) Subscribe(c Channel, outside string, count int) { n.roster.Subscribe(c, outside, count) }
func (n *Node) Unsubscribe(channel engine.ID, outside string)  { n.roster.Unsubscribe(channel, outside) }
func (n *Node) Subscribed(channel engine.ID) bool              { return n.roster.Subscribed(channel) }
func (n *Node) Unacknowledged() int                            { return n.roster.Unacknowledged() }
func (n *Node) Use(name network.RouterName, r network.Router)  { n.version.Use(name, r) }
func (n *Node) Root(channel engine.ID) engine.Peer             { return n.roster.Root(channel) }
func (n *Node) OnRoot(f func(channel engine.ID))               { n.roster.OnRoot(f) }
func (n *Node) CarriedBy(channel engine.ID) network.RouterName { return n.version.CarriedBy(channel) }
func (n *Node) TreeMember() TreeMember                         { return n.version.TreeMember() }
func (n *Node) Taken(channel engine.ID, version uint64, ok bool) {
	n.version.Taken(channel, version, ok)
}
func (n *Node) Polled(channel engine.ID, r PollResult) { n.version.Polled(channel, r) }
func (n *Node) Params() (Agreement, bool)              { return n.settle.Params() }

// inSeconds returns a duration in whole seconds, rounded up, as far as a message can say.
func inSeconds(d time.Duration) uint32 {
	return uint32(min(max(0, (d+time.Second-1)/time.Second), 1<<31))
}
