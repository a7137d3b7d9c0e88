package rappel

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// traces returns how many events of one type were traced.
func traces[E any](p *puppet) (n int) {
	for _, e := range p.traced {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

// There are as many fans as may be. One more comes only if it needs this node and one of the others does not, which is
// let go: the one of longest standing (Config.Cover).
func TestFansAreBounded(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	fan := func(i int) engine.Peer { return named(fmt.Sprintf("b%03d", i)) }
	asks := func(i int, needed bool) bool {
		p.receives(fan(i), &FriendRequest{Needed: needed})
		return sentOf[*FriendReply](p)[0].OK
	}
	most := Default().Fans
	for i := range most {
		if !asks(i, i != 3 && i != 5) {
			t.Fatalf("fan %d is denied", i)
		}
	}
	if asks(most, false) || !asks(0, false) || !asks(0, true) {
		t.Error("one too many is accepted, or one that is a fan already is not")
	}
	if !asks(most, true) || !asks(most+1, true) || asks(most+2, true) || p.Fans() != most {
		t.Errorf("not just two go who need this node less: there are %d fans", p.Fans())
	}
	for i := range most + 2 {
		p.receives(fan(i), &Ping{Fan: true, Needed: true})
		if gone := sentOf[*Ack](p)[0].NoFriend; gone != (i == 3 || i == 5) {
			t.Errorf("fan %d is none any more: %v", i, gone)
		}
	}
}

// What a node keeps for others is bounded, and it says so when a bound is hit.
func TestBounds(t *testing.T) {
	c := Default()
	c.MaxTrees, c.MaxUntaken, c.MaxMetered, c.PublishTries = 2, 2, 3, 4
	p := newPuppet(t, c, f0, 100, 0)
	for i := range 3 {
		p.Join(engine.PrefixID(fmt.Sprint("e", i)))
	}
	if len(p.trees) != 2 || traces[LimitHit](p) != 2 {
		t.Errorf("there are %d trees", len(p.trees))
	}
	for i := range 4 {
		p.Publish(subject, &Void{Stamp: window.Stamp{Number: uint64(i)}})
	}
	if len(p.outbox.list) != 2 || traces[Untaken](p) != 2 {
		t.Errorf("%d events wait, and %d were given up", len(p.outbox.list), traces[Untaken](p))
	}
	p.sent = nil
	p.advance(time.Hour)
	if n := len(sentOf[*Publish](p)); n != 2*c.PublishTries || traces[Untaken](p) != 4 || len(p.outbox.list) > 0 {
		t.Errorf("two events are sent %d times, and %d wait", n, len(p.outbox.list))
	}
	for i := range 7 {
		p.receives(named(fmt.Sprintf("b%03d", i)), &ProfileRequest{})
	}
	if n := len(p.meters.of); n < 1 || n > c.MaxMetered {
		t.Errorf("%d peers are metered", n)
	}
}

// A peer is answered so often at once, and then so often a second.
func TestMeters(t *testing.T) {
	c := Default()
	p := newPuppet(t, c, f0, 100, 0)
	flood := func() (answers int) {
		for range 2 * c.PeerBurst {
			answers += len(p.receives(b1, &Pull{Topic: subject}))
		}
		return answers
	}
	if n := flood(); n != c.PeerBurst {
		t.Errorf("a peer is answered %d times at once, want %d", n, c.PeerBurst)
	}
	p.advance(time.Second)
	if n := flood(); n != c.PeerRate {
		t.Errorf("a peer is answered %d times a second, want %d", n, c.PeerRate)
	}
	if n := len(p.receives(b2, &Pull{Topic: subject})); n != 1 {
		t.Errorf("another is answered %d times", n)
	}
}

// To make room for a peer, those are forgotten that have asked for nothing for so long that they may ask as much again.
func TestMetersOfTheImpatientStay(t *testing.T) {
	c := Default()
	c.MaxMetered = 3
	p := newPuppet(t, c, f0, 100, 0)
	ask := func(by engine.Peer, times int) (answers int) {
		for range times {
			answers += len(p.receives(by, &Pull{Topic: subject}))
		}
		return answers
	}
	ask(named("c0"), 1)
	p.advance(time.Hour)
	ask(b1, 2*c.PeerBurst)
	p.advance(time.Second)
	ask(b1, 2*c.PeerBurst)
	p.advance(time.Second / 2)
	ask(named("c1"), 1)
	ask(named("c2"), 1) // takes the place of c0
	p.advance(time.Second / 2)
	if n := ask(b1, 2*c.PeerBurst); n != c.PeerRate {
		t.Errorf("a peer is answered %d times in a second, want %d", n, c.PeerRate)
	}
}

// A node that was shunned may be a friend after ten minutes, and not before.
func TestShunned(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.friends.shunned.add(b1.ID, p.time)
	p.advance(shunning - 1)
	if p.friends.met(b1, b2); p.friends.candidates.find(b1.ID) != nil || p.friends.candidates.find(b2.ID) == nil {
		t.Error("a shunned node is a candidate, or one that is not shunned is none")
	}
	p.advance(1)
	if p.friends.met(b1); p.friends.candidates.find(b1.ID) == nil {
		t.Error("a node that was shunned is none for ever")
	}
	var s shunned
	for i := range 2 * maxShunned {
		s.add(engine.PrefixID(fmt.Sprintf("b%03d", i)), 0)
	}
	if len(s) != maxShunned || s.has(engine.PrefixID("b000"), 0) || !s.has(engine.PrefixID("b127"), 0) {
		t.Errorf("%d are shunned", len(s))
	}
}

// keysByName sign with the name of the node, as if nobody could forge it.
type keysByName struct {
	engine.Keys
	self engine.Peer
}

func (k keysByName) Sign(data []byte) []byte { return append(bytes.Clone(data), k.self.Address...) }

func (k keysByName) Signed(by engine.Peer, data, signature []byte) bool {
	return bytes.Equal(signature, keysByName{self: by}.Sign(data))
}

// What the root has signed is genuine, and for two minutes also what the root before has signed. Nothing else is:
// nothing of other nodes, of other content or for another purpose, and no update without a number.
func TestGenuine(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	f := &p.trees[subject].feed
	p.seams.Keys = keysByName{}
	genuine := func(by engine.Peer, words string, s window.Stamp, digest uint64) bool {
		s.Signature = keysByName{self: by}.Sign(signed(updateWords, subject, s, 7))
		return f.genuine(words, s, digest)
	}
	first := window.Stamp{Epoch: 3, Number: 1}
	if !genuine(f0, updateWords, first, 7) || genuine(b1, updateWords, first, 7) {
		t.Error("not the root alone is believed")
	}
	if genuine(f0, updateWords, first, 8) || genuine(f0, voidWords, first, 7) ||
		genuine(f0, updateWords, window.Stamp{Epoch: 3}, 7) || genuine(f0, updateWords, window.Stamp{Number: 1}, 7) {
		t.Error("what was not signed is believed, or an update without a number")
	}
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1))
	p.root = b1
	p.RootChanged(subject)
	p.advance(Default().Recent - 1)
	if !genuine(b1, updateWords, first, 7) || !genuine(f0, updateWords, first, 7) {
		t.Error("two minutes after a change the roots are not believed")
	}
	p.advance(1)
	if !genuine(b1, updateWords, first, 7) || genuine(f0, updateWords, first, 7) {
		t.Error("the root before is believed for ever")
	}
}

// An event that no root accepts is sent again, each time after twice as long.
func TestAnEventIsSentAgainLaterAndLater(t *testing.T) {
	c := Default()
	c.PublishTries = 5
	p := newPuppet(t, c, f0, 100, 0)
	p.Publish(subject, &Void{Stamp: window.Stamp{Number: 1}})
	step := c.PublishRetry / 8
	var at []time.Duration
	for end := p.time + c.PublishRetry<<c.PublishTries; p.time < end; {
		for range sentOf[*Publish](p) {
			at = append(at, p.time)
		}
		p.sent = nil
		p.advance(step)
	}
	if len(at) != c.PublishTries {
		t.Fatalf("it is sent at %v", at)
	}
	for i := range at[1:] {
		if apart := at[i+1] - at[i]; apart < c.PublishRetry<<i-step || apart > c.PublishRetry<<i+step {
			t.Errorf("between two times %v pass, not %v: %v", apart, c.PublishRetry<<i, at)
		}
	}
}
