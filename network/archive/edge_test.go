package archive_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// lone is one node of the archive. Its ring, store and other nodes are the test.
type lone struct {
	*archive.Node
	env    *enginetest.Env
	t      testing.TB
	others []engine.Peer
	local  map[archive.Name][]byte
	listed []archive.Held // what is in the store at the start
	puts   []func(ok bool)
	stored []archive.Name
	gone   []archive.Name
	routed []engine.Message
	unsure bool                              // it does not know the owners of a key for sure
	alone  bool                              // it is no part of the ring
	owners func(key engine.ID) []engine.Peer // nil: all keys have the same
}

// around is what a lone node has around it.
type around struct{ l *lone }

func (a around) Active() bool { return !a.l.alone }
func (a around) Nodes() int   { return len(a.l.others) + 1 }
func (a around) Route(_ engine.ID, m engine.Message) {
	a.l.routed = append(a.l.routed, m)
}
func (a around) Known() []engine.Peer           { return a.l.others }
func (a around) OnNeighbours(func())            {}
func (a around) Local(name archive.Name) []byte { return a.l.local[name] }
func (a around) Drop(names []archive.Name)      { a.l.gone = append(a.l.gone, names...) }
func (a around) Get(archive.Name, func([]byte)) {}
func (a around) LeafSet() (below, above []engine.Peer) {
	half := len(a.l.others) / 2
	below, above = a.l.others[:half], a.l.others[half:]
	if len(a.l.others) <= 4 { // all on both sides
		all := slices.Concat(below, above)
		slices.SortFunc(all, func(p, q engine.Peer) int { return p.ID.Compare(q.ID) })
		above = append(slices.Clone(all[half:]), all[:half]...)
		below = slices.Clone(above)
		slices.Reverse(below)
	}
	return below, above
}

func (a around) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	if a.l.owners != nil {
		return a.l.owners(key)[:k], !a.l.unsure
	}
	if len(a.l.others) > 4 { // it owns next to nothing
		return a.l.others[:k], !a.l.unsure
	}
	return append([]engine.Peer{a.l.env.Self()}, a.l.others...), !a.l.unsure
}

func (a around) Put(item archive.Held, _ []byte, kept func(ok bool)) {
	a.l.stored = append(a.l.stored, item.Name)
	a.l.puts = append(a.l.puts, kept)
}

func (a around) List(after *engine.ID, most int, listed func([]archive.Held)) {
	items := slices.Clone(a.l.listed)
	slices.SortFunc(items, func(x, y archive.Held) int { return x.Name.Key().Compare(y.Name.Key()) })
	if after != nil {
		items = slices.DeleteFunc(items, func(h archive.Held) bool { return h.Name.Key().Compare(*after) <= 0 })
	}
	a.l.env.After(0, func() { listed(items[:min(most, len(items))]) })
}

// newLone returns a node with the given number of others, and with the listed items in its store. One with four others
// owns everything.
func newLone(t testing.TB, others int, c archive.Config, listed ...archive.Held) *lone {
	l := &lone{env: enginetest.NewEnv(enginetest.NewPeer("80")), t: t, local: make(map[archive.Name][]byte),
		listed: listed}
	for i := range others / 2 { // the nearest first, on either side
		l.others = append(l.others, enginetest.NewPeer(fmt.Sprintf("%02x", 0x7f-i)))
	}
	for i := range others - others/2 {
		l.others = append(l.others, enginetest.NewPeer(fmt.Sprintf("%02x", 0x81+i)))
	}
	l.Node = archive.New(l.env, around{l}, archivetest.Judge{}, around{l}, c)
	l.Use(around{l})
	l.env.Advance(time.Second)
	l.sent()
	return l
}

// sent returns what was sent, each of which the codec accepts.
func (l *lone) sent() []enginetest.Sent {
	l.t.Helper()
	all := l.env.Sent()
	for _, s := range all {
		if _, err := archivetest.Codec.Append(nil, s.Message); err != nil {
			l.t.Errorf("%T cannot be sent: %v", s.Message, err)
		}
	}
	return all
}

// settle has all that is worked out and written come to an end, well or not.
func (l *lone) settle(ok bool) {
	for l.env.RunWork()+len(l.puts) > 0 {
		puts := l.puts
		l.puts = nil
		for _, kept := range puts {
			kept(ok)
		}
	}
}

