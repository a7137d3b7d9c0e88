package scribe

import (
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// place is a ring. A test sets its owners.
type place struct {
	lonely
	owners []engine.Peer
	sure   bool
	routed []engine.Message
}

func (p *place) Owners(_ engine.ID, k int) ([]engine.Peer, bool) {
	return p.owners[:min(k, len(p.owners))], p.sure
}
func (p *place) Known() []engine.Peer                    { return p.owners }
func (p *place) Route(_ engine.ID, m engine.Message)     { p.routed = append(p.routed, m) }
func (p *place) RTT(engine.ID) (d time.Duration, b bool) { return d, b }

// numbered is an event of these tests: its number is its digest.
type numbered struct {
	empty
	digest uint64
}

// anything is a member that admits all.
type anything struct{}

func (anything) Admit(_ engine.ID, e engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	return e.(*numbered).digest, 1, true
}
func (anything) Deliver(engine.ID, engine.Message, engine.Peer) {}

// tracedOf returns the traced events of a type since the last call; it drops all others.
func tracedOf[E any](env *enginetest.Env) (found []E) {
	for _, e := range env.Traced() {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// sentOf returns the messages of a type among those that were sent.
func sentOf[M engine.Message](sent []enginetest.Sent) (found []M) {
	for _, s := range sent {
		if m, ok := s.Message.(M); ok {
			found = append(found, m)
		}
	}
	return found
}

// peers returns nodes by the starts of their IDs.
func peers(digits ...string) (list []engine.Peer) {
	for _, d := range digits {
		list = append(list, enginetest.NewPeer(d))
	}
	return list
}
