package spread_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/spread"
)

// alone is a node with an Env that is driven by hand.
type alone struct {
	*spread.Spread
	env *enginetest.Env
}

func newAlone(c spread.Config) alone {
	env := enginetest.NewEnv(enginetest.NewPeer("aa"))
	return alone{spread.New(env, c, member{}), env}
}

func (a alone) note(topic engine.ID, number uint64, bytes int) {
	a.Publish(topic, &note{Number: number, Text: string(make([]byte, bytes))})
}

// link makes a link to a neighbour that shares topics.
func (a alone) link(digits string, shared ...engine.ID) engine.Peer {
	p := enginetest.NewPeer(digits)
	a.LinkUp(p, shared)
	return p
}

// announced returns what was announced to a peer since the last call, each announcement acknowledged.
func (a alone) announced(p engine.Peer) (names []uint64, batches int) {
	for range 100 {
		var number uint32
		for _, s := range a.env.Sent() {
			if m, ok := s.Message.(*spread.Announce); ok && s.To == p {
				batches++
				number = m.Number
				for _, of := range m.Topics {
					for _, n := range of.Names {
						names = append(names, n.Digest)
					}
				}
			}
		}
		if number == 0 {
			break
		}
		a.Receive(p, &spread.Acknowledge{Number: number})
		a.env.Advance(600 * time.Millisecond) // more than Announce, less than Resend
	}
	return names, batches
}

func count[T any](events []any) (n int) {
	for _, e := range events {
		if _, ok := e.(T); ok {
			n++
		}
	}
	return n
}

// Of one topic so many events are kept, and so many bytes, but always the latest; and so many of all topics.
func TestCacheIsBounded(t *testing.T) {
	c := spread.Default()
	c.Kept, c.KeptBytes, c.MaxKept, c.MaxKeptBytes = 5, 1000, 12, 2500
	for _, test := range []struct {
		topics, each, bytes int
		kept                int
	}{
		{1, 4, 10, 4}, {1, 5, 10, 5}, {1, 9, 10, 5}, {1, 5, 250, 4}, {1, 5, 1001, 1}, {1, 5, 3000, 1},
		{2, 6, 10, 10}, {3, 5, 10, 12}, {3, 5, 250, 10}, {3, 1, 2600, 1},
	} {
		a := newAlone(c)
		for i := range test.topics {
			a.Join(topicOf(i))
			for k := range test.each {
				a.note(topicOf(i), uint64(100*i+k), test.bytes)
			}
		}
		if s := a.State(); s.Kept != test.kept || s.Bytes != test.kept*test.bytes {
			t.Errorf("%+v: %d events of %d bytes are kept", test, s.Kept, s.Bytes)
		}
		if err := a.Check(); err != nil {
			t.Error(err)
		}
		if p := a.link("b1", topicOf(test.topics-1)); true {
			a.env.Advance(0)
			names, _ := a.announced(p)
			if latest := uint64(100*(test.topics-1) + test.each - 1); len(names) == 0 ||
				names[len(names)-1] != (&note{Number: latest}).digest() {
				t.Errorf("%+v: the latest is not announced", test)
			}
		}
	}
}

// A neighbour that comes gets the names of everything that is kept. They come in the least number of announcements that
// they fit in, one acknowledged after the other.
func TestLongAnnouncements(t *testing.T) {
	c := spread.Default()
	for _, test := range []struct{ topics, each, batches int }{
		{1, 64, 1}, {4, 64, 1}, {4, 65, 1}, {5, 64, 2}, {64, 1, 1}, {65, 1, 2}, {63, 64, 16},
	} {
		a := newAlone(c)
		var shared []engine.ID
		for i := range test.topics {
			a.Join(topicOf(i))
			shared = append(shared, topicOf(i))
			for k := range test.each {
				a.note(topicOf(i), uint64(100*i+k), 1)
			}
		}
		p := a.link("b1", shared...)
		a.env.Advance(0)
		names, batches := a.announced(p)
		if want := test.topics * min(test.each, c.Kept); len(names) != want || batches != test.batches {
			t.Errorf("%+v: %d names in %d announcements, want %d", test, len(names), batches, want)
		}
		if a.env.Timers() != 0 {
			t.Errorf("%+v: %d timers are left", test, a.env.Timers())
		}
	}
}