// from has another node send something, and returns what was sent for it.
func (l *lone) from(i int, m engine.Message) []enginetest.Sent {
	l.Receive(l.others[i], m)
	l.settle(true)
	return l.sent()
}

// of returns the messages of a type.
func of[M engine.Message](sent []enginetest.Sent) (list []M) {
	for _, s := range sent {
		if m, ok := s.Message.(M); ok {
			list = append(list, m)
		}
	}
	return list
}

func heldOf(name archive.Name, bytes []byte) archive.Held {
	return archive.Held{Name: name, Size: uint32(len(bytes)), Print: archive.PrintOf(bytes)}
}

// An item is kept, or found, only by its seal: each of its bytes counts, and its name, on any way.
func TestEachFieldOfAnItemCounts(t *testing.T) {
	name, other := nameOf(0, 1), nameOf(1, 2)
	give := func(name archive.Name) *archive.Give {
		return &archive.Give{Name: name, Bytes: archivetest.Item(name, 100)}
	}
	enginetest.CheckProof(t, give(name), give(other), nil, func(m *archive.Give) bool {
		l := newLone(t, 4, archive.Default())
		l.from(0, m)
		return len(l.stored) > 0
	})
	item := func(name archive.Name) *archive.Item {
		return &archive.Item{Name: name, Bytes: archivetest.Item(name, 100)}
	}
	enginetest.CheckProof(t, item(name), item(other), nil, func(m *archive.Item) bool {
		l := newLone(t, 4, archive.Default())
		offer := &archive.Offer{Number: 5, Items: []archive.Held{heldOf(name, item(name).Bytes)}}
		if asked := of[*archive.Fetch](l.from(0, offer)); len(asked) != 1 {
			t.Fatalf("it is asked for %d times", len(asked))
		}
		l.from(0, m)
		return len(l.stored) > 0
	})
	enginetest.CheckProof(t, item(name), item(other), nil, func(m *archive.Item) bool {
		l := newLone(t, 8, archive.Default())
		found := false
		l.Find(name, func(bytes []byte, err error) { found = found || err == nil })
		l.env.Advance(0)
		for _, s := range l.sent() {
			if _, ok := s.Message.(*archive.Fetch); ok {
				l.Receive(s.To, m)
			}
		}
		l.settle(true)
		return found
	})
}

// A node that starts knows all items in its store, however many there are.
func TestANodeKnowsItsStore(t *testing.T) {
	var listed []archive.Held
	for i := range 2500 {
		name := nameOf(i%3, uint64(i))
		listed = append(listed, archive.Held{Name: name, Size: 10, Print: archive.PrintOf(archivetest.Item(name, 10))})
	}
	l := newLone(t, 4, archive.Default(), listed...)
	for i, h := range listed {
		if !l.Has(h.Name) {
			t.Fatalf("item %d of %d is unknown", i, len(listed))
		}
	}
	if l.Has(nameOf(0, 9999)) {
		t.Error("it has what is not in its store")
	}
}

// When a node that was asked for an item is down, another is asked at once, and each lookup goes on for itself.
func TestALookupGoesOnPastANodeThatIsDown(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	names := []archive.Name{nameOf(0, 1), nameOf(0, 2)}
	found := make(map[archive.Name]int)
	for _, name := range names {
		l.Find(name, func(bytes []byte, err error) {
			if err == nil {
				found[name]++
			}
		})
	}
	l.env.Advance(0)
	asked := make(map[archive.Name]engine.Peer)
	note := func() (news int) {
		for _, s := range l.sent() {
			if m, ok := s.Message.(*archive.Fetch); ok {
				asked[m.Names[0]] = s.To
				news++
			}
		}
		return news
	}
	if note() != 2 {
		t.Fatalf("%v are asked at first", asked)
	}
	for round := range 2 {
		down := asked[names[0]]
		want := 0
		for _, p := range asked {
			want += map[bool]int{true: 1}[p == down]
		}
		l.PeerDown(down)
		if got := note(); got != want || asked[names[0]] == down {
			t.Fatalf("round %d: %d others are asked in the place of one that is down, want %d", round, got, want)
		}
	}
	for _, name := range names {
		i := slices.Index(l.others, asked[name])
		l.from(i, &archive.Item{Name: name, Bytes: archivetest.Item(name, 100)})
	}
	if found[names[0]] != 1 || found[names[1]] != 1 {
		t.Errorf("found are %v", found)
	}
}

