package scribe_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/scribe"
)

// If no root accepts any of many events, the oldest 32 are offered again. Later events wait without timers of their
// own. They are offered as soon as older ones are accepted or given up.
func TestEventsWaitForOlderOnes(t *testing.T) {
	const again, events = 32, 200
	l, quiet := newLone(), newLone()
	if first := l.publish(events); len(first) != events {
		t.Fatalf("%d of %d events are offered at first", len(first), events)
	}
	const long = 30 * time.Second
	l.env.Advance(long)
	quiet.env.Advance(long)
	if got := l.offered(); !slices.Equal(got, upTo(1, again)) {
		t.Errorf("offered again are %v", got)
	}
	if runs := l.runs - quiet.runs; runs > 5*again { // 2, 4, 8 and 16 s after each other
		t.Errorf("timers run %d times in %v", runs, long)
	}
	l.receive(upTo(1, 10)...)
	l.env.Advance(time.Millisecond)
	if got := l.offered(); !slices.Equal(got, upTo(again+1, again+10)) {
		t.Errorf("after ten were taken, %v are offered", got)
	}
	l.gaveUp()
	l.env.Advance(10 * time.Minute)
	gone := l.gaveUp()
	if got := l.offered(); gone <= again || len(got) < gone || got[len(got)-1] != 10+uint64(gone)+again {
		t.Errorf("%d are given up, and %v offered", gone, got)
	}
}

// What is admitted no more, as the roots would refuse it too, is not offered again: it makes room for others.
func TestWhatIsTooOldIsGivenUp(t *testing.T) {
	const again, events, old = 32, 50, 20
	l := newLone()
	l.publish(events)
	for _, number := range upTo(1, old) {
		l.old[number] = true
	}
	l.gaveUp()
	l.env.Advance(4 * time.Second)
	if got, gone := l.offered(), l.gaveUp(); gone != old || !slices.Equal(got, upTo(old+1, events)) {
		t.Errorf("%d are given up, and %v offered again", gone, got)
	}
}

// A publisher that was cut off was the only root of its topic. When it is part of the network again, and other nodes
// are closer, its events go over the ring to these. It no longer counts itself as a root.
func TestARootOnlyWhileItWasCutOff(t *testing.T) {
	l := newLone()
	all := l.roots
	l.roots = []engine.Peer{l.env.Self()}
	if got := l.publish(1); len(got) > 0 || l.over > 0 {
		t.Fatalf("alone it offers %v", got)
	}
	l.env.Advance(time.Minute)
	l.roots, l.far = all, true
	if l.publish(1); l.over != 1 {
		t.Errorf("%d events go over the ring", l.over)
	}
	l.Receive(all[0], &scribe.Taken{Group: scribe.NameOf(loneTopic, loneTopic), Name: 1, Roots: all})
	l.offered()
	if l.Publish(loneTopic, &note{2}); l.over != 1 || !slices.Equal(l.offered(), upTo(2, 2)) {
		t.Errorf("when the roots are known, %d events go over the ring", l.over)
	}
}

// An event is published again before a root has accepted it. It is offered at once, and is still one event. It replaces
// no other, and all is done when the roots have accepted it.
func TestAnEventIsPublishedAgain(t *testing.T) {
	const again, times = 32, 20
	l := newLone()
	l.publish(again + 1)
	l.gaveUp()
	for range times {
		l.env.Advance(30 * time.Second)
		l.offered()
		for _, number := range upTo(1, again+1) {
			if l.Publish(loneTopic, &note{number}); !slices.Equal(l.offered(), []uint64{number}) {
				t.Fatalf("event %d is not offered when it is published again", number)
			}
		}
	}
	if gone := l.gaveUp(); gone > 0 {
		t.Errorf("%d events are given up", gone)
	}
	l.receive(upTo(1, again+1)...)
	l.offered()
	if l.env.Advance(10 * time.Minute); len(l.offered()) > 0 || l.gaveUp() > 0 {
		t.Error("some are offered though the roots have taken them")
	}
}

// An event goes over the ring in vain, because the closest root has crashed and the ring has not noticed. One retry
// later it is offered to all roots: to those that a member of the group knows, else to those that an asked node names.
// Answers that were not requested, or that come twice, are ignored. Events go over the ring each time, until a root
// accepts them. Of many events, only the oldest four are offered around.
func TestTheOtherRootsAreOfferedAnEvent(t *testing.T) {
	const events, around = 6, 4
	name := scribe.NameOf(loneTopic, loneTopic)
	stranger := enginetest.NewPeer("55")
	for _, member := range []bool{false, true} {
		l := newLone()
		l.far = true
		// the first three
		named, want := slices.Concat([]engine.Peer{l.env.Self(), stranger}, l.roots),
			[]engine.Peer{stranger, l.roots[0]}
		answer := func() { l.Receive(l.roots[1], &scribe.Roots{Group: name, Roots: named}) }
		if member {
			l.Join(loneTopic)
			named, want = l.roots, l.roots
		}
		answer() // a member keeps it
		if l.publish(events); l.over != events {
			t.Fatalf("member %v: %d events go over the ring", member, l.over)
		}
		for round := 2; round <= 3; round++ {
			var offers []engine.Peer
			asks := 0
			for l.over < round*events {
				l.env.Advance(100 * time.Millisecond)
				for _, s := range l.env.Sent() {
					switch s.Message.(type) {
					case *scribe.Publish:
						offers = append(offers, s.To)
					case *scribe.Ask:
						asks++
					}
				}
			}
			if !member {
				if len(offers) > 0 || asks != 1 {
					t.Errorf("round %d: %d nodes are asked, and %d offers are made at once", round, asks, len(offers))
				}
				answer()
				answer()
				for _, s := range l.env.Sent() {
					offers = append(offers, s.To)
				}
			}
			for _, to := range want {
				if n := len(slices.DeleteFunc(slices.Clone(offers), func(p engine.Peer) bool {
					return p != to
				})); n != around {
					t.Errorf("member %v, round %d: %s is offered %d events, not %d", member, round, to.ID.Short(), n,
						around)
				}
			}
			if len(offers) != around*len(want) {
				t.Errorf("member %v, round %d: %d offers, not to %d nodes each event", member, round, len(offers),
					len(want))
			}
		}
		for _, root := range l.roots {
			l.Receive(root, &scribe.Taken{Group: name, Name: 1, Roots: l.roots})
		}
		l.offered()
		if l.env.Advance(time.Minute); slices.Contains(l.offered(), 1) {
			t.Errorf("member %v: an event is offered though all roots have it", member)
		}
	}
}
