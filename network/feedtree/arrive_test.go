package feedtree

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// alone is a ring and a tree without other nodes, and a library that the test answers for.
type alone struct {
	given   []uint64 // in order
	waiting []uint64
	lent    []*Item
	routed  []engine.Message
	known   []engine.Peer

	parent     engine.Peer
	distrusted int
}

func (*alone) Active() bool                           { return true }
func (l *alone) Route(_ engine.ID, m engine.Message)  { l.routed = append(l.routed, m) }
func (l *alone) Known() []engine.Peer                 { return l.known }
func (*alone) Join(engine.ID)                         {}
func (*alone) Leave(engine.ID)                        {}
func (*alone) Publish(engine.ID, engine.Message)      {}
func (l *alone) Distrust(engine.ID)                   { l.distrusted++ }
func (l *alone) Parent(engine.ID) (engine.Peer, bool) { return l.parent, !l.parent.IsZero() }
func (*alone) Children(engine.ID) []engine.Peer       { return nil }
func (*alone) Roots(engine.ID) []engine.Peer          { return nil }
func (l *alone) Keep(_ engine.ID, i *Item) {
	l.given, l.waiting = append(l.given, i.Number), append(l.waiting, i.Number)
}
func (l *alone) Lend(_ engine.ID, _, _ uint64, _ int, f func([]*Item)) { f(l.lent) }

// press is a node alone that follows a feed, and the feed's publisher.
type press struct {
	env     *enginetest.Env
	library *alone
	node    *Node
	topic   engine.ID
	items   []*Item // by number; none has 0
}

func newPress(c Config, items int) *press {
	v := &press{env: enginetest.NewEnv(enginetest.NewPeer("05")), library: &alone{}}
	v.node = New(v.env, v.library, v.library, nil, c)
	v.node.Use(v.library)
	pin := KeyOf(keyOf(1)).Fingerprint()
	channel := engine.IDOf([]byte("a channel"))
	v.topic = TopicOf(channel, pin)
	v.items = make([]*Item, items+1)
	for n := 1; n <= items; n++ {
		v.items[n] = &Item{Number: uint64(n), Time: v.env.Wall().UnixMilli() + int64(n),
			Entry: fmt.Append(nil, "news ", n)}
		v.items[n].Sign(v.topic, keyOf(1))
	}
	if err := v.node.Follow(Following{Topic: v.topic, Channel: channel, Pin: pin}); err != nil {
		panic(err)
	}
	return v
}

// push has an event come down the tree.
func (v *press) push(event engine.Message, from string) {
	peer := enginetest.NewPeer(from)
	if _, _, ok := v.node.Admit(v.topic, event, peer); ok {
		v.node.Deliver(v.topic, event, peer)
	}
}

// answer has the library answer for one of those that it keeps.
func (v *press) answer(at int) {
	number := v.library.waiting[at]
	v.library.waiting = slices.Delete(v.library.waiting, at, at+1)
	v.node.Kept(v.topic, number, number%7 != 0)
}

// An item on its way to the Library counts as pending until the Library has it or the channel is unfollowed. It is
// counted down once.
func TestWhatIsPendingIsCountedDownOnce(t *testing.T) {
	v := newPress(Default(), 6)
	v.push(v.items[1], "a")
	for _, number := range []int{3, 4, 6} { // 2 and 5 are missing
		v.push(v.items[number], "a")
	}
	v.env.Advance(v.node.config.Hold)
	for len(v.library.waiting) > 1 {
		v.answer(0)
	}
	want := pending{1, len(v.items[6].Entry)}
	if v.node.pending != want {
		t.Errorf("pending are %+v, not %+v", v.node.pending, want)
	}
	v.node.Unfollow(v.topic)
	if v.node.pending != (pending{}) {
		t.Errorf("when nothing is followed, pending are %+v", v.node.pending)
	}
}