// A node that receives an item of others names the owners, so that they receive it. One that it accepts, or that is
// false, it only answers.
func TestOwnersOfAGivenItem(t *testing.T) {
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	for what, c := range map[string]struct {
		others int
		bytes  []byte
		why    archive.Refusal
		named  bool
	}{
		"its own":        {4, bytes, 0, false},
		"its own, false": {4, bytes[1:], 0, false},
		"that of others": {8, bytes, archive.Unowned, true},
	} {
		l := newLone(t, c.others, archive.Default())
		answers := of[*archive.Taken](l.from(0, &archive.Give{Name: name, Bytes: c.bytes}))
		if len(answers) != 1 || answers[0].Name != name || (len(answers[0].Owners) > 0) != c.named ||
			c.named && (answers[0].Refusal != c.why ||
				!slices.Equal(answers[0].Owners, l.others[:len(answers[0].Owners)])) {
			t.Errorf("%s: it answers %+v", what, answers)
		}
	}
}

// An answer to an earlier question, or to none, ends no lookup. It does not count as a node without the item.
func TestStaleAnswersEndNoLookup(t *testing.T) {
	name := nameOf(0, 1)
	for what, stale := range map[string]func(asked *archive.Fetch) engine.Message{
		"none, to another question": func(m *archive.Fetch) engine.Message {
			return &archive.Fetched{Number: m.Number - 1, None: []archive.Name{name}}
		},
		"busy, to another question": func(m *archive.Fetch) engine.Message {
			return &archive.Fetched{Number: m.Number - 1, Busy: true}
		},
		"none of another item": func(m *archive.Fetch) engine.Message {
			return &archive.Fetched{Number: m.Number, None: []archive.Name{nameOf(0, 2)}}
		},
		"another item": func(*archive.Fetch) engine.Message {
			return &archive.Item{Name: nameOf(0, 2), Bytes: archivetest.Item(nameOf(0, 2), 50)}
		},
	} {
		l := newLone(t, 8, archive.Default())
		var found []byte
		l.Find(name, func(bytes []byte, _ error) { found = bytes })
		l.env.Advance(0)
		sent := l.sent()
		asked := of[*archive.Fetch](sent)
		if len(asked) != 1 {
			t.Fatalf("%d are asked", len(asked))
		}
		at := slices.Index(l.others, sent[0].To)
		for range 3 {
			if sent := l.from(at, stale(asked[0])); len(sent) > 0 {
				t.Errorf("%s: it goes on with %T", what, sent[0].Message)
			}
		}
		if l.from(at, &archive.Item{Name: name, Bytes: archivetest.Item(name, 100)}); found == nil {
			t.Errorf("%s: the answer is not taken after it", what)
		}
	}
}

// Bytes under way are counted down, whatever the outcome. After many times the bound as many can come, by each way and
// with each end.
func TestBytesUnderWayAreCountedDown(t *testing.T) {
	const rounds = 80 // of 640 KiB each, of which 51 are under way at most
	c := archive.Default()
	for what, round := range map[string]func(l *lone, name archive.Name, bytes []byte){
		"given": func(l *lone, name archive.Name, bytes []byte) {
			l.from(0, &archive.Give{Name: name, Bytes: bytes})
		},
		"given and false": func(l *lone, name archive.Name, bytes []byte) {
			l.from(0, &archive.Give{Name: name, Bytes: bytes[1:]})
		},
		"given and not written": func(l *lone, name archive.Name, bytes []byte) {
			l.Receive(l.others[0], &archive.Give{Name: name, Bytes: bytes})
			l.settle(false)
		},
		"laid here": func(l *lone, name archive.Name, bytes []byte) {
			l.local[name] = bytes
			l.from(0, &archive.Offer{Items: []archive.Held{heldOf(name, bytes)}})
			delete(l.local, name)
		},
		"laid here and not written": func(l *lone, name archive.Name, bytes []byte) {
			l.local[name] = bytes
			l.Receive(l.others[0], &archive.Offer{Items: []archive.Held{heldOf(name, bytes)}})
			l.settle(false)
			delete(l.local, name)
		},
	} {
		l := newLone(t, 4, c)
		for i := range rounds {
			name := nameOf(0, uint64(i+1))
			round(l, name, archivetest.Item(name, c.MaxItem))
			if fetched := of[*archive.Fetch](l.sent()); len(fetched) > 0 {
				t.Fatalf("%s: item %d is fetched", what, i+1)
			}
		}
		for _, e := range l.env.Traced() {
			if hit, ok := e.(archive.LimitHit); ok {
				t.Fatalf("%s: %+v", what, hit)
			}
		}
		name := nameOf(1, 1)
		if l.from(0, &archive.Give{Name: name, Bytes: archivetest.Item(name, c.MaxItem)}); !l.Has(name) {
			t.Errorf("%s: after %d times the next item is not taken", what, rounds)
		}
	}
}

