package archive_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// An item's key is the same for all nodes of any version: it follows from its name alone.
func TestKeysAreAsEver(t *testing.T) {
	name := archive.Name{Topic: engine.PrefixID("c0ffee"), Number: 0x0102030405060708}
	words := append([]byte("tidings archive\n"), name.Topic[:]...)
	if want := engine.IDOf(append(words, 1, 2, 3, 4, 5, 6, 7, 8)); name.Key() != want {
		t.Errorf("the key is %s, not %s", name.Key(), want)
	}
}

// A question for the owners ends at a node that knows them. It passes its asker and nodes that do not know them, and
// always ends where its route does. All other messages pass.
func TestWhereQuestionsEnd(t *testing.T) {
	name, content := nameOf(0, 1), archivetest.Item(nameOf(0, 1), 100)
	for what, c := range map[string]struct {
		unsure, alone, has, self, owners bool
		passes                           bool
	}{
		"owners are known":                 {false, false, false, false, true, false},
		"owners are known, but no ring is": {false, true, false, false, true, true},
		"it is the asker's":                {false, false, false, true, true, true},
		"owners are not known":             {true, false, false, false, true, true},
		"the item is here, owners wanted":  {true, false, true, false, true, true},
		"the item is here":                 {true, false, true, false, false, false},
		"nothing is here":                  {true, false, false, false, false, true},
	} {
		l := newLone(t, 4, archive.Default())
		if c.has {
			l.from(0, &archive.Give{Name: name, Bytes: content})
		}
		l.unsure, l.alone = c.unsure, c.alone
		asker := enginetest.NewPeer("c0")
		if c.self {
			asker = l.env.Self()
		}
		find := &archive.Find{Name: name, Asker: asker, Owners: c.owners, Most: 3, Toward: name.Key()}
		l.sent()
		passes := l.Forward(name.Key(), find, l.others[0])
		answers := of[*archive.Where](l.sent())
		if passes != c.passes || (len(answers) == 1) == c.passes {
			t.Errorf("%s: it passes: %v, with %d answers", what, passes, len(answers))
		}
		if len(answers) == 1 && (answers[0].Name != name || answers[0].Has != c.has || len(answers[0].Closest) < 3) {
			t.Errorf("%s: the answer is %+v", what, answers[0])
		}
		if !c.self {
			l.Deliver(name.Key(), l.others[0], find, 1)
			if n := len(of[*archive.Where](l.sent())); n != 1 {
				t.Errorf("%s: where the route ends it has %d answers", what, n)
			}
			start := *find
			start.Start = true
			l.routed = nil
			l.from(0, &start)
			if c.passes != (len(l.routed) == 1) {
				t.Errorf("%s: who asks directly has it routed %d times", what, len(l.routed))
			} else if c.passes && l.routed[0].(*archive.Find).Start {
				t.Errorf("%s: who is asked over the ring would route it again", what)
			}
		}
		if !l.Forward(name.Key(), &archive.Equal{}, l.others[0]) {
			t.Errorf("%s: another message does not pass", what)
		}
	}
}

// An insertion that cannot be is refused, once, and begins nothing.
func TestInsertionsThatCannotBe(t *testing.T) {
	c := archive.Default()
	c.MaxInserts = 1
	name := nameOf(0, 1)
	for what, insert := range map[string]func(l *lone, done func(int, archive.Refusal)) archive.Refusal{
		"nothing": func(l *lone, done func(int, archive.Refusal)) archive.Refusal {
			l.Insert(name, nil, done)
			return archive.TooLong
		},
		"too long": func(l *lone, done func(int, archive.Refusal)) archive.Refusal {
			l.Insert(name, make([]byte, c.MaxItem+1), done)
			return archive.TooLong
		},
		"the same twice": func(l *lone, done func(int, archive.Refusal)) archive.Refusal {
			l.Insert(name, archivetest.Item(name, 100), func(int, archive.Refusal) {})
			l.sent()
			l.Insert(name, archivetest.Item(name, 100), done)
			return archive.Busy
		},
		"another at a time": func(l *lone, done func(int, archive.Refusal)) archive.Refusal {
			l.Insert(nameOf(0, 2), archivetest.Item(nameOf(0, 2), 100), func(int, archive.Refusal) {})
			l.sent()
			l.Insert(name, archivetest.Item(name, 100), done)
			return archive.Busy
		},
	} {
		l := newLone(t, 8, c)
		before, ends := 0, 0
		var want archive.Refusal
		want = insert(l, func(copies int, why archive.Refusal) {
			if ends++; copies != 0 || why != want {
				t.Errorf("%s: it ends with %d copies, %v", what, copies, why)
			}
		})
		before = l.Load().Inserts
		if sent := l.sent(); len(sent) > 0 {
			t.Errorf("%s: %v is sent", what, sent)
		}
		l.env.Advance(0)
		during := l.Load().Inserts
		for range 60 {
			l.settle(true)
			l.env.Advance(time.Minute)
		}
		if l.sent(); ends != 1 || during != before {
			t.Errorf("%s: it ends %d times, and %d insertions go on, not %d", what, ends, during, before)
		}
	}
}

