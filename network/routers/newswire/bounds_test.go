package newswire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// A node is at work on maxJobs items, and has no more than that from others. A node that sends one more must wait.
func TestMaxJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	p := newPlan(64, 8)
	p.config.Burst, p.config.Queue, p.config.Cache = 1<<20, 1<<16, 1<<16
	l := newLone(p, 0)
	forward := func(number uint64) []enginetest.Sent {
		return l.from(9, &newswire.Forward{Number: uint32(number), Zone: l.paths[0], Item: l.item(20, number)})
	}
	for i := range newswire.MaxJobs {
		if n := count[*newswire.Taken](forward(uint64(i + 1))); n != 1 {
			t.Fatalf("item %d is not accepted", i)
		}
	}
	if sent := forward(newswire.MaxJobs + 1); len(sent) != 1 || count[*newswire.Busy](sent) != 1 {
		t.Errorf("the answer is %v", sent)
	}
	// An item that was missed is delivered all the same, and not passed on.
	sent := l.from(9, &newswire.Missed{Items: []engine.Message{l.item(20, 1<<30)}, Ages: []uint32{1}})
	if jobs := newswire.Jobs(l.wire); jobs != newswire.MaxJobs || len(sent) > 0 || len(l.got[1<<30]) != 1 {
		t.Errorf("%d jobs, %d sent, %d delivered", jobs, len(sent), len(l.got[1<<30]))
	}
	// All come to an end.
	l.env.Advance(3 * time.Minute)
	if n := newswire.Working(l.wire); n > 0 {
		t.Errorf("%d are at work", n)
	}
	l.sent()
	if n := count[*newswire.Taken](forward(newswire.MaxJobs + 2)); n != 1 {
		t.Error("no more is accepted")
	}
}

// If more than maxAskers nodes send an item, all learn that it is accepted, and so many that it is done; the others ask
// again.
func TestMaxAskers(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	item := l.item(20, 1)
	var sent []enginetest.Sent
	for i := range sim.Node(newswire.MaxAskers + 5) {
		s := l.from(9+i, &newswire.Forward{Number: uint32(i), Zone: l.paths[0], Item: item})
		if count[*newswire.Taken](s) != 1 {
			t.Fatalf("the answer to the asker %d is %v", i, s)
		}
		if i == 0 {
			sent = s
		}
	}
	l.env.Advance(time.Second / 2)
	var after []enginetest.Sent
	for _, s := range sent {
		if d, ok := s.Message.(*newswire.Deliver); ok {
			n, _ := l.NodeAt(s.To)
			after = append(after, l.from(n, &newswire.Done{Number: d.Number})...)
		}
	}
	if n := count[*newswire.Done](after); n != newswire.MaxAskers {
		t.Errorf("%d learn that it is done", n)
	}
	if s := l.from(9+newswire.MaxAskers, &newswire.Forward{Number: 77, Zone: l.paths[0], Item: item}); len(s) != 1 ||
		count[*newswire.Done](s) != 1 {
		t.Errorf("a node that asks again is answered %v", s)
	}
}

// A node remembers how much it accepted of maxPublishers; beyond that all begin anew.
func TestMaxPublishers(t *testing.T) {
	p := newPlan(newswire.MaxPublishers+64, 64)
	p.config.Burst = 1
	l := newLone(p, 0)
	forward := func(publisher sim.Node, number uint64) bool {
		return count[*newswire.Taken](l.from(70,
			&newswire.Forward{Zone: l.paths[0], Item: l.item(publisher, number)})) == 1
	}
	for i := range sim.Node(newswire.MaxPublishers) {
		if !forward(i, uint64(i)+1) {
			t.Fatalf("publisher %d is held", i)
		}
	}
	if forward(0, 5000) || newswire.Buckets(l.wire) != newswire.MaxPublishers {
		t.Errorf("a second item of a publisher is accepted, with %d buckets", newswire.Buckets(l.wire))
	}
	if !forward(newswire.MaxPublishers, 6000) || newswire.Buckets(l.wire) != 1 {
		t.Errorf("there are %d buckets after one more", newswire.Buckets(l.wire))
	}
}

// closing is a condition that holds and counts how many of its kind are open.
type closing struct {
	stub
	open *int
}

func (c closing) Close() { *c.open-- }