// After any number of ended insertions there is room for as many as before and no more. Each owner that is silent is
// given the item in the end.
func TestInsertionsAreCountedDown(t *testing.T) {
	c := archive.Default()
	c.MaxInserts = 2
	l := newLone(t, 4, c)
	insert := func(number uint64) (why archive.Refusal, ended bool) {
		name := nameOf(0, number)
		l.Insert(name, archivetest.Item(name, 100), func(_ int, w archive.Refusal) { why, ended = w, true })
		l.settle(true)
		l.env.Advance(0)
		return why, ended
	}
	for number := range uint64(8) {
		if why, ended := insert(number + 1); ended {
			t.Fatalf("insertion %d has ended: %v", number+1, why)
		}
		for i := range 3 { // of five
			l.from(i, &archive.Taken{Name: nameOf(0, number+1)})
		}
		l.env.Advance(4 * time.Second)
		given := make(map[engine.Peer]bool)
		for _, s := range l.sent() {
			if _, ok := s.Message.(*archive.Give); ok {
				given[s.To] = true
			}
		}
		if !given[l.others[3]] || len(given) != 1 {
			t.Fatalf("insertion %d: given to %v", number+1, given)
		}
		l.env.Advance(time.Minute)
		if n := l.Load().Inserts; n > 0 {
			t.Fatalf("%d insertions go on", n)
		}
	}
	insert(100)
	insert(101)
	if why, ended := insert(102); !ended || why != archive.Busy {
		t.Errorf("a third insertion at a time ends with %v, %v", why, ended)
	}
}

// Owners say in parts which of the items they have, in any order and more than once. What all have is forgotten,
// once, and what one lacks stays.
func TestPartsOfAnAnswerAddUp(t *testing.T) {
	const items = 3
	c := archive.Default()
	c.Replicas = 2
	var listed []archive.Held
	for i := range uint64(items) {
		listed = append(listed, heldOf(nameOf(0, i+1), archivetest.Item(nameOf(0, i+1), 100)))
	}
	slices.SortFunc(listed, func(a, b archive.Held) int { return a.Name.Key().Compare(b.Name.Key()) })
	for _, complete := range []bool{true, false} {
		l := newLone(t, 8, c, listed...)
		var offers []enginetest.Sent
		for range 60 {
			l.env.Advance(time.Second)
			for _, s := range l.sent() {
				if _, ok := s.Message.(*archive.Offer); ok {
					offers = append(offers, s)
				}
			}
			if len(offers) > 0 {
				break
			}
		}
		if len(offers) != 2 || len(offers[0].Message.(*archive.Offer).Items) != items {
			t.Fatalf("the offers are %v", offers)
		}
		number := offers[0].Message.(*archive.Offer).Number
		parts := []uint64{0b100, 0b010, 0b100, 0b001, 0b010}
		for _, has := range parts {
			l.Receive(offers[0].To, &archive.Offered{Number: number, Has: has})
			l.Receive(offers[0].To, &archive.Offered{Number: number + 1, Has: 1<<64 - 1})
			l.Receive(engine.Peer{ID: engine.IDOf([]byte("a stranger"))},
				&archive.Offered{Number: number, Has: 1<<64 - 1})
			if has != 0b001 || complete {
				l.Receive(offers[1].To, &archive.Offered{Number: number, Has: has})
			}
		}
		again := len(of[*archive.Offer](l.sent()))
		if complete && (len(l.gone) != items || again > 0) || !complete && len(l.gone) > 0 {
			t.Errorf("complete: %v; %d are forgotten, and offered %d times more", complete, len(l.gone), again)
		}
		l.env.Advance(time.Minute)
		if want := map[bool]int{true: items, false: items - 1}[complete]; len(l.gone) != want {
			t.Errorf("complete: %v; in the end %d are forgotten", complete, len(l.gone))
		}
	}
}