// What this node keeps and does is counted: items and their bytes, topics, what is fetched, searched and inserted.
func TestLoad(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	step := func(what string, want archive.Load) {
		t.Helper()
		if got := l.Load(); got != want {
			t.Errorf("%s: %+v, not %+v", what, got, want)
		}
	}
	step("at first", archive.Load{})
	one, two := nameOf(0, 1), nameOf(1, 1)
	first := archivetest.Item(one, 100)
	l.from(0, &archive.Offer{Number: 1, Items: []archive.Held{heldOf(one, first)}})
	step("while one is fetched", archive.Load{Wanted: 1})
	l.from(0, &archive.Item{Name: one, Bytes: first})
	step("when it is here", archive.Load{Items: 1, Bytes: 100, Topics: 1})
	l.from(1, &archive.Give{Name: nameOf(0, 2), Bytes: archivetest.Item(nameOf(0, 2), 50)})
	l.from(1, &archive.Give{Name: two, Bytes: archivetest.Item(two, 70)})
	step("with three of two topics", archive.Load{Items: 3, Bytes: 220, Topics: 2})
	l.Find(nameOf(3, 1), func([]byte, error) {})
	step("while one is searched", archive.Load{Items: 3, Bytes: 220, Topics: 2, Lookups: 1})
	l.Insert(nameOf(4, 1), archivetest.Item(nameOf(4, 1), 30), func(int, archive.Refusal) {})
	if got := l.Load(); got.Inserts != 1 || got.Lookups != 1 {
		t.Errorf("while one is inserted: %+v", got)
	}
	c := archive.Default()
	c.Replicas = 2
	if far := newLone(t, 8, c, heldOf(one, first)); far.Load().Surplus != 1 || far.Load().Items != 1 {
		t.Errorf("where it is another's: %+v", far.Load())
	}
}

// A peer from which items are fetched goes down. Items requested from it, or queued for it, are at once requested from
// the next peer that offers them.
func TestWhatIsFetchedFromThoseThatGoDown(t *testing.T) {
	c := archive.Default()
	c.Pulls = 1
	l := newLone(t, 4, c)
	var items []archive.Held
	for number := range uint64(40) {
		name := nameOf(0, number+1)
		items = append(items, heldOf(name, archivetest.Item(name, 100)))
	}
	fetched := func(sent []enginetest.Sent, from engine.Peer) (n int) {
		for _, s := range sent {
			if m, ok := s.Message.(*archive.Fetch); ok && s.To == from {
				n += len(m.Names)
			}
		}
		return n
	}
	// the others wait for the end of that
	if n := fetched(l.from(0, &archive.Offer{Number: 1, Items: items}), l.others[0]); n != 1 ||
		l.Load().Wanted != len(items) {
		t.Fatalf("%d are fetched, and %d wanted", n, l.Load().Wanted)
	}
	l.PeerDown(l.others[0])
	if l.sent(); l.Load().Wanted > 0 {
		t.Errorf("%d are wanted of a node that is down", l.Load().Wanted)
	}
	if n := fetched(l.from(1, &archive.Offer{Number: 2, Items: items}), l.others[1]); n != 1 ||
		l.Load().Wanted != len(items) {
		t.Errorf("%d are fetched from another, and %d wanted", n, l.Load().Wanted)
	}
	l.PeerDown(l.others[2]) // of which nothing is wanted
	if l.Load().Wanted != len(items) {
		t.Errorf("%d are wanted when a third has gone down", l.Load().Wanted)
	}
}

