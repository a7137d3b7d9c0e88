package believe

import (
	"encoding/binary"
	"testing"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// So many witnesses are asked in rings of so many nodes, and so many polls does a version count for.
func TestWitnessesByNodes(t *testing.T) {
	for nodes, want := range map[int]int{1: 0, 7: 0, 8: 2, 15: 2, 16: 3, 23: 3, 24: 4, 31: 4, 32: 4, 1000: 4} {
		n := newNode("51", nodes, 4)
		if n.AskEarly(news, update.Update{Channel: news.ID}, 100); len(n.routed) != want {
			t.Errorf("%d nodes: %d witnesses, want %d", nodes, len(n.routed), want)
		}
		if n.env.Advance(time.Second); want > 0 && len(n.routed) != want+Spare {
			t.Errorf("%d nodes: none answers, and %d are asked", nodes, len(n.routed))
		}
	}
	n := newNode("51", 1000, 4)
	if n.AskEarly(news, update.Update{Channel: news.ID}, 4); len(n.routed) > 0 {
		t.Error("witnesses are asked where all subscribers poll")
	}
	for _, c := range []struct {
		by   string // the witnesses
		want int
	}{{"", 1}, {"ab", 3}, {"abcdef", 7}, {"abg", 3}} { // the primary is its own witness by the same poll
		u := &update.Update{Seal: update.Seal{Giver: engine.Peer{ID: engine.IDOf([]byte("g"))}}}
		for _, name := range []byte(c.by) {
			u.Seal.Seen = append(u.Seal.Seen, update.Attestation{By: engine.Peer{ID: engine.IDOf([]byte{name})}})
		}
		if got := newNode("51", 8, 4).Polls(u); got != c.want {
			t.Errorf("by the witnesses %q: %d polls, want %d", c.by, got, c.want)
		}
	}
}

// Witnesses that are asked for a content which becomes no version are not asked again within an interval.
func TestWitnessesAreAskedInVainOnceAnInterval(t *testing.T) {
	n := newNode("51", 32, 4)
	n.env.Advance(time.Minute)
	u := *version(n.env.Self(), 1, "text")
	asks := func() bool {
		_, asked, _ := n.Seen(news.ID, u.Version)
		return asked
	}
	if n.AskEarly(news, u, 100); !n.MayAskEarly(news.ID) || !asks() {
		t.Error("they are not asked")
	}
	n.Spoil(news.ID)
	if n.env.Advance(halfHour - 1); n.MayAskEarly(news.ID) || asks() {
		t.Error("they may be asked again within the interval")
	}
	if n.env.Advance(1); !n.MayAskEarly(news.ID) {
		t.Error("after an interval they may not be asked")
	}
	asked := len(n.routed)
	n.AskEarly(news, u, 100)
	early := len(n.routed) - asked
	if n.Ask(news, u, 100); len(n.routed) != asked+early {
		t.Error("witnesses that are asked already are asked again for the number")
	}
	if n.Spoil(news.ID); !asks() {
		t.Error("a numbered version's witnesses are given up")
	}
}

// A reader's node polls for a version until it sees it. It blames the giver if the origin shows the content before each
// time, and has the version requested once more if it may not poll.
func TestAReaderSeesForItself(t *testing.T) {
	giver := enginetest.NewPeer("53")
	for what, c := range map[string]struct {
		shows  string
		barred bool
		seen   bool
		polls  int
		blamed int
		unseen int
	}{
		"the version":     {"text", false, true, 1, 0, 0},
		"the one before":  {"before", false, false, maxRepolls, 1, 0},
		"something else":  {"else", false, false, 2, 0, 0},
		"it may not poll": {"text", true, false, 0, 0, 1},
	} {
		n := newNode("61", 32, 4)
		before := version(giver, 1, "before")
		n.held[before.Version] = before.Hash
		n.barred = c.barred
		u := version(giver, 2, "text")
		if n.Believes(u) {
			t.Fatalf("%s: it is believed at once", what)
		}
		n.See(giver, u)
		polled, seen := 0, false
		for range 120 {
			n.env.Advance(time.Second)
			for ; polled < n.polls; polled++ {
				s, _ := n.Polled(news.ID, &update.PollResult{Hash: version(giver, 1, c.shows).Hash})
				seen = seen || s != nil && s.Update.Version == u.Version && s.From == giver
			}
		}
		if seen != c.seen || polled != c.polls || len(n.blamed) != c.blamed || len(n.steps) != c.unseen {
			t.Errorf("%s: seen %v after %d polls; blamed are %v; next is %v", what, seen, polled, n.blamed, n.steps)
		}
	}
}

// Two contents with one number prove that their giver equivocates, once. For a day nothing of it is proven.
func TestAnEquivocator(t *testing.T) {
	n, giver, other := newNode("61", 32, 4), enginetest.NewPeer("53"), enginetest.NewPeer("55")
	a, b := version(giver, 1, "abc"), version(giver, 1, "abd")
	b.Hash = a.Hash
	b.Hash[20]++ // its number fits too
	b.Seal.Found = keys{giver.ID}.Sign(b.ReportWords())
	h := b.Header()
	b.Seal.Given = keys{giver.ID}.Sign(h.Words())
	if is, proof := n.Proven(other, a); !is || proof != nil {
		t.Fatal("a version is not proven")
	}
	n.Note(a)
	is, proof := n.Proven(other, b)
	if is || proof == nil || !n.IsEquivocator(giver.ID) {
		t.Fatalf("a second content is proven: %v, %v", is, proof)
	}
	m := newNode("69", 32, 4)
	if got := m.ReceiveEquivocation(other, proof); got == nil || m.ReceiveEquivocation(other, proof) != nil {
		t.Error("the proof is not new, or new twice")
	}
	if is, _ := m.Proven(other, version(giver, 5, "later")); is {
		t.Error("a later version of it is proven")
	}
	if m.env.Advance(EquivocatorAge); m.IsEquivocator(giver.ID) {
		t.Error("after a day it is still known")
	}
}

// A version that others have seen is withdrawn if the origin goes on to show the one before for half an interval. A
// failed poll shows nothing.
func TestAVersionIsWithdrawn(t *testing.T) {
	n, giver := newNode("61", 32, 4), enginetest.NewPeer("53")
	before, u := version(giver, 1, "before"), version(giver, 2, "text")
	n.Stored(u, before.Hash)
	for i, wait := range []time.Duration{time.Minute, halfHour/2 - 1, 1, halfHour} {
		n.env.Advance(wait)
		n.Polled(news.ID, &update.PollResult{Hash: before.Hash})
		n.Polled(news.ID, &update.PollResult{})
		if want := i / 2; len(n.blamed) != min(want, 1) {
			t.Errorf("poll %d: blamed is %v", i, n.blamed)
		}
	}
	if len(n.blamed) == 1 && (!n.blamed[0].Shown || n.blamed[0].Giver != (engine.Peer(giver)).ID) {
		t.Errorf("blamed is %+v", n.blamed[0])
	}
}

// A version is not withdrawn if the origin has shown it, if it has the content of the one before, or if this node does
// not know the one before.
func TestAVersionIsNotWithdrawn(t *testing.T) {
	giver := enginetest.NewPeer("53")
	first, second := version(giver, 1, "first"), version(giver, 2, "second")
	again := version(giver, 2, "first")
	for what, c := range map[string]struct {
		stored *update.Update
		before update.Hash
		shown  []*update.Update // by polls half an interval apart
	}{
		"it was shown":       {second, first.Hash, []*update.Update{first, second, first, first, first}},
		"it was shown first": {second, first.Hash, []*update.Update{second, first, first, first}},
		"the same content":   {again, first.Hash, []*update.Update{first, first, first}},
		"unknown before":     {second, update.Hash{}, []*update.Update{first, first, first}},
	} {
		n := newNode("61", 32, 4)
		n.Stored(c.stored, c.before)
		for _, u := range c.shown {
			n.env.Advance(halfHour / 2)
			n.Polled(news.ID, pollOf(u))
		}
		if len(n.blamed) > 0 {
			t.Errorf("%s: blamed is %+v", what, n.blamed)
		}
	}
}

// A node polls for versions that it is to see as often in an interval as its readers would, within bounds. Beyond that
// it polls once a minute, and sees the latest version then. The next interval begins anew.
func TestPollsForVersionsAreBounded(t *testing.T) {
	for readers, most := range map[int]int{1: leastPolls, leastPolls + 2: leastPolls + 2, 1000: mostPolls} {
		n, giver := newNode("61", 32, 4), enginetest.NewPeer("53")
		n.readers = readers
		const intervals = 3
		quick, slow, last := 0, 0, n.env.Now()
		for second := range uint64(intervals * halfHour / time.Second) {
			u, before := version(giver, 2+second, "text"), n.polls
			n.See(giver, u)
			if n.env.Advance(time.Second); n.polls == before {
				continue
			}
			if s, _ := n.Polled(news.ID, pollOf(u)); s == nil || s.Update.Version != u.Version {
				t.Errorf("%d readers: a poll does not see the latest version", readers)
			}
			switch pause := n.env.Now() - last; {
			case n.polls-before > 1:
				t.Errorf("%d readers: %d polls at once", readers, n.polls-before)
			case pause < pollEvery:
				quick++
			case pause <= pollEvery+2*time.Second:
				slow++
			default:
				t.Errorf("%d readers: the next poll is after %v", readers, pause)
			}
			last = n.env.Now()
		}
		if few := intervals * 25; quick < intervals*(most-1) || quick > intervals*most || slow < few {
			t.Errorf("%d readers, %d intervals: %d polls at once, and %d one a minute", readers, intervals, quick, slow)
		}
	}
}

// A node stands at a witness's place of this day. As clocks differ, it also does at that of a day that has just ended,
// or is about to begin.
func TestPlacesOfADay(t *testing.T) {
	const spare = 4 + Spare - 1 // the last place
	for what, c := range map[string]struct {
		after time.Duration // midnight
		place uint8
		days  time.Duration // from today to the day of the place
		want  bool
	}{
		"today":                     {12 * time.Hour, 0, 0, true},
		"a spare place":             {12 * time.Hour, spare, 0, true},
		"no place":                  {12 * time.Hour, spare + 1, 0, false},
		"yesterday":                 {12 * time.Hour, 0, -1, false},
		"tomorrow":                  {12 * time.Hour, 0, 1, false},
		"yesterday, just now":       {update.ClockSkew - 1, 0, -1, true},
		"yesterday, a while ago":    {update.ClockSkew, 0, -1, false},
		"tomorrow, soon":            {24*time.Hour - update.ClockSkew, 0, 1, true},
		"tomorrow, in a while":      {24*time.Hour - update.ClockSkew - 1, 0, 1, false},
		"today, as the day ends":    {24*time.Hour - 1, 0, 0, true},
		"today, as the day begins":  {0, 0, 0, true},
		"the day before, just now":  {update.ClockSkew - 1, 0, -2, false},
		"the day after next, soon":  {24*time.Hour - update.ClockSkew, 0, 2, false},
		"no place of yesterday":     {update.ClockSkew - 1, spare + 1, -1, false},
		"a spare place, as it ends": {24*time.Hour - 1, spare, 0, true},
	} {
		n := newNode("61", 32, 4)
		n.env.WallClock = n.env.WallClock.Truncate(24 * time.Hour).Add(c.after - n.env.Now())
		key := Place(news.ID, n.env.Wall().Add(c.days*24*time.Hour), c.place)
		if n.Stands(key, &update.Verify{Channel: news.ID, Place: c.place}) != c.want {
			t.Errorf("%s: it stands there: %v", what, !c.want)
		}
	}
	n := newNode("61", 32, 4)
	key := Place(news.ID, n.env.Wall(), 1)
	if n.Stands(key, &update.Verify{Channel: news.ID, Place: 2}) || n.Stands(key, &update.Verify{Place: 1}) {
		t.Error("it stands at another place, or for another channel")
	}
}

// near returns a node at a distance from a place, in mean distances between nodes of a ring of so many.
func near(place engine.ID, distance float64, nodes int) engine.Peer {
	steps := uint64(distance / float64(nodes) * (1 << 63) * 2)
	binary.BigEndian.PutUint64(place[:], binary.BigEndian.Uint64(place[:])+steps)
	return engine.Peer{ID: place, Address: "x"}
}

// A witness that this node can believe, but not each reader's node, is none of those needed: the others may count more
// nodes. Its signature is sent with the others.
func TestWitnessesThatAllBelieve(t *testing.T) {
	const nodes, need = 1000, 4
	for what, c := range map[string]struct {
		least    int // of the ring, as this node knows
		most     int // as others may know
		distance float64
		sound    bool
		firm     bool
	}{
		"counted, near":        {875, 875, 1.4, true, true},
		"counted, farther":     {875, 875, 1.6, true, true},
		"counted, too far":     {875, 875, 1.8, false, false},
		"shrunk, near":         {500, 875, 1.6, true, true},
		"shrunk, farther":      {500, 875, 1.8, true, false},
		"not counted, near":    {500, 1333, 1.0, true, true},
		"not counted, farther": {500, 1333, 1.3, true, false},
		"not counted, too far": {500, 1333, 3.1, false, false},
	} {
		n := newNode("51", nodes, need)
		n.least, n.most = c.least, c.most
		u := update.Update{Channel: news.ID, Version: 7, Hash: update.Hash{1}}
		n.AskEarly(news, u, 100)
		sees := func(place uint8, distance float64) *update.Update {
			p := near(Place(news.ID, n.env.Wall(), place), distance, nodes)
			s := update.Attestation{Place: place, At: n.env.Wall().UnixMilli(), By: p}
			s.Signature = keys{p.ID}.Sign(update.AttestationWords(news.ID, u.Version, u.Hash, &s))
			return n.Count(&update.Verified{Channel: news.ID, Hash: u.Hash, Seen: s})
		}
		sees(0, c.distance)
		for place := range uint8(need - 2) {
			if sees(place+1, 0.1) != nil {
				t.Errorf("%s: %d witnesses are enough", what, place+2)
			}
		}
		enough := sees(need-1, 0.1)
		if (enough != nil) != c.firm {
			t.Errorf("%s: with it there are enough: %v", what, enough != nil)
		}
		if enough == nil {
			enough = sees(need, 0.1) // at a spare place
		}
		if want := need + count(!c.firm && c.sound); enough == nil || len(enough.Seal.Seen) != want {
			t.Errorf("%s: %+v is sent, not %d signatures", what, enough, want)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