// A node keeps maxPredicates conditions, and gives back those that it does not keep, and all as it stops.
func TestMaxPredicates(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Burst = 1 << 20
	open, made := 0, 0
	p.seams = func(_ int, s *newswire.Seams) {
		s.Compile = func(text string) (newswire.Condition, error) {
			if text == "bad" {
				return nil, errors.New("no condition")
			}
			open++
			made++
			return closing{"fails", &open}, nil
		}
	}
	l := newLone(p, 0)
	for i := range 3 * newswire.MaxPredicates {
		for range 2 {
			if err := l.wire.Send(zone.Root, sub(0), []engine.ID{sub(0)}, fmt.Sprint("condition ", i),
				note(uint64(i+1), 0)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.wire.Send(zone.Root, sub(0), []engine.ID{sub(0)}, "bad", note(1<<20, 0)); !errors.Is(err,
			newswire.ErrPredicate) {
			t.Fatal(err)
		}
		if open > newswire.MaxPredicates {
			t.Fatalf("%d are open", open)
		}
	}
	if made < 3*newswire.MaxPredicates || made > 3*newswire.MaxPredicates+6 {
		t.Errorf("%d were made", made)
	}
	l.wire.Stop()
	if open != 0 {
		t.Errorf("%d are open after Stop", open)
	}
}

// Of the items that are published before the node has its place, the last maxWaiting are sent once it has.
func TestMaxWaiting(t *testing.T) {
	w := newTown(newPlan(8, 8))
	env := enginetest.NewEnv(w.Peer(0))
	zones := astrolabe.New(env, astrolabe.Default(),
		astrolabe.Seams{Keys: w.Keys(0), Contacts: []engine.Peer{w.Peer(1)}})
	n := newswire.New(env, newswire.Default(), newswire.Seams{Member: reader{w, 0}, Keys: w.Keys(0)}, zones)
	zones.Watch(n)
	n.Join(sub(0))
	for i := range newswire.MaxWaiting + 3 {
		n.Publish(sub(0), note(uint64(i+1), 0))
	}
	// What others send meanwhile does no harm.
	n.Receive(w.Peer(1), &newswire.Missed{Items: []engine.Message{w.item(1, 500)}, Ages: []uint32{1}})
	n.Receive(w.Peer(1), &newswire.Forward{Zone: zone.Root, Item: w.item(1, 501)})
	n.Receive(w.Peer(1), &newswire.Deliver{Item: w.item(1, 502)})
	hits := 0
	for _, e := range env.Traced() {
		if h, ok := e.(newswire.LimitHit); ok && h.Name == "maxWaiting" && h.Limit == newswire.MaxWaiting {
			hits++
		}
	}
	if len(w.got[502]) != 1 || len(w.got) != 1 || hits != 3 {
		t.Errorf("%d items have come, and the bound was hit %d times", len(w.got), hits)
	}
	env.Advance(2 * time.Minute) // nobody answers: it is alone
	if _, ok := zones.Path(); !ok {
		t.Fatal("it has no place")
	}
	for i := range newswire.MaxWaiting + 3 {
		if got := len(w.got[uint64(i+1)]); got != min(1, i/3) {
			t.Errorf("item %d has come %d times", i+1, got)
		}
	}
}

// A node subscribes to MaxTopics topics, and its queries need no more.
func TestMaxTopics(t *testing.T) {
	p := newPlan(64, 8)
	p.config.MaxTopics = 5
	l := newLone(p, 0) // follows topic 0
	for i := range 10 {
		l.wire.Join(sub(i))
	}
	if hits := l.limits("MaxTopics"); hits != 5 {
		t.Errorf("the bound was hit %d times", hits)
	}
	l.wire.Leave(sub(4))
	l.wire.Join(sub(9))
	var many []engine.ID
	for i := range 20 {
		many = append(many, sub(100+i))
	}
	l.wire.Select(many)
	l.env.Advance(time.Second)
	r, _ := l.zones.Table(l.paths[0]).Get(zone.Member(l.Peer(0).ID))
	want := p.config.Shape.Filter(append([]engine.ID{sub(0), sub(1), sub(2), sub(3), sub(9)}, many[:5]...))
	if string(r.Attributes.Get(newswire.AttrFilter).Bytes) != string(want) {
		t.Error("the filter is another")
	}
}

// Send accepts an item of 1 to 64 topics, if its event is admitted.
func TestSend(t *testing.T) {
	l := newLone(newPlan(64, 8), 0)
	topics := make([]engine.ID, newswire.MaxTopicsOfItem+1)
	bad := note(2, 0)
	bad.Text = "false"
	for _, test := range []struct {
		topics []engine.ID
		note   engine.Message
		want   error
	}{{topics, note(1, 0), newswire.ErrTopics}, {nil, note(1, 0), newswire.ErrTopics},
		{topics[:1], bad, newswire.ErrEvent}, {topics[1:], note(1, 0), nil}} {
		if err := l.wire.Send(zone.Root, sub(0), test.topics, "", test.note); !errors.Is(err, test.want) {
			t.Errorf("%v, not %v", err, test.want)
		}
	}
	if err := l.wire.Send(zone.Root, sub(0), topics[1:], strings.Repeat("1", 513), note(1, 0)); !errors.Is(err,
		newswire.ErrPredicate) {
		t.Error(err)
	}
	l.env.Traced()
	l.wire.Publish(sub(0), bad)
	if traced := l.env.Traced(); len(traced) != 1 {
		t.Errorf("an event that is not admitted is reported by %v", traced)
	}
}

// Queries decide of items without a topic of their own.
func TestQueries(t *testing.T) {
	p := newPlan(64, 8)
	p.seams = func(n int, s *newswire.Seams) {
		if n != 1 {
			s.Wants = func(engine.Message) bool { return n%2 == 0 }
		}
	}
	w := newTown(p)
	w.Do(0, func(engine.Protocol) {
		if err := w.testNode(0).wire.Send(zone.Root, engine.ID{}, []engine.ID{sub(5), sub(0)}, "",
			&routertest.Note{Number: 1}); err != nil {
			t.Error(err)
		}
	})
	w.Run(2 * time.Second)
	w.expect(t, 1, func(n sim.Node) bool { return n%2 == 0 })
}

// After Stop no timer is left, whatever the node was at work on.
func TestStop(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Window = 2
	l := newLone(p, 0)
	for i := range 10 {
		l.wire.Publish(sub(0), note(uint64(i+1), 0))
		l.wire.Publish(sub(0), note(uint64(i+1), 0)) // once more, while it is under way
		l.from(9, &newswire.Forward{Number: 1, Zone: zone.Root, Item: l.item(20, uint64(i+100))})
	}
	l.env.Advance(700 * time.Millisecond)
	l.wire.Join(sub(7))
	for i, s := range l.sent() {
		n, _ := l.NodeAt(s.To)
		if d, ok := s.Message.(*newswire.Deliver); ok {
			l.from(n, []engine.Message{&newswire.Taken{Number: d.Number}, &newswire.Busy{Number: d.Number},
				&newswire.Elsewhere{Number: d.Number}}[i%3])
		}
	}
	l.testNode.Stop()
	if left := l.env.Timers(); left != 0 {
		t.Errorf("%d timers are left", left)
	}
	l.env.Sent()
	l.env.Advance(time.Hour)
	if sent := l.env.Sent(); len(sent) > 0 {
		t.Errorf("%d messages are sent afterwards", len(sent))
	}
}

// An item that waits in a queue when its time is up is given up with the rest. Then the node is at rest.
func TestDeadlineInQueues(t *testing.T) {
	p := newPlan(64, 8)
	p.config.Window = 1
	l := newLone(p, 0)
	busy := func(sent []enginetest.Sent) {
		for _, s := range sent {
			n, _ := l.NodeAt(s.To)
			switch m := s.Message.(type) {
			case *newswire.Deliver:
				l.testNode.Receive(l.Peer(n), &newswire.Busy{Number: m.Number, Wait: 100})
			case *newswire.Forward:
				l.testNode.Receive(l.Peer(n), &newswire.Busy{Number: m.Number, Wait: 100})
			}
		}
	}
	for i := range 20 { // the second publisher's come before most of the first's, which began earlier
		publisher := sim.Node(20 + i/10)
		l.testNode.Receive(l.Peer(9), &newswire.Forward{Number: uint32(i), Zone: zone.Root,
			Item: l.item(publisher, uint64(i+1))})
	}
	for range 1300 {
		busy(l.sent())
		l.env.Advance(50 * time.Millisecond)
	}
	if n := newswire.Working(l.wire); n > 0 {
		t.Errorf("%d are at work after the deadline", n)
	}
}

// A config has bounds, and a node refuses one beyond them.
func TestConfig(t *testing.T) {
	if err := newswire.Default().Validate(); err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(c *newswire.Config){
		func(c *newswire.Config) { c.Shape.Bits = 0 }, func(c *newswire.Config) { c.Redundancy = 0 },
		func(c *newswire.Config) { c.Patience = 0 },
		func(c *newswire.Config) { c.Attempts = 0 }, func(c *newswire.Config) { c.Silence = c.Sign },
		func(c *newswire.Config) { c.Deadline = c.Sign },
		func(c *newswire.Config) { c.Window = 0 }, func(c *newswire.Config) { c.Queue = c.Window - 1 },
		func(c *newswire.Config) { c.Rate = 0 },
		func(c *newswire.Config) { c.Burst = 0 }, func(c *newswire.Config) { c.Keep = c.Missed - 1 },
		func(c *newswire.Config) { c.Cache = 0 },
		func(c *newswire.Config) { c.CacheBytes = 0 }, func(c *newswire.Config) { c.CatchUp = 0 },
		func(c *newswire.Config) { c.Missed = c.CatchUp - 1 },
		func(c *newswire.Config) { c.MaxTopics = 1 << 17 }, func(c *newswire.Config) { c.Attempts = 17 },
	} {
		c := newswire.Default()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("change %d is accepted", i)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a node accepts an invalid config")
		}
	}()
	newswire.New(enginetest.NewEnv(engine.Peer{}), newswire.Config{}, newswire.Seams{}, nil)
}

// However many zones are named, of no more than maxContacts something is remembered.
func TestBoundOfContacts(t *testing.T) {
	if n := newswire.Contacts(2 * newswire.MaxContacts); n > newswire.MaxContacts {
		t.Errorf("of %d zones something is remembered", n)
	}
}