// A further announcement, for which there was no room in the last, follows as soon as that is acknowledged; news are
// gathered first.
func TestFullAnnouncements(t *testing.T) {
	c := spread.Default()
	a := newAlone(c)
	var shared []engine.ID
	for i := range 5 {
		a.Join(topicOf(i))
		shared = append(shared, topicOf(i))
		for k := range 64 {
			a.note(topicOf(i), uint64(100*i+k), 1)
		}
	}
	p := a.link("b1", shared...)
	a.env.Advance(0)
	first := to[*spread.Announce](a, p)[0]
	a.note(topicOf(0), 1000, 1)
	a.env.Sent()
	a.Receive(p, &spread.Acknowledge{Number: first.Number})
	second := to[*spread.Announce](a, p)
	if len(second) != 1 || len(second[0].Topics) < 2 {
		t.Fatalf("%+v followed", second)
	}
	a.note(topicOf(0), 1001, 1)
	a.env.Sent()
	a.Receive(p, &spread.Acknowledge{Number: second[0].Number})
	if third := to[*spread.Announce](a, p); len(third) != 0 {
		t.Errorf("%+v followed at once", third)
	}
	a.env.Advance(c.Announce)
	if third := to[*spread.Announce](a, p); len(third) != 1 || len(third[0].Topics) != 1 {
		t.Errorf("%+v followed", third)
	}
}

