package rappel

import (
	"bytes"
	"encoding/binary"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/rappel/window"
)

// strict is a member that distinguishes events by all their fields.
type strict struct{ delivered int }

func (s *strict) Admit(_ engine.ID, m engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	v, ok := m.(*Void)
	if !ok {
		return 0, 0, false
	}
	all := binary.BigEndian.AppendUint64(append(v.Topic[:], v.Stamp.Signature...), v.Stamp.Epoch)
	id := engine.IDOf(binary.BigEndian.AppendUint64(all, v.Stamp.Number))
	return binary.BigEndian.Uint64(id[:]), 1, true
}

func (s *strict) Deliver(engine.ID, engine.Message, engine.Peer) { s.delivered++ }

// newSigned returns a node that asks for signatures, is below c1, and has the updates up to a number.
func newSigned(t *testing.T, last uint64) (*puppet, *strict) {
	p, member := newPuppet(t, Default(), f0, 100, 0), new(strict)
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1))
	p.seams.Keys, p.seams.Member = keysByName{self: p.Self()}, member
	p.trees[subject].feed.Begin(3, last)
	return p, member
}

// byRoot signs a stamp of the topic as the root does, of an event with a digest.
func byRoot(words string, epoch, number, digest uint64) window.Stamp {
	s := window.Stamp{Epoch: epoch, Number: number}
	s.Signature = keysByName{self: f0}.Sign(signed(words, subject, s, digest))
	return s
}

// An update, and a message with the latest number, are believed for the root's signature, and each of their fields
// counts. Otherwise nothing is delivered, forwarded or noted (hostile 42).
func TestEachFieldOfAnUpdateCounts(t *testing.T) {
	update := func(number uint64) *Update {
		event := &Void{Topic: engine.PrefixID("77"),
			Stamp: window.Stamp{Epoch: number, Number: 9, Signature: bytes.Repeat([]byte{5}, 8)}}
		digest, _, _ := new(strict).Admit(subject, event, engine.Peer{})
		return &Update{Topic: subject, Stamp: byRoot(updateWords, 3, number, digest), Event: event}
	}
	noted := func(p *puppet, member *strict, before window.Have) bool {
		return member.delivered > 0 || p.trees[subject].feed.Have != before
	}
	enginetest.CheckProof(t, update(6), update(7), nil, func(m *Update) bool {
		p, member := newSigned(t, 5)
		before := p.trees[subject].feed.Have
		p.receives(c1, m)
		return noted(p, member, before)
	})
	void := func(number uint64) *Void { return &Void{Topic: subject, Stamp: byRoot(voidWords, 3, number, 0)} }
	enginetest.CheckProof(t, void(6), void(7), nil, func(m *Void) bool {
		p, member := newSigned(t, 5)
		before := p.trees[subject].feed.Have
		p.receives(c1, m)
		return noted(p, member, before)
	})
}
