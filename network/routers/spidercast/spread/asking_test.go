package spread_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/spread"
)

// to returns the messages of a type that were sent to a peer since the last call of any of these functions.
func to[M engine.Message](a alone, p engine.Peer) (list []M) {
	for _, s := range a.env.Sent() {
		if m, ok := s.Message.(M); ok && s.To == p {
			list = append(list, m)
		}
	}
	return list
}

// asked returns the nodes that were asked for events since the last call.
func asked(a alone) (peers []engine.Peer) {
	for _, s := range a.env.Sent() {
		if _, ok := s.Message.(*spread.Graft); ok {
			peers = append(peers, s.To)
		}
	}
	return peers
}

func (a alone) offered(p engine.Peer, hops uint8, numbers ...uint64) {
	m := &spread.Announce{Number: 7, Topics: []spread.Announced{{Topic: topicOf(0)}}}
	for _, n := range numbers {
		m.Topics[0].Names = append(m.Topics[0].Names, spread.Name{Digest: (&note{Number: n}).digest(), Hops: hops})
	}
	a.Receive(p, m)
}

func (a alone) given(p engine.Peer, number uint64, hops uint8) {
	a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Number: number}, Hops: hops})
}

// pair returns a node with a tree link that has brought an event, and two other links, all of one topic.
func pair(c spread.Config) (a alone, tree, p, q engine.Peer) {
	a = newAlone(c)
	a.Join(topicOf(0))
	tree, p, q = a.link("b0", topicOf(0)), a.link("b1", topicOf(0)), a.link("b2", topicOf(0))
	a.given(tree, 1, 1)
	for _, l := range []engine.Peer{p, q} {
		a.Receive(l, &spread.Prune{Topic: topicOf(0)})
	}
	a.env.Sent()
	return a, tree, p, q
}

// An event may come over the tree for a moment before others are asked for it. A tree link is asked at once.
func TestWaitsBeforeAsking(t *testing.T) {
	c := spread.Default()
	a, tree, p, q := pair(c)
	a.offered(p, 1, 2)
	a.offered(q, 1, 2)
	a.env.Advance(c.Wait - time.Millisecond)
	if len(asked(a)) != 0 {
		t.Error("it was asked for too soon")
	}
	a.given(tree, 2, 1)
	a.env.Advance(time.Minute)
	if len(asked(a)) != 0 {
		t.Error("what has come was asked for")
	}
	a.offered(tree, 1, 3)
	a.env.Advance(50 * time.Millisecond)
	if by := asked(a); len(by) != 1 || by[0] != tree {
		t.Errorf("%v were asked", by)
	}
}

// The next announcer is asked when the first does not answer, and at once when its link goes down.
func TestAsksTheNext(t *testing.T) {
	c := spread.Default()
	for _, down := range []bool{false, true} {
		a, _, p, q := pair(c)
		a.offered(p, 1, 2)
		a.offered(q, 1, 2)
		a.env.Advance(c.Wait)
		if by := asked(a); len(by) != 1 || by[0] != p {
			t.Fatalf("%v were asked first", by)
		}
		wait := c.Answer
		if down {
			a.LinkDown(p)
			wait = 50 * time.Millisecond
		}
		a.env.Advance(wait)
		if by := asked(a); len(by) != 1 || by[0] != q {
			t.Errorf("down %v: %v were asked then", down, by)
		}
	}
}

// A neighbour that gives an event which this node alone doubts is not suspected, however often. Another that has
// announced the event is asked at once, and may give one that is believed. With nobody left the event is given up, and
// asked for as it is announced again.
func TestADoubtedEvent(t *testing.T) {
	c := spread.Default()
	a, _, p, q := pair(c)
	doubted := func(by engine.Peer, number uint64) {
		a.Receive(by, &spread.Event{Topic: topicOf(0), Event: &note{Number: number, Text: strange}})
	}
	for n := range uint64(2 * c.Strikes) {
		a.offered(p, 1, 2+n)
		a.offered(q, 1, 2+n)
		a.env.Advance(c.Wait)
		by := asked(a)
		if len(by) != 1 {
			t.Fatalf("event %d: %v were asked first", n, by)
		}
		first, second := by[0], p
		if first == p {
			second = q
		}
		doubted(first, 2+n)
		a.env.Advance(50 * time.Millisecond)
		if by := asked(a); !slices.Equal(by, []engine.Peer{second}) {
			t.Fatalf("event %d: %v were asked then", n, by)
		}
		if n%2 == 0 {
			a.given(second, 2+n, 1)
		} else {
			doubted(second, 2+n)
		}
		a.env.Advance(10 * c.Answer)
		if by := asked(a); len(by) > 0 {
			t.Fatalf("event %d: %v were asked at last", n, by)
		}
		a.offered(first, 1, 2+n)
		a.env.Advance(c.Wait)
		if by := asked(a); len(by) != int(n%2) {
			t.Fatalf("event %d: %v are asked as it is announced again", n, by)
		}
		doubted(first, 2+n)
		a.env.Advance(c.Answer)
		if s := a.State(); s.Suspected > 0 {
			t.Fatalf("event %d: %+v", n, s)
		}
		asked(a)
	}
}