// An item that cannot be examined or kept is refused with the reason. An item that is here already is not written
// again.
func TestWhatIsGivenIsAnswered(t *testing.T) {
	name := nameOf(0, 1)
	content := archivetest.Item(name, 100)
	for what, c := range map[string]struct {
		before func(l *lone)
		give   []byte
		want   archive.Refusal
		writes int
	}{
		"new":   {func(*lone) {}, content, archive.Accepted, 1},
		"false": {func(*lone) {}, content[1:], archive.False, 0},
		"here": {func(l *lone) { l.from(1, &archive.Give{Name: name, Bytes: content}) }, content,
			archive.Accepted, 0},
		"no room now": {func(l *lone) { busy(l) }, content, archive.Busy, 0},
		"under way": {func(l *lone) {
			l.Receive(l.others[1], &archive.Give{Name: name, Bytes: content})
			l.env.RunWork()
		}, content, archive.Busy, 0},
	} {
		l := newLone(t, 4, archive.Default())
		c.before(l)
		l.sent()
		written := len(l.stored)
		l.Receive(l.others[0], &archive.Give{Name: name, Bytes: bytes.Clone(c.give)})
		if what == "under way" {
			l.env.RunWork()
		} else {
			l.settle(true)
		}
		answers := of[*archive.Taken](l.sent())
		if len(answers) != 1 || answers[0].Name != name || answers[0].Refusal != c.want ||
			len(l.stored)-written != c.writes {
			t.Errorf("%s: the answers are %+v, not %v, and it is written %d times", what, answers, c.want,
				len(l.stored)-written)
		}
	}
}

// busy has a node have no room for more work.
func busy(l *lone) {
	for l.env.Work(func() {}, func() {}) {
	}
}

// A node that does not know the owners of its surplus asks for those of the first item. It offers them in one message
// all that may be theirs.
func TestSurplusOfUnknownOwners(t *testing.T) {
	var listed []archive.Held
	for i := range uint64(6) {
		listed = append(listed, heldOf(nameOf(0, i+1), archivetest.Item(nameOf(0, i+1), 100)))
	}
	slices.SortFunc(listed, func(a, b archive.Held) int { return a.Name.Key().Compare(b.Name.Key()) })
	c := archive.Default()
	c.Replicas = 2
	l := newLone(t, 8, c, listed...)
	l.unsure = true
	asked := map[archive.Name]bool{}
	offers := map[engine.Peer]int{}
	for range 120 {
		l.env.Advance(time.Second)
		finds := l.routed
		l.routed = nil
		for _, s := range l.sent() {
			switch m := s.Message.(type) {
			case *archive.Find:
				finds = append(finds, m)
			case *archive.Offer:
				if offers[s.To] = max(offers[s.To], len(m.Items)); len(m.Items) < len(listed) {
					t.Fatalf("%d of %d are offered", len(m.Items), len(listed))
				}
			}
		}
		for _, m := range finds {
			m := m.(*archive.Find)
			asked[m.Name] = true
			l.Receive(l.others[0], &archive.Where{Name: m.Name, Closest: l.others[:2]})
		}
		if len(offers) > 0 {
			break
		}
	}
	if len(asked) != 1 || len(offers) != 2 {
		t.Errorf("the owners of %d items are asked for, and offers go to %v", len(asked), offers)
	}
}

// Each creditor of an item is paid once, however often it offered the item meanwhile.
func TestWhatIsOwedIsPaidOnce(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	name := nameOf(0, 1)
	content := archivetest.Item(name, 100)
	offer := &archive.Offer{Number: 7, Items: []archive.Held{heldOf(name, content)}}
	for range 3 {
		l.from(0, offer)
		l.from(1, offer)
	}
	sent := l.from(0, &archive.Item{Name: name, Bytes: content})
	told := map[engine.Peer]int{}
	for _, s := range sent {
		if m, ok := s.Message.(*archive.Offered); ok && m.Number == 7 && m.Has == 1 {
			told[s.To]++
		}
	}
	if len(told) != 2 || told[l.others[0]] != 1 || told[l.others[1]] != 1 {
		t.Errorf("these are told: %v", told)
	}
}

