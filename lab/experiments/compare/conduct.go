package compare

import (
	"fmt"

	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/sim"
)

// conduct is what a node does with events that it is to send on. Those that enter the network at the node itself it
// sends as it should. So does a node of any conduct before the trouble begins, and with messages without events. Nodes
// that misbehave acknowledge what comes, like all others.
type conduct uint8

const (
	honest conduct = iota
	rides          // it sends no event on: a free rider
	lies           // it sends each event on with another content
)

// forgedMark begins the content of an event that a liar has changed.
const forgedMark = 1

// isForged reports whether a node that checks the event's signature refuses it.
func isForged(n *testnet.Note) bool { return len(n.Text) > 0 && n.Text[0] == forgedMark }

// misbehaving is the Env of a node that does not send events on as it should.
type misbehaving struct {
	engine.Env
	world *world
	node  sim.Node
	as    conduct
}

// Link implements engine.Linker.
func (e misbehaving) Link(id engine.ID) (engine.Peer, bool) { return engine.LinkOf(e.Env, id) }

// Prefix implements engine.Prefixer.
func (e misbehaving) Prefix(a engine.Address) string { return engine.PrefixOf(e.Env, a) }

// Send sends what is left of a message.
func (e misbehaving) Send(to engine.Peer, m engine.Message) {
	switch {
	case !e.world.misbehave || !e.othersEvents(m):
		e.Env.Send(to, m)
	case e.as == lies:
		e.Env.Send(to, e.forged(m))
	}
}

// othersEvents reports whether a message has events in it that have entered elsewhere.
func (e misbehaving) othersEvents(m engine.Message) (has bool) {
	eachNote(m, func(n *testnet.Note) { has = has || e.world.meter.events[n.Number-1].entry != e.node })
	return has
}

// forged returns a copy of a message in which events that have entered elsewhere have another content.
func (e misbehaving) forged(m engine.Message) engine.Message {
	data, err := e.world.codec.Append(nil, m)
	if err != nil {
		panic(fmt.Sprintf("compare: a message that is sent cannot be written: %v", err))
	}
	copied, err := e.world.codec.Decode(data)
	if err != nil {
		panic(fmt.Sprintf("compare: a message that is sent cannot be read: %v", err))
	}
	eachNote(copied, func(n *testnet.Note) {
		if e.world.meter.events[n.Number-1].entry != e.node {
			n.Text[0] = forgedMark
		}
	})
	return copied
}