// Of topics that are not followed so many are remembered: the last ones that were left.
func TestLeftTopicsAreBounded(t *testing.T) {
	c := spread.Default()
	c.MaxLeft = 3
	a := newAlone(c)
	for i := range 5 {
		a.Join(topicOf(i))
		a.note(topicOf(i), uint64(i), 1)
		a.Leave(topicOf(i))
		a.Leave(topicOf(i))
	}
	for i := range 3 {
		a.note(topicOf(10+i), 50, 1)
	}
	if s := a.State(); s.Topics != 3 || s.Kept != 3 {
		t.Errorf("%+v", s)
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
	a.env.Traced()
	a.note(topicOf(12), 50, 1) // remembered
	a.note(topicOf(4), 4, 1)   // forgotten
	if events := a.env.Traced(); count[spread.Published](events) != 1 || count[spread.Repeated](events) != 1 {
		t.Errorf("%+v", events)
	}
}

// A topic that was left and is joined anew is not among those that are forgotten.
func TestJoinedAnewIsNotForgotten(t *testing.T) {
	c := spread.Default()
	c.MaxLeft = 2
	a := newAlone(c)
	for i := range 6 {
		if i < 3 {
			a.Leave(topicOf(0))
			a.Join(topicOf(0))
		}
		a.Join(topicOf(1 + i))
		a.Leave(topicOf(1 + i))
	}
	if _, joined := a.Tree(topicOf(0)); !joined || a.State().Topics != 3 {
		t.Errorf("joined %v, %+v", joined, a.State())
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
}

// If an event that is published here reaches no node, that is reported after Config.Hold, or when the event is dropped;
// once.
func TestUnheard(t *testing.T) {
	c := spread.Default()
	c.Kept, c.Remembered = 2, 8
	a := newAlone(c)
	a.Join(topicOf(0))
	p := a.link("b1", topicOf(0))
	a.note(topicOf(0), 1, 1)
	a.env.Advance(c.Announce)
	a.announced(p)
	a.LinkDown(p)
	for k := range 3 {
		a.note(topicOf(0), uint64(10+k), 1)
	}
	if n := count[spread.Unheard](a.env.Traced()); n != 1 { // 10
		t.Errorf("%d are unheard", n)
	}
	a.env.Advance(c.Hold - time.Minute)
	if n := count[spread.Unheard](a.env.Traced()); n != 0 {
		t.Errorf("%d are unheard before their time", n)
	}
	a.env.Advance(time.Minute)
	if n := count[spread.Unheard](a.env.Traced()); n != 2 {
		t.Errorf("%d are unheard", n)
	}
	a.note(topicOf(0), 20, 1)
	a.note(topicOf(0), 21, 1)
	if n := count[spread.Unheard](a.env.Traced()); n != 0 {
		t.Errorf("%d are unheard a second time", n)
	}
}

// So many of the latest events are recognized when they come again.
func TestRemembered(t *testing.T) {
	c := spread.Default()
	c.Kept, c.Remembered = 2, 10
	rapid.Check(t, func(t *rapid.T) {
		a := newAlone(c)
		a.Join(topicOf(0))
		p := a.link("b1", topicOf(0))
		var all []uint64
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			number := rapid.Uint64Range(0, 40).Draw(t, "number")
			recent := false
			for _, n := range all[max(0, len(all)-c.Remembered):] {
				recent = recent || n == number
			}
			a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Number: number}, Hops: 1})
			if delivered := count[spread.Delivered](a.env.Traced()); recent && delivered > 0 {
				t.Fatalf("%d is delivered again; the last were %v", number, all)
			} else if delivered > 0 {
				all = append(all, number)
			}
			if err := a.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A link that goes down and comes up again and again leaves nothing behind.
func TestFlappingLinkLeavesNothing(t *testing.T) {
	a := newAlone(spread.Default())
	a.Join(topicOf(0))
	a.note(topicOf(0), 1, 1)
	for range 100 {
		p := a.link("b1", topicOf(0))
		a.env.Advance(0)
		if names, _ := a.announced(p); len(names) != 1 {
			t.Fatalf("%d names were announced", len(names))
		}
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
	}
	a.LinkDown(enginetest.NewPeer("b1"))
	if s := a.State(); s.Links != 0 || s.TreeLinks != 0 {
		t.Errorf("%+v", s)
	}
}

// Topics that come to be shared are announced anew, also when they were before; others are not.
func TestLinkChanged(t *testing.T) {
	a := newAlone(spread.Default())
	e0, e1 := topicOf(0), topicOf(1)
	for i, id := range []engine.ID{e0, e1} {
		a.Join(id)
		a.note(id, uint64(i), 1)
	}
	digest0, digest1 := (&note{Number: 0}).digest(), (&note{Number: 1}).digest()
	p := a.link("b1", e0)
	for _, step := range []struct {
		shared []engine.ID
		want   []uint64
	}{
		{[]engine.ID{e0}, []uint64{digest0}}, {[]engine.ID{e0}, nil}, {[]engine.ID{e1, e0}, []uint64{digest1}},
		{[]engine.ID{e1}, nil}, {[]engine.ID{e0, e1}, []uint64{digest0}}, {nil, nil},
		{[]engine.ID{e1}, []uint64{digest1}},
	} {
		a.LinkChanged(p, step.shared)
		a.env.Advance(600 * time.Millisecond)
		if names, _ := a.announced(p); fmt.Sprint(names) != fmt.Sprint(step.want) {
			t.Errorf("with %v shared %v was announced, want %v", step.shared, names, step.want)
		}
	}
	a.LinkChanged(enginetest.NewPeer("b2"), []engine.ID{e0}) // unknown
	if s := a.State(); s.Links != 1 {
		t.Errorf("%+v", s)
	}
}

// So many missing events of one neighbour are remembered, and so many asked for at once. What is beyond is not
// acknowledged.
func TestWantedIsBounded(t *testing.T) {
	c := spread.Default()
	c.MaxWanted, c.MaxAsked = 300, 10
	a := newAlone(c)
	a.Join(topicOf(0))
	p := a.link("b1", topicOf(0))
	acknowledged := 0
	for i := range 4 {
		m := &spread.Announce{Number: uint32(1 + i), Topics: []spread.Announced{{Topic: topicOf(0)}}}
		for k := range 100 {
			m.Topics[0].Names = append(m.Topics[0].Names, spread.Name{Digest: uint64(1000*i + k)})
		}
		a.Receive(p, m)
		for _, s := range a.env.Sent() {
			if _, ok := s.Message.(*spread.Acknowledge); ok {
				acknowledged++
			}
		}
	}
	if s := a.State(); s.Wanted != 300 || acknowledged != 3 {
		t.Errorf("%+v, %d acknowledged", s, acknowledged)
	}
	a.env.Advance(c.Wait)
	asked := 0
	for _, s := range a.env.Sent() {
		if m, ok := s.Message.(*spread.Graft); ok {
			asked += len(m.Digests)
		}
	}
	if asked != c.MaxAsked {
		t.Errorf("%d were asked for at once", asked)
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
	a.Leave(topicOf(0))
	if s := a.State(); s.Wanted != 0 {
		t.Errorf("%+v", s)
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
}

// A neighbour's messages count, long ones as several; what is beyond is dropped, until time has passed.
func TestIntakeIsBounded(t *testing.T) {
	for _, test := range []struct {
		m    engine.Message
		most int // handled of 200
	}{
		{&spread.Prune{Topic: topicOf(0)}, 100},
		{&spread.Graft{Topic: topicOf(0), Digests: make([]uint64, 128)}, 34},
		{&spread.Announce{Topics: []spread.Announced{{Names: make([]spread.Name, 128)},
			{Names: make([]spread.Name, 64)}}}, 25},
	} {
		c := spread.Default()
		c.Intake, c.IntakeBurst = 10, 100
		a := newAlone(c)
		p := a.link("b1", topicOf(0))
		for range 200 {
			a.Receive(p, test.m)
		}
		if hit := count[spread.LimitHit](a.env.Traced()); hit != 200-test.most {
			t.Errorf("%T: %d of 200 were dropped", test.m, hit)
		}
		a.env.Advance(10 * time.Second)
		a.Receive(p, test.m)
		if hit := count[spread.LimitHit](a.env.Traced()); hit != 0 {
			t.Errorf("%T: dropped after ten seconds", test.m)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := spread.Default().Validate(); err != nil {
		t.Error(err)
	}
	for i, spoil := range []func(c *spread.Config){
		func(c *spread.Config) { c.Announce = 0 }, func(c *spread.Config) { c.Resend = -1 },
		func(c *spread.Config) { c.Wait = 0 },
		func(c *spread.Config) { c.Kept = 0 }, func(c *spread.Config) { c.Kept = 129 },
		func(c *spread.Config) { c.Shorter = 0 },
		func(c *spread.Config) { c.MaxKept = c.Kept - 1 },
		func(c *spread.Config) { c.Remembered = c.Kept - 1 }, func(c *spread.Config) { c.MaxAsked = 129 },
		func(c *spread.Config) { c.MaxWanted = 255 }, func(c *spread.Config) { c.Serve = 0 },
	} {
		c := spread.Default()
		if spoil(&c); c.Validate() == nil {
			t.Errorf("%d: no error", i)
		}
	}
}

// An event that comes again over another link prunes that link; over the same link it prunes nothing.
func TestRepeatedOverOneLink(t *testing.T) {
	a := newAlone(spread.Default())
	a.Join(topicOf(0))
	p, q := a.link("b1", topicOf(0)), a.link("b2", topicOf(0))
	m := &spread.Event{Topic: topicOf(0), Event: &note{Number: 1}, Hops: 1}
	for _, test := range []struct {
		from   engine.Peer
		prunes int
		tree   string
	}{{p, 0, "[p q]"}, {p, 0, "[p q]"}, {q, 1, "[p]"}, {q, 1, "[p]"}, {p, 0, "[p]"}} {
		a.Receive(test.from, m)
		prunes := 0
		for _, s := range a.env.Sent() {
			if _, ok := s.Message.(*spread.Prune); ok && s.To == test.from {
				prunes++
			}
		}
		tree, _ := a.Tree(topicOf(0))
		names := []string{}
		for _, l := range tree {
			names = append(names, map[engine.Peer]string{p: "p", q: "q"}[l])
		}
		if prunes != test.prunes || fmt.Sprint(names) != test.tree {
			t.Errorf("from %v: %d prunes, the tree is %v", test.from, prunes, names)
		}
	}
}

// Hops count up along the way, and stop at 255.
func TestHopsCount(t *testing.T) {
	a := newAlone(spread.Default())
	a.Join(topicOf(0))
	p := a.link("b1", topicOf(0))
	a.link("b2", topicOf(0))
	for i, test := range []struct{ in, out uint8 }{{0, 1}, {1, 2}, {254, 255}, {255, 255}} {
		a.env.Sent()
		a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Number: uint64(i)}, Hops: test.in})
		sent := a.env.Sent()
		if len(sent) != 1 || sent[0].Message.(*spread.Event).Hops != test.out {
			t.Errorf("%+v: %+v was sent", test, sent)
		}
	}
}