// Items come in any order, repeatedly, with heartbeats between; the library answers at any time. Each item is given to
// the library once. An item waits for the missing ones before it, with three exceptions. It has waited for Hold; those
// before it were given; or they were published before the follower learned of the publisher. All bounds hold. In the
// end every item was given, or was skipped as too far back.
func TestEachItemIsGivenOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Default()
		c.Window = rapid.SampledFrom([]int{4, 16, 256}).Draw(t, "window")
		c.MaxKeeping = rapid.IntRange(1, 5).Draw(t, "keeping")
		c.MaxPending = rapid.IntRange(5, 40).Draw(t, "pending")
		const items = 40
		v := newPress(c, items)
		came := make(map[uint64]time.Duration)
		skipped := make(map[uint64]bool)
		begun, old := false, uint64(0)
		hear := func(published int) {
			if !begun {
				begun, old = true, uint64(published)
			}
		}
		given := 0
		check := func() {
			for _, e := range v.env.Traced() {
				if s, ok := e.(Skipped); ok {
					for n := s.From; n <= s.To; n++ {
						skipped[n] = true
					}
				}
			}
			for ; given < len(v.library.given); given++ {
				n := v.library.given[given]
				before := v.library.given[:given]
				if slices.Contains(before, n) {
					t.Fatalf("%d was given twice: %v", n, before)
				}
				if skipped[n] {
					t.Fatalf("%d was given and skipped", n)
				}
				free := n == 1 || n == old+1 || slices.Contains(before, n-1) || skipped[n-1]
				if !free && v.env.Now()-came[n] < c.Hold {
					t.Fatalf("%d was given after %v, having waited %v", n, before, v.env.Now()-came[n])
				}
			}
			if len(v.library.waiting) > c.MaxKeeping {
				t.Fatalf("the library keeps %d", len(v.library.waiting))
			}
			if l := v.node.Load(); l.Pending > c.MaxPending || l.Pending < len(v.library.waiting) {
				t.Fatalf("%+v while the library keeps %d", l, len(v.library.waiting))
			}
		}
		push := func(n int) {
			f := v.node.followings.index[v.topic]
			had := f.has(uint64(n))
			hear(n - 1)
			v.push(v.items[n], "a")
			if !had && f.has(uint64(n)) {
				came[uint64(n)] = v.env.Now()
			}
			check()
		}
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				h := &Heartbeat{Number: uint64(rapid.IntRange(0, items).Draw(t, "last")),
					Time: v.env.Wall().UnixMilli() + 1000, Silence: 60}
				h.Sign(v.topic, keyOf(1))
				hear(int(h.Number))
				v.push(h, "a")
			case 1:
				v.env.Advance(time.Duration(rapid.IntRange(0, 12000).Draw(t, "ms")) * time.Millisecond)
			case 2:
				if len(v.library.waiting) > 0 {
					v.answer(rapid.IntRange(0, len(v.library.waiting)-1).Draw(t, "answer"))
				}
			default:
				push(rapid.IntRange(1, items).Draw(t, "number"))
			}
			check()
		}
		for round := 0; ; round++ {
			for n := items; n >= 1; n-- {
				push(n)
			}
			for len(v.library.waiting) > 0 {
				v.answer(0)
				check()
			}
			v.env.Advance(c.Hold)
			check()
			if s, _ := v.node.Status(v.topic); s.Have == items && s.Later == 0 && v.node.Load().Pending == 0 {
				break
			}
			if round > 2*items {
				s, _ := v.node.Status(v.topic)
				t.Fatalf("it does not end: %+v, %+v", s, v.node.Load())
			}
		}
		for n := uint64(1); n <= items; n++ {
			if !slices.Contains(v.library.given, n) && !skipped[n] {
				t.Fatalf("%d was neither given nor skipped: %v", n, v.library.given)
			}
		}
		if c.Window == 256 && len(skipped) > 0 {
			t.Fatalf("%v were skipped", skipped)
		}
	})
}

// A new follower receives what is published from then on, while it still looks for what was published before. A node
// that has followed before receives everything in order.
func TestWhatIsNewDoesNotWaitForTheTimeBefore(t *testing.T) {
	v := newPress(Default(), 5)
	h := &Heartbeat{Number: 3, Time: v.env.Wall().UnixMilli(), Silence: 60}
	h.Sign(v.topic, keyOf(1))
	v.push(h, "a")
	v.push(v.items[5], "a")
	v.push(v.items[2], "a")
	if len(v.library.given) > 0 {
		t.Fatalf("%v were given, and not in their order", v.library.given)
	}
	v.push(v.items[4], "a")
	v.push(v.items[1], "a")
	v.push(v.items[3], "a")
	if want := []uint64{4, 5, 1, 2, 3}; !slices.Equal(v.library.given, want) {
		t.Errorf("%v were given, not %v", v.library.given, want)
	}

	v = newPress(Default(), 5)
	v.node.Unfollow(v.topic)
	if err := v.node.Follow(Following{
		Topic: v.topic, Channel: engine.IDOf([]byte("a channel")), Pin: KeyOf(keyOf(1)).Fingerprint(), Have: 1,
	}); err != nil {
		t.Fatal(err)
	}
	v.push(h, "a")
	v.push(v.items[4], "a")
	if len(v.library.given) > 0 {
		t.Errorf("%v were given before what was missed", v.library.given)
	}
}

// Items that the conventional feed had are no longer searched for. Items beyond them are given to the library at once.
func TestForgo(t *testing.T) {
	v := newPress(Default(), 5)
	v.push(v.items[1], "a")
	v.push(v.items[4], "a")
	v.push(v.items[5], "a")
	v.node.Forgo(v.topic, 3)
	for len(v.library.waiting) > 0 {
		v.answer(0)
	}
	if s, _ := v.node.Status(v.topic); s.Have != 5 || s.Later != 0 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(v.library.given, []uint64{1, 4, 5}) {
		t.Errorf("%v were given", v.library.given)
	}
	v.node.Forgo(v.topic, 1<<40)
	if s, _ := v.node.Status(v.topic); s.Have != 5 {
		t.Errorf("what does not exist was forgone: %+v", s)
	}
}