// A neighbour has sent an event that this node alone doubts. The event makes room for others that the neighbour
// announces.
func TestADoubtedEventMakesRoom(t *testing.T) {
	c := spread.Default()
	a, _, p, q := pair(c)
	a.env.Traced()
	for n := range uint64(c.MaxWanted + 1) {
		a.offered(p, 1, 2+n)
		a.offered(q, 1, 2+n)
		a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Number: 2 + n, Text: strange}})
		a.given(q, 2+n, 1)
		a.env.Advance(time.Second)
	}
	if hits := count[spread.LimitHit](a.env.Traced()); hits > 0 {
		t.Errorf("%d announcements found no room", hits)
	}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
}

// A suspected neighbour is asked only if no other has announced an event. It is suspected no longer when it sends one.
func TestSuspectedAreAskedLast(t *testing.T) {
	c := spread.Default()
	c.Strikes = 1
	a, _, p, q := pair(c)
	a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Text: forged}})
	if s := a.State(); s.Suspected != 1 {
		t.Fatalf("%+v", s)
	}
	a.offered(p, 1, 2)
	a.offered(q, 1, 2)
	a.env.Advance(c.Wait)
	if by := asked(a); len(by) != 1 || by[0] != q {
		t.Errorf("%v were asked", by)
	}
	a.given(q, 2, 1)
	a.offered(p, 1, 3)
	a.env.Advance(c.Wait)
	if by := asked(a); len(by) != 1 || by[0] != p {
		t.Errorf("%v were asked", by)
	}
	a.given(p, 3, 1)
	if s := a.State(); s.Suspected != 0 {
		t.Errorf("%+v", s)
	}
}

// Many events that do not come at one time are one broken promise. One that is kept makes up for those before.
func TestStrikes(t *testing.T) {
	c := spread.Default()
	c.Strikes = 3
	a, _, p, _ := pair(c)
	var suspects []engine.Peer
	a.OnSuspect(func(p engine.Peer) { suspects = append(suspects, p) })
	a.offered(p, 1, 10, 11, 12, 13, 14, 15)
	a.env.Advance(c.Wait + c.Answer + 100*time.Millisecond) // one
	a.env.Advance(c.Answer)                                 // two
	if len(suspects) != 0 {
		t.Error("suspected by a single lost message")
	}
	a.given(p, 10, 1)
	a.env.Advance(2 * c.Answer) // one
	a.env.Advance(2 * c.Answer) // two
	if len(suspects) != 0 {
		t.Error("suspected in spite of a promise kept")
	}
	a.env.Advance(time.Minute)
	if len(suspects) != 1 || suspects[0] != p {
		t.Errorf("%v are suspected", suspects)
	}
}

// What a neighbour has kept until it was too old is asked for once, and the neighbour is not suspected.
func TestOldEventsAreNotAskedForAgain(t *testing.T) {
	c := spread.Default()
	c.Strikes = 2
	a, _, p, _ := pair(c)
	for number := range uint64(4) {
		a.offered(p, 1, 10+number)
		a.env.Advance(c.Wait)
		if by := asked(a); len(by) != 1 || by[0] != p {
			t.Fatalf("%v were asked", by)
		}
		a.Receive(p, &spread.Event{Topic: topicOf(0), Event: &note{Number: 10 + number, Text: old}, Hops: 1})
		a.env.Advance(time.Minute)
		a.offered(p, 1, 10+number)
		a.env.Advance(time.Minute)
		if by := asked(a); len(by) > 0 {
			t.Fatalf("%d: %v were asked again", number, by)
		}
	}
	if s := a.State(); s.Suspected != 0 || s.Wanted != 0 {
		t.Errorf("%+v", s)
	}
	if n := count[spread.Delivered](a.env.Traced()); n != 1 {
		t.Errorf("%d events were delivered", n)
	}
}

