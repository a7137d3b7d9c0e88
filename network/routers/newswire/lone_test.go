package newswire_test

import (
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// lone is one node of a town; the test plays the others.
type lone struct {
	*testNet
	*testNode
	env  *enginetest.Env
	self sim.Node
}

// newLone returns a node of a town that does not run.
func newLone(p plan, n sim.Node) *lone { return loneOf(newTown(p), n) }

// loneOf is as newLone, for a town that others use as well, one after the other.
func loneOf(w *testNet, n sim.Node) *lone {
	clear(w.got)
	env := enginetest.NewEnv(w.Peer(n))
	l := &lone{testNet: w, env: env, self: n}
	l.testNode = w.start(int(n), env, new(sim.Disk)).(*testNode)
	env.Traced()
	return l
}

// from has a node send something to this one, and returns what this one sends of NewsWire then.
func (l *lone) from(n sim.Node, m engine.Message) []enginetest.Sent {
	l.testNode.Receive(l.Peer(n), m)
	return l.sent()
}

// sent returns what was sent of NewsWire.
func (l *lone) sent() (sent []enginetest.Sent) {
	for _, s := range l.env.Sent() {
		if s.Message.Kind().Protocol() == engine.NewsWire {
			sent = append(sent, s)
		}
	}
	return sent
}

// item returns an item of a publisher as it should be: a note with a number on topic 0, for all.
func (w *testNet) item(publisher sim.Node, number uint64, change ...func(*newswire.Item)) *newswire.Item {
	m := &newswire.Item{
		ID: number, Publisher: w.Peer(publisher), Topic: sub(0), Bits: newswire.Positions(w.plan.config.Shape, sub(0)),
		Zone: zone.Root, Event: note(number, 0),
	}
	for _, f := range change {
		f(m)
	}
	copy(m.Signature[:], w.Keys(publisher).Sign(m.Words()))
	return m
}

// count returns how many messages are of a type.
func count[T engine.Message](sent []enginetest.Sent) (n int) {
	for _, s := range sent {
		if _, ok := s.Message.(T); ok {
			n++
		}
	}
	return n
}

// limits returns how often a bound was hit.
func (l *lone) limits(name string) (n int) {
	for _, e := range l.env.Traced() {
		if h, ok := e.(newswire.LimitHit); ok && h.Name == name {
			n++
		}
	}
	return n
}