// Co-owners that answer, and silent ones, are compared as rarely as configured. No unrequested message delays that.
func TestComparisonsKeepTheirPace(t *testing.T) {
	c := archive.Default()
	name := nameOf(0, 1)
	for what, answer := range map[string]struct {
		each  bool          // Compare is answered
		every time.Duration // an Equal comes unasked; 0: none does
		first time.Duration // the pause after the first one, at least
	}{
		"answered":             {true, 0, c.Compare * 7 / 8},
		"silent":               {false, 0, c.Again * 7 / 8},
		"answered and unasked": {true, time.Minute, c.Compare * 7 / 8},
	} {
		l := newLone(t, 4, c, heldOf(name, archivetest.Item(name, 100)))
		at := make(map[engine.Peer][]time.Duration)
		for l.env.Now() < 2*time.Hour {
			l.env.Advance(time.Second)
			for _, s := range l.sent() {
				if _, ok := s.Message.(*archive.Compare); ok {
					at[s.To] = append(at[s.To], l.env.Now())
					if answer.each {
						l.Receive(s.To, &archive.Equal{})
					}
				}
			}
			if answer.every > 0 && l.env.Now()%answer.every < time.Second {
				for _, p := range l.others {
					l.Receive(p, &archive.Equal{})
				}
			}
		}
		if len(at) != 4 {
			t.Errorf("%s: %d co-owners are compared", what, len(at))
		}
		for _, times := range at {
			for i := 1; i < len(times); i++ {
				least := min(answer.first<<(i-1), c.Compare*7/8)
				if pause := times[i] - times[i-1]; pause < least-2*time.Second || pause > c.Compare*9/8+2*time.Second {
					t.Errorf("%s: pause %d is %v, not at least %v", what, i, pause, least)
				}
			}
			if len(times) < 10 {
				t.Errorf("%s: compared %d times", what, len(times))
			}
		}
	}
}

// A write that fails leaves nothing: the item is not here and not acknowledged, and its acknowledgements are not sent
// later. Offered again it is fetched again, and acknowledged to the nodes alone that are owed for that.
func TestAWriteThatFailsLeavesNothing(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	offer := func(from int, number uint64) *archive.Offer {
		return &archive.Offer{Number: number, Items: []archive.Held{heldOf(name, bytes)}, Inserter: l.others[from+1]}
	}
	fetched := func(sent []enginetest.Sent) *archive.Fetch {
		t.Helper()
		asked := of[*archive.Fetch](sent)
		if len(asked) != 1 {
			t.Fatalf("it is fetched %d times", len(asked))
		}
		return asked[0]
	}
	for round := range 3 {
		asked := fetched(l.from(0, offer(0, uint64(10*round))))
		l.from(1, offer(1, uint64(10*round+1)))
		l.Receive(l.others[0], &archive.Item{Name: name, Bytes: bytes})
		l.env.RunWork()
		if early := l.sent(); len(early) > 0 || l.Has(name) {
			t.Errorf("round %d: before it is written %v is sent", round, early)
		}
		l.Receive(l.others[2], &archive.Fetch{Number: 1, Names: []archive.Name{name}})
		if end := of[*archive.Fetched](l.sent()); len(end) != 1 || !end[0].Busy || len(end[0].None) > 0 {
			t.Errorf("round %d: while it is written who asks for it is told %+v", round, end)
		}
		l.settle(false)
		l.Receive(l.others[0], &archive.Fetched{Number: asked.Number})
		if sent := l.sent(); len(sent) > 0 || l.Has(name) || l.Load().Items+l.Load().Wanted > 0 || l.Load().Bytes > 0 {
			t.Errorf("round %d: after it was not written %v is sent, and the load is %+v", round, sent, l.Load())
		}
	}
	asked := fetched(l.from(2, offer(2, 99)))
	sent := l.from(2, &archive.Item{Name: name, Bytes: bytes})
	l.from(2, &archive.Fetched{Number: asked.Number})
	told, taken := of[*archive.Offered](sent), of[*archive.Taken](sent)
	if len(told) != 1 || told[0].Number != 99 || told[0].Has != 1 || len(taken) != 1 || len(sent) != 2 || !l.Has(name) {
		t.Errorf("when it is written %v is sent", sent)
	}
}