// What is missing of two topics is requested from two neighbours by a message for each neighbour and topic, which names
// all of that and nothing else.
func TestRequestsAreGatheredByNeighbourAndTopic(t *testing.T) {
	c := spread.Default()
	a := newAlone(c)
	one, two := topicOf(0), topicOf(1)
	a.Join(one)
	a.Join(two)
	p, q := a.link("b1", one, two), a.link("b2", one, two)
	digest := func(number uint64) uint64 { return (&note{Number: number}).digest() }
	offer := func(from engine.Peer, topic engine.ID, numbers ...uint64) spread.Announced {
		of := spread.Announced{Topic: topic}
		for _, n := range numbers {
			of.Names = append(of.Names, spread.Name{Digest: digest(n)})
		}
		return of
	}
	a.Receive(p, &spread.Announce{Number: 1, Topics: []spread.Announced{offer(p, one, 1, 2), offer(p, two, 3)}})
	a.Receive(q, &spread.Announce{Number: 1, Topics: []spread.Announced{offer(q, two, 4, 5), offer(q, one, 6)}})
	a.env.Advance(c.Wait)
	got := make(map[string][]uint64)
	for _, s := range a.env.Sent() {
		if m, ok := s.Message.(*spread.Graft); ok && len(m.Digests) > 0 {
			key := fmt.Sprint(s.To.Address, " ", m.Topic == one)
			got[key] = append(got[key], m.Digests...)
		}
	}
	for key, numbers := range map[string][]uint64{"b1 true": {1, 2}, "b1 false": {3}, "b2 false": {4, 5},
		"b2 true": {6}} {
		var want []uint64
		for _, n := range numbers {
			want = append(want, digest(n))
		}
		slices.Sort(want)
		if slices.Sort(got[key]); !slices.Equal(got[key], want) {
			t.Errorf("neighbour and topic %s: %v are requested, want %v", key, got[key], want)
		}
	}
	if len(got) != 4 {
		t.Errorf("requested are %v", got)
	}
}

// Only a node that shares a topic gets its events, and all that are kept and requested.
func TestGraft(t *testing.T) {
	a := newAlone(spread.Default())
	a.Join(topicOf(0))
	a.note(topicOf(0), 1, 1)
	p, q := a.link("b1", topicOf(0)), a.link("b2", topicOf(1))
	a.env.Advance(0)
	a.env.Sent()
	m := &spread.Graft{Topic: topicOf(0), Digests: []uint64{5, (&note{Number: 1}).digest(), 6}}
	a.Receive(q, m)
	if sent := a.env.Sent(); len(sent) != 0 {
		t.Errorf("%v was sent to a neighbour that does not share the topic", sent)
	}
	a.Receive(p, m)
	if sent := to[*spread.Event](a, p); len(sent) != 1 {
		t.Errorf("%d events were sent", len(sent))
	}
	if tree, _ := a.Tree(topicOf(0)); len(tree) != 1 || tree[0] != p {
		t.Errorf("the tree is %v", tree)
	}
}

// What is announced of topics that are not followed, or not known, is acknowledged and nothing else.
func TestForeignAnnouncement(t *testing.T) {
	a := newAlone(spread.Default())
	a.note(topicOf(0), 1, 1)
	p := a.link("b1", topicOf(1))
	a.offered(p, 1, 2)
	a.Receive(p, &spread.Announce{Number: 8,
		Topics: []spread.Announced{{Topic: topicOf(9), Names: []spread.Name{{Digest: 4}}}}})
	if sent := to[*spread.Acknowledge](a, p); len(sent) != 2 || a.State().Wanted != 0 {
		t.Errorf("%d acknowledged, %+v", len(sent), a.State())
	}
}

// An acknowledgement of an announcement that is no longer under way counts for nothing.
func TestLateAcknowledgement(t *testing.T) {
	c := spread.Default()
	a := newAlone(c)
	for i := range 2 {
		a.Join(topicOf(i))
		a.note(topicOf(i), uint64(i), 1)
	}
	p := a.link("b1", topicOf(0))
	a.env.Advance(0)
	first := to[*spread.Announce](a, p)[0]
	both := []engine.ID{topicOf(0), topicOf(1)}
	a.LinkChanged(p, both)
	a.env.Advance(0)
	second := to[*spread.Announce](a, p)[0]
	a.Receive(p, &spread.Acknowledge{Number: first.Number})
	a.env.Advance(c.Resend)
	again := to[*spread.Announce](a, p)
	if len(again) != 1 || again[0].Number != second.Number || len(again[0].Topics) != 2 ||
		first.Number == second.Number {
		t.Errorf("%+v, then %+v was announced, and again %+v", first, second, again)
	}
}