// An answer that is busy, or has nothing, ends the question that it answers, and no other lookup's.
func TestAnswersAreOfTheirLookup(t *testing.T) {
	for _, busy := range []bool{false, true} {
		l := newLone(t, 8, archive.Default())
		asked := map[archive.Name]enginetest.Sent{}
		find := func(name archive.Name) {
			l.Find(name, func([]byte, error) {})
			l.env.Advance(0)
			for _, s := range l.sent() {
				if m, ok := s.Message.(*archive.Fetch); ok {
					asked[m.Names[0]] = s
				}
			}
		}
		one, two := nameOf(0, 1), nameOf(0, 2)
		find(one)
		find(two)
		if len(asked) != 2 {
			t.Fatalf("%d are asked for", len(asked))
		}
		s := asked[one]
		answer := &archive.Fetched{Number: s.Message.(*archive.Fetch).Number, Busy: busy}
		if !busy {
			answer.None = []archive.Name{one}
		}
		for round := range 2 {
			l.Receive(s.To, answer)
			var next []archive.Name
			for _, s := range l.sent() {
				if m, ok := s.Message.(*archive.Fetch); ok {
					next = append(next, m.Names...)
				}
			}
			if want := []archive.Name{one}[round:]; !slices.Equal(next, want) {
				t.Errorf("busy %v, answer %d: then these are asked for: %v, want %v", busy, round, next, want)
			}
		}
	}
}

// Surplus items next to each other go in one offer as far as they have the same owners, named in any order, and no
// further.
func TestSurplusByItsOwners(t *testing.T) {
	var listed []archive.Held
	for i := range uint64(9) {
		listed = append(listed, heldOf(nameOf(0, i+1), archivetest.Item(nameOf(0, i+1), 100)))
	}
	slices.SortFunc(listed, func(a, b archive.Held) int { return a.Name.Key().Compare(b.Name.Key()) })
	c := archive.Default()
	c.Replicas = 2
	l := newLone(t, 8, c, listed...)
	l.owners = func(key engine.ID) []engine.Peer {
		o := l.others
		switch i := slices.IndexFunc(listed, func(h archive.Held) bool { return h.Name.Key() == key }); {
		case i >= 0 && i < 3:
			return []engine.Peer{o[i%2], o[1-i%2], o[2]} // the same two
		case i >= 0 && i < 5:
			return []engine.Peer{o[0], o[2]} // one of them and another
		default:
			return []engine.Peer{o[3], o[4]}
		}
	}
	offered := map[archive.Name][]engine.Peer{}
	for range 200 {
		l.env.Advance(time.Second)
		for _, s := range l.sent() {
			m, ok := s.Message.(*archive.Offer)
			if !ok {
				continue
			}
			for _, item := range m.Items {
				if !slices.Contains(offered[item.Name], s.To) {
					offered[item.Name] = append(offered[item.Name], s.To)
				}
			}
			l.Receive(s.To, &archive.Offered{Number: m.Number, Has: 1<<64 - 1})
		}
	}
	for i, h := range listed {
		if got := offered[h.Name]; len(got) != 2 || !slices.Contains(l.owners(h.Name.Key())[:2], got[0]) ||
			!slices.Contains(l.owners(h.Name.Key())[:2], got[1]) {
			t.Errorf("item %d is offered to %v", i, got)
		}
	}
	if len(l.gone) != len(listed) {
		t.Errorf("%d are handed over", len(l.gone))
	}
}

// However many items are handed over, no offer exceeds a message, and all items are offered.
func TestOffersFitTheirMessage(t *testing.T) {
	const items = 150
	var listed []archive.Held
	for i := range uint64(items) {
		listed = append(listed, heldOf(nameOf(0, i+1), archivetest.Item(nameOf(0, i+1), 100)))
	}
	slices.SortFunc(listed, func(a, b archive.Held) int { return a.Name.Key().Compare(b.Name.Key()) })
	c := archive.Default()
	c.Replicas = 2
	l := newLone(t, 8, c, listed...)
	var lengths []int
	for range 120 {
		l.env.Advance(time.Second)
		for _, s := range l.sent() { // each of which the codec accepts
			if m, ok := s.Message.(*archive.Offer); ok {
				if s.To == l.others[0] {
					lengths = append(lengths, len(m.Items))
				}
				l.Receive(s.To, &archive.Offered{Number: m.Number, Has: 1<<64 - 1})
			}
		}
	}
	if !slices.Equal(lengths, []int{64, 64, 22}) || len(l.gone) != items {
		t.Errorf("offers of %v, and %d are handed over", lengths, len(l.gone))
	}
}