// An item is offered while it is being written, as it was given by another node. If the write fails, nothing is owed
// for the offer any more: once the item is here by another way, the node that offered it first gets no acknowledgement.
func TestAWriteThatFailsLeavesNoDebt(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	offer := func(number uint64) *archive.Offer {
		return &archive.Offer{Number: number, Items: []archive.Held{heldOf(name, bytes)}}
	}
	acknowledged := make(map[engine.Peer][]uint64)
	note := func(sent []enginetest.Sent) {
		for _, s := range sent {
			if m, ok := s.Message.(*archive.Offered); ok {
				acknowledged[s.To] = append(acknowledged[s.To], m.Number)
			}
		}
	}
	l.Receive(l.others[1], &archive.Give{Name: name, Bytes: bytes})
	l.env.RunWork()
	if len(l.puts) != 1 {
		t.Fatalf("%d items are being written; want the given one", len(l.puts))
	}
	l.Receive(l.others[0], offer(1))
	l.settle(false)
	note(l.sent())
	if len(acknowledged) > 0 || l.Has(name) {
		t.Errorf("after a failed write %v are acknowledged, and the item is here: %v", acknowledged, l.Has(name))
	}
	note(l.from(2, offer(99)))
	note(l.from(2, &archive.Item{Name: name, Bytes: bytes}))
	if got := acknowledged[l.others[2]]; len(acknowledged) != 1 || !slices.Equal(got, []uint64{99}) || !l.Has(name) {
		t.Errorf("offers are acknowledged as %v; want 99 alone, to %v", acknowledged, l.others[2])
	}
}

// A peer that offers an item and then has no time is asked again after a while, as often as it says so. The item that
// comes at last is kept, and acknowledged once.
func TestABusyPeerIsAskedAgainForWhatItOffers(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	sent := l.from(0, &archive.Offer{Number: 7, Items: []archive.Held{heldOf(name, bytes)}})
	for round := range 3 {
		asked := of[*archive.Fetch](sent)
		if len(asked) != 1 || !slices.Equal(asked[0].Names, []archive.Name{name}) {
			t.Fatalf("round %d: the item is fetched by %v; want one request for it", round, asked)
		}
		if sent := l.from(0, &archive.Fetched{Number: asked[0].Number, Busy: true}); len(sent) > 0 {
			t.Errorf("round %d: a peer that has no time is sent %v at once; want nothing", round, sent)
		}
		l.env.Advance(5 * time.Second)
		sent = l.sent()
	}
	told := of[*archive.Offered](l.from(0, &archive.Item{Name: name, Bytes: bytes}))
	if len(told) != 1 || told[0].Number != 7 || told[0].Has != 1 || !l.Has(name) {
		t.Errorf("after the item came, the offer is acknowledged by %v, and the item is here: %v; want once, and true",
			told,
			l.Has(name))
	}
}

// If there is room for four items, by any bound, the four with the keys nearest to the node are kept, in any order of
// arrival. Each new one drops exactly one.
func TestTheNearestAreKept(t *testing.T) {
	const room, size, items = 4, 100, 40
	for what, bound := range map[string]func(*archive.Config){
		"items":          func(c *archive.Config) { c.MaxItems = room },
		"bytes":          func(c *archive.Config) { c.MaxBytes, c.MaxTopicBytes = room*size+size/2, 2*size },
		"bytes, exactly": func(c *archive.Config) { c.MaxBytes, c.MaxTopicBytes = room*size, 2*size },
		"topic":          func(c *archive.Config) { c.MaxTopicBytes = room*size + size/2 },
		"topic, exactly": func(c *archive.Config) { c.MaxTopicBytes = room * size },
	} {
		c := archive.Default()
		c.MaxItem = size
		bound(&c)
		l := newLone(t, 4, c)
		self := l.env.Self().ID
		var want []archive.Name
		for i := range items {
			name := nameOf(0, uint64(i*7919%1000+1))
			if c.MaxTopicBytes < room*size {
				name.Topic = archivetest.Topic(i) // each of its own
			}
			l.gone = nil
			l.from(0, &archive.Give{Name: name, Bytes: archivetest.Item(name, size)})
			want = append(want, name)
			slices.SortFunc(want, func(a, b archive.Name) int {
				return self.Distance(a.Key()).Compare(self.Distance(b.Key()))
			})
			var gone []archive.Name
			if len(want) > room {
				if want[room] != name {
					gone = want[room:]
				}
				want = want[:room]
			}
			if !slices.Equal(l.gone, gone) {
				t.Fatalf("%s: item %d drops %v, not %v", what, i, l.gone, gone)
			}
			for _, n := range want {
				if !l.Has(n) {
					t.Fatalf("%s: after item %d one of the nearest is not kept", what, i)
				}
			}
			if n := l.Load().Items; n != len(want) {
				t.Fatalf("%s: after item %d it keeps %d", what, i, n)
			}
		}
	}
}