// A link is tried for the tree only if its path is shorter by the required number of hops, and not too often.
func TestShorterWays(t *testing.T) {
	c := spread.Default()
	c.Shorter, c.Moves = 2, 1
	for _, test := range []struct {
		came, announced uint8
		moves           bool
	}{{5, 2, true}, {5, 3, true}, {5, 4, false}, {2, 0, true}, {1, 0, false}} {
		a, tree, p, _ := pair(c)
		a.given(tree, 2, test.came)
		a.env.Sent()
		a.offered(p, test.announced, 2)
		if moved := len(asked(a)) == 1; moved != test.moves {
			t.Errorf("%+v: moved %v", test, moved)
		}
	}
	c.Moves = 100
	a, tree, p, _ := pair(c)
	moves, last := 0, 0
	for i := range 500 {
		a.given(tree, uint64(10+i), 9)
		a.env.Sent()
		a.offered(p, 1, uint64(10+i))
		if len(asked(a)) > 0 {
			if moves++; i-last < c.Moves {
				t.Errorf("moved after %d events", i-last)
			}
			last = i
			a.Receive(p, &spread.Prune{Topic: topicOf(0)})
		}
	}
	if moves < 2 {
		t.Errorf("moved %d times", moves)
	}
}

// When the last link of a tree is pruned, the next event goes over all links again.
func TestPrunedTreeGrowsAgain(t *testing.T) {
	a, tree, p, q := pair(spread.Default())
	a.note(topicOf(0), 2, 1)
	if n := len(to[*spread.Event](a, tree)); n != 1 {
		t.Errorf("%d events over the tree", n)
	}
	a.Receive(tree, &spread.Prune{Topic: topicOf(0)})
	a.note(topicOf(0), 3, 1)
	reached := map[engine.Peer]bool{}
	for _, s := range a.env.Sent() {
		if _, ok := s.Message.(*spread.Event); ok {
			reached[s.To] = true
		}
	}
	if !reached[tree] || !reached[p] || !reached[q] {
		t.Errorf("it went to %v", reached)
	}
}

// A node that follows nothing sends its event to one neighbour at once, and its name to the others.
func TestStrangerSendsOnce(t *testing.T) {
	c := spread.Default()
	a := newAlone(c)
	for _, digits := range []string{"b1", "b2", "b3"} {
		a.link(digits, topicOf(0))
	}
	a.note(topicOf(0), 1, 1)
	a.env.Advance(c.Announce)
	events, names := 0, 0
	for _, s := range a.env.Sent() {
		switch s.Message.(type) {
		case *spread.Event:
			events++
		case *spread.Announce:
			names++
		}
	}
	if events != 1 || names != 3 {
		t.Errorf("%d events and %d announcements", events, names)
	}
}

// A wanted event is expected over a link that goes down. The other neighbours that announced it are asked instead, each
// in its turn. When the last of them is gone too, the event is given up. All counts agree at each moment.
func TestLinksGoDownOneByOne(t *testing.T) {
	c := spread.Default()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		a, tree, p, q := pair(c)
		all := []engine.Peer{tree, p, q}
		for _, l := range all {
			a.offered(l, 1, 2, 3, 4)
		}
		a.env.Advance(c.Wait)
		wanted := a.State().Wanted
		if wanted != 3 {
			t.Fatalf("%d events are wanted", wanted)
		}
		for i, which := range order {
			a.LinkDown(all[which])
			if err := a.Check(); err != nil {
				t.Fatalf("order %v, after %d are down: %v", order, i+1, err)
			}
			a.env.Sent()
			a.env.Advance(time.Second)
			for _, to := range asked(a) {
				for _, gone := range order[:i+1] {
					if to == all[gone] {
						t.Errorf("order %v: a link that is down is asked", order)
					}
				}
			}
			if err := a.Check(); err != nil {
				t.Fatalf("order %v, after %d are down: %v", order, i+1, err)
			}
			if n := a.State().Wanted; i < 2 && n != 3 || i == 2 && n != 0 {
				t.Errorf("order %v, after %d are down: %d are wanted", order, i+1, n)
			}
		}
	}
}

// A node that leaves a topic says so to each of its tree's neighbours, once, and to no other.
func TestLeavingPrunesEach(t *testing.T) {
	for links := range 4 {
		a := newAlone(spread.Default())
		a.Join(topicOf(0))
		a.Join(topicOf(1))
		all := []engine.Peer{a.link("c0", topicOf(1)), a.link("c1")}
		for i := range links {
			all = append(all, a.link(fmt.Sprint("b", i), topicOf(0), topicOf(1)))
		}
		for i, p := range all[2:] {
			a.given(p, uint64(i+1), 1)
		}
		a.env.Sent()
		a.Leave(topicOf(0))
		var pruned []engine.Peer
		for _, s := range a.env.Sent() {
			if m, ok := s.Message.(*spread.Prune); ok && m.Topic == topicOf(0) {
				pruned = append(pruned, s.To)
			}
		}
		slices.SortFunc(pruned, func(p, q engine.Peer) int { return p.ID.Compare(q.ID) })
		if !slices.Equal(pruned, all[2:]) {
			t.Errorf("of %v these are notified that it left: %v", all[2:], pruned)
		}
		if a.Leave(topicOf(0)); len(a.env.Sent()) > 0 {
			t.Error("it leaves twice")
		}
	}
}