// An item is offered at most four times to each other owner that does not confirm it. An owner that confirms it gets no
// more offers. It is the same for the next item.
func TestOffersComeToAnEnd(t *testing.T) {
	const times = 4
	l := newLone(t, 4, archive.Default())
	for number := range uint64(3) {
		name := nameOf(0, number+1)
		offered := make(map[engine.Peer]int)
		count := func(sent []enginetest.Sent) (last *archive.Offer) {
			for _, s := range sent {
				if m, ok := s.Message.(*archive.Offer); ok && m.Items[0].Name == name {
					offered[s.To]++
					last = m
				}
			}
			return last
		}
		first := count(l.from(0, &archive.Give{Name: name, Bytes: archivetest.Item(name, 100)}))
		if first == nil {
			t.Fatalf("item %d is not offered", number+1)
		}
		l.from(1, &archive.Offered{Number: first.Number, Has: 1})
		l.from(2, &archive.Offered{Number: first.Number + 1, Has: 1}) // of another offer
		for range 12 {                                                // less than a comparison apart
			l.env.Advance(2 * time.Second)
			count(l.sent())
		}
		for i, want := range []int{times, 1, times, times} {
			if got := offered[l.others[i]]; got != want {
				t.Errorf("item %d is offered %d times to owner %d, not %d", number+1, got, i, want)
			}
		}
	}
}

// An item may come while there is no room to examine it. Then its lookup asks another node, and finds that one's item.
// So it is as often as there is no room.
func TestALookupGoesOnWithoutRoomToExamine(t *testing.T) {
	name := nameOf(0, 1)
	for times := range 4 {
		l := newLone(t, 8, archive.Default())
		ended, found := 0, []byte(nil)
		l.Find(name, func(bytes []byte, _ error) { ended++; found = bytes })
		answer := func() {
			t.Helper()
			for range 30 { // until a node is asked
				l.env.Advance(time.Second)
				for _, s := range l.sent() {
					if _, ok := s.Message.(*archive.Fetch); ok {
						l.Receive(s.To, &archive.Item{Name: name, Bytes: archivetest.Item(name, 100)})
						return
					}
				}
			}
			t.Fatalf("after %d times without room nobody is asked", times)
		}
		for range times {
			for l.env.Work(func() {}, func() {}) {
			}
			answer()
			l.settle(true)
			if ended > 0 {
				t.Fatalf("it ends without room, with %d bytes", len(found))
			}
		}
		answer()
		l.settle(true)
		if ended != 1 || len(found) == 0 {
			t.Errorf("after %d times without room it ends %d times, with %d bytes", times, ended, len(found))
		}
	}
}

// A node that has sent a forged item is not asked for ten minutes. If it lacks another item meanwhile, the penalty of a
// minute for that does not shorten the first.
func TestAShortPenaltyEndsNoLongOne(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	held := func(number uint64) archive.Held {
		name := nameOf(0, number)
		return heldOf(name, archivetest.Item(name, 100))
	}
	fetched := func(sent []enginetest.Sent) uint64 {
		t.Helper()
		asked := of[*archive.Fetch](sent)
		if len(asked) != 1 || len(asked[0].Names) != 1 {
			t.Fatalf("it is asked for %+v", asked)
		}
		return asked[0].Number
	}
	first := fetched(l.from(0, &archive.Offer{Number: 1, Items: []archive.Held{held(1), held(2)}}))
	l.from(0, &archive.Item{Name: nameOf(0, 1), Bytes: archivetest.Item(nameOf(0, 1), 100)[1:]})
	second := fetched(l.from(0, &archive.Fetched{Number: first}))
	l.from(0, &archive.Fetched{Number: second, None: []archive.Name{nameOf(0, 2)}})
	for _, c := range []struct {
		after time.Duration
		asked int
	}{{2 * time.Minute, 0}, {7 * time.Minute, 0}, {2 * time.Minute, 1}} {
		l.env.Advance(c.after)
		l.sent()
		offer := &archive.Offer{Number: 2, Items: []archive.Held{held(3)}}
		if asked := of[*archive.Fetch](l.from(0, offer)); len(asked) != c.asked {
			t.Errorf("%v later it is asked %d times", c.after, len(asked))
		}
	}
}

// The end of an answer ends that one alone. If it comes so late that its peer has been asked for another item, that one
// is waited for, and kept.
func TestALateEndEndsNoLaterAnswer(t *testing.T) {
	names := []archive.Name{nameOf(0, 1), nameOf(0, 2)}
	for what, late := range map[string]archive.Fetched{
		"it was all":     {},
		"it lacks both":  {None: names},
		"it has no time": {Busy: true},
	} {
		c := archive.Default()
		l := newLone(t, 4, c)
		offer := &archive.Offer{Number: 1}
		for _, name := range names {
			offer.Items = append(offer.Items, heldOf(name, archivetest.Item(name, 100)))
		}
		first := of[*archive.Fetch](l.from(0, offer))
		l.env.Advance(c.Patience)
		second := of[*archive.Fetch](l.sent())
		if len(first) != 1 || len(second) != 1 || !slices.Equal(second[0].Names, names[1:]) {
			t.Fatalf("%s: it is asked by %+v, and by %+v when it does not answer", what, first, second)
		}
		late.Number = first[0].Number
		l.from(0, &late)
		l.from(0, &archive.Item{Name: names[1], Bytes: archivetest.Item(names[1], 100)})
		if !l.Has(names[1]) {
			t.Errorf("%s: what comes after the late end is not kept", what)
		}
	}
}

// Busy owners are asked again after a pause. An owner that lacks the item both times counts once: the lookup then ends
// with ErrSilent, not with ErrNotFound.
func TestANodeWithoutTheItemCountsOnce(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	name := nameOf(0, 1)
	var err error
	ended := false
	l.Find(name, func(_ []byte, e error) { ended, err = true, e })
	times := map[engine.ID]int{}
	for range 200 {
		l.env.Advance(time.Second)
		for _, s := range l.sent() {
			m, ok := s.Message.(*archive.Fetch)
			if !ok {
				continue
			}
			answer := &archive.Fetched{Number: m.Number}
			switch times[s.To.ID]++; {
			case s.To == l.others[0]:
				answer.None = m.Names
			case times[s.To.ID] == 1:
				answer.Busy = true
			default:
				continue // it is silent
			}
			l.Receive(s.To, answer)
		}
	}
	if !ended || !errors.Is(err, archive.ErrSilent) || times[l.others[0].ID] != 2 {
		t.Errorf("ended %v with %v; the node without the item was asked %d times", ended, err, times[l.others[0].ID])
	}
}

// Owners that are busy are given an item a second time. Owners that will never have it are not, and end the insertion
// if they are more than half.
func TestBusyOwnersAreGivenAnItemAgain(t *testing.T) {
	for first, want := range map[archive.Refusal]archive.Refusal{
		archive.Busy: archive.Accepted, archive.Broken: archive.Accepted, archive.Full: archive.Full,
		archive.TopicFull: archive.TopicFull,
	} {
		l := newLone(t, 8, archive.Default())
		name := nameOf(0, 1)
		ended, why := false, archive.Accepted
		l.Insert(name, archivetest.Item(name, 100), func(_ int, w archive.Refusal) { ended, why = true, w })
		given := make(map[engine.ID]int)
		for range 300 {
			l.settle(false) // the disk here has failed
			l.env.Advance(time.Second)
			for _, s := range l.sent() {
				if _, ok := s.Message.(*archive.Give); ok {
					answer := &archive.Taken{Name: name}
					if given[s.To.ID]++; given[s.To.ID] == 1 {
						answer.Refusal = first
					}
					l.Receive(s.To, answer)
				}
			}
		}
		again := 0
		for _, times := range given {
			if times > 1 {
				again++
			}
		}
		if !ended || why != want || (again > 0) != (want == archive.Accepted) {
			t.Errorf("owners that first say %q: ended %v with %q; %d of %d are given it again", first, ended, why,
				again, len(given))
		}
	}
}
