package feedtree

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// sentOf returns the messages of a type that were sent since the last call, and their receivers.
func sentOf[M engine.Message](v *press) (to []engine.Peer, messages []M) {
	for _, s := range v.env.Sent() {
		if m, ok := s.Message.(M); ok {
			to, messages = append(to, s.To), append(messages, m)
		}
	}
	return to, messages
}

func tracedOf[E any](v *press) (events []E) {
	for _, e := range v.env.Traced() {
		if e, ok := e.(E); ok {
			events = append(events, e)
		}
	}
	return events
}

// The neighbours of a new follower know nothing of the publisher. The follower asks again, a bounded number of times,
// until it learns of it. Nothing is missing that the conventional feed would have.
func TestANewFollowerAsksAgain(t *testing.T) {
	v := newPress(Default(), 1)
	s := &v.node.followings.index[v.topic].search
	v.env.Advance(20 * time.Second)
	if !s.on || !s.fresh || s.round != 1 {
		t.Fatalf("after a round in vain: %+v", s)
	}
	v.push(v.items[1], "a")
	v.env.Advance(20 * time.Second)
	if s.on || s.fresh {
		t.Errorf("when the publisher was heard: %+v", s)
	}

	v = newPress(Default(), 1)
	s = &v.node.followings.index[v.topic].search
	v.env.Advance(4 * time.Minute)
	if s.on || s.fresh || len(tracedOf[Fallback](v)) > 0 {
		t.Errorf("after some rounds in vain: %+v", s)
	}
}

// A follower with a gap searches on the way to the root, then from a random node. It asks the nodes that answer, and
// those that they name, each once a round. Then the conventional feed has to be looked at, and all begins again, later
// and later.
func TestTheStepsOfASearch(t *testing.T) {
	v := newPress(Default(), 5)
	other, third := enginetest.NewPeer("0a"), enginetest.NewPeer("0b")
	v.library.known = []engine.Peer{enginetest.NewPeer("0c")}
	v.env.Advance(time.Minute) // what it does at first
	v.push(v.items[1], "a")
	v.push(v.items[4], "a")
	v.library.routed = nil
	v.env.Sent()
	v.env.Advance(v.node.config.Grace + v.node.config.Grace/8)
	if len(v.library.routed) != 1 || v.library.routed[0].(*Seek).From != 2 {
		t.Fatalf("%v was routed", v.library.routed)
	}
	v.node.Receive(other, &Has{Topic: v.topic, Last: 4, Others: []engine.Peer{third, other}})
	to, asks := sentOf[*Ask](v)
	if len(to) != 1 || to[0] != other || asks[0].From != 2 || asks[0].To != 3 {
		t.Fatalf("asked %v for %+v", to, asks)
	}
	v.node.Receive(other, &Items{Topic: v.topic, From: 2, Items: []engine.Message{v.items[2]}})
	to, asks = sentOf[*Ask](v)
	if len(to) != 1 || to[0] != other || asks[0].From != 3 {
		t.Fatalf("after a good answer %v was asked for %+v", to, asks)
	}
	v.node.Receive(other, &Items{Topic: v.topic, From: 3})
	if to, _ = sentOf[*Ask](v); len(to) != 1 || to[0] != third {
		t.Fatalf("after an empty answer %v was asked", to)
	}
	v.node.PeerDown(other) // which is not being asked
	if to, _ = sentOf[*Seek](v); len(to) > 0 {
		t.Fatalf("another node is down, and %v is to seek", to)
	}
	v.node.PeerDown(third)
	to, seeks := sentOf[*Seek](v)
	if len(to) != 1 || to[0] != v.library.known[0] || !seeks[0].Start {
		t.Fatalf("after that %v was to seek %+v", to, seeks)
	}
	v.node.Receive(other, &Has{Topic: v.topic, Last: 4})
	if to, _ = sentOf[*Ask](v); len(to) != 0 {
		t.Errorf("%v was asked a second time", to)
	}
	v.env.Traced()
	v.env.Advance(v.node.config.AskWait)
	if told := tracedOf[Fallback](v); len(told) != 1 || told[0].From != 3 || told[0].To != 3 {
		t.Fatalf("told to look at the conventional feed: %+v", told)
	}
	rounds := 0
	for range 24 {
		v.env.Advance(time.Hour)
		rounds += len(tracedOf[Fallback](v))
	}
	if rounds < 20 || rounds > 40 {
		t.Errorf("%d rounds in a day", rounds)
	}
	v.push(v.items[3], "a")
	v.library.routed = nil
	v.env.Sent()
	v.env.Advance(3 * time.Hour)
	if to, _ := sentOf[*Ask](v); len(to) > 0 || len(v.library.routed) > 0 {
		t.Error("it searches with nothing missing")
	}
}

// A follower looks for as many of the latest numbers as Following says, or else Config.
func TestTheWindowOfAFollower(t *testing.T) {
	for window, want := range map[int]uint64{3: 10, 0: 8, 11: 2} {
		c := Default()
		c.Window = 5
		v := newPress(c, 12)
		v.node.Unfollow(v.topic)
		pin := KeyOf(keyOf(1)).Fingerprint()
		channel := engine.IDOf([]byte("a channel"))
		if err := v.node.Follow(Following{Topic: v.topic, Channel: channel, Pin: pin, Window: window}); err != nil {
			t.Fatal(err)
		}
		v.env.Advance(time.Minute)
		v.push(v.items[1], "a")
		v.push(v.items[12], "a")
		v.library.routed = nil
		v.env.Advance(v.node.config.Grace + v.node.config.Grace/8)
		if len(v.library.routed) != 1 || v.library.routed[0].(*Seek).From != want {
			t.Errorf("a window of %d: it seeks by %+v, want from %d", window, v.library.routed, want)
		}
	}
}

// A node that a Seek passes answers it if it has what is sought: with its latest number. If not, it lets it go on, and
// only the root answers, with the nodes that may know. No node answers itself.
func TestNodesThatAnswerASeek(t *testing.T) {
	v := newPress(Default(), 4)
	v.env.Advance(time.Minute)
	for number := 1; number <= 4; number++ {
		v.push(v.items[number], "a")
		v.answer(0)
	}
	asker := enginetest.NewPeer("0a")
	v.library.parent = enginetest.NewPeer("0d")
	for what, c := range map[string]struct {
		from   uint64
		asker  engine.Peer
		goOn   bool
		last   uint64 // that it answers with; 0: it does not
		atRoot bool   // it does there
	}{
		"what it has":         {4, asker, false, 4, false},
		"earlier ones":        {2, asker, false, 4, false},
		"what it has not":     {5, asker, true, 0, true},
		"what it seeks":       {2, v.env.Self(), true, 0, false},
		"what it seeks, late": {5, v.env.Self(), true, 0, false},
	} {
		m := &Seek{Topic: v.topic, From: c.from, Asker: c.asker}
		v.env.Sent()
		goOn := v.node.Routed().Forward(v.topic, m, enginetest.NewPeer("0b"))
		to, answers := sentOf[*Has](v)
		if goOn != c.goOn || len(to) != count(c.last > 0) || len(to) > 0 && (to[0] != asker ||
			answers[0].Topic != v.topic || answers[0].Last != c.last) {
			t.Errorf("%s: it goes on: %v, and is answered by %+v", what, goOn, answers)
		}
		v.node.Routed().Deliver(v.topic, enginetest.NewPeer("0b"), m, 3)
		to, answers = sentOf[*Has](v)
		if len(to) != count(c.atRoot || c.last > 0) || len(to) > 0 && (answers[0].Last != c.last ||
			!slices.Equal(answers[0].Others, []engine.Peer{v.library.parent})) {
			t.Errorf("%s: the root answers %+v", what, answers)
		}
		if !goOn {
			continue
		}
		start := *m
		start.Start = true
		v.library.routed = nil
		v.node.Receive(c.asker, &start)
		if on := c.asker == asker; len(v.library.routed) != count(on) || on && (v.library.routed[0].(*Seek).Start ||
			v.library.routed[0].(*Seek).From != c.from) {
			t.Errorf("%s: begun here it is routed as %+v", what, v.library.routed)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// An answer with a false part ends the requests to that peer, and counts against it. Unrequested answers are ignored.
func TestFalseAnswers(t *testing.T) {
	v := newPress(Default(), 5)
	liar, stranger := enginetest.NewPeer("0a"), enginetest.NewPeer("0b")
	v.env.Advance(time.Minute)
	v.push(v.items[1], "a")
	v.push(v.items[4], "a")
	v.env.Advance(v.node.config.Grace + v.node.config.Grace/8)
	v.node.Receive(stranger, &Items{Topic: v.topic, From: 2, Items: []engine.Message{v.items[2]}})
	if s, _ := v.node.Status(v.topic); s.Later != 2 {
		t.Errorf("what a stranger has sent was taken: %+v", s)
	}
	v.node.Receive(liar, &Has{Topic: v.topic, Last: 4})
	v.env.Sent()
	forged := *v.items[2]
	forged.Entry = []byte("lies")
	v.node.Receive(liar, &Items{Topic: v.topic, From: 2, Items: []engine.Message{&forged, v.items[2], v.items[3]}})
	if s, _ := v.node.Status(v.topic); s.Later != 2 {
		t.Errorf("what came after a lie was taken: %+v", s)
	}
	if to, _ := sentOf[*Ask](v); len(to) > 0 {
		t.Errorf("%v was asked again", to)
	}
	list := v.node.Refusals()
	if len(list) != 1 || list[0].Peer != liar.ID || list[0].Why != Forged || list[0].Count != 1 {
		t.Errorf("%+v", list)
	}
}

// A peer that passes on what no honest node does is ignored for a while. What an honest node may pass on is no fault.
// The table of faults has a bound.
func TestFaults(t *testing.T) {
	c := Default()
	c.MaxPeers = 4
	v := newPress(c, 5)
	forged := *v.items[1]
	forged.Time++
	for range c.Strikes {
		v.push(&forged, "0a")
	}
	v.push(v.items[1], "0a")
	if s, _ := v.node.Status(v.topic); s.Last != 0 {
		t.Error("a liar is listened to")
	}
	v.env.Advance(c.StrikeFor)
	v.push(v.items[1], "0a")
	if s, _ := v.node.Status(v.topic); s.Last != 1 {
		t.Error("nothing is forgotten")
	}
	early := Item{Number: 2, Time: v.env.Wall().Add(24 * time.Hour).UnixMilli()}
	early.Sign(v.topic, keyOf(1))
	for range 10 {
		v.push(&early, "0b")
	}
	v.push(v.items[2], "0b")
	if s, _ := v.node.Status(v.topic); s.Last != 2 {
		t.Error("a peer whose clock may be right is not listened to")
	}
	for _, peer := range []string{"01", "02", "03", "04"} {
		v.push(&forged, peer)
	}
	list := v.node.Refusals()
	if len(list) != 4 || list[0].Peer != enginetest.NewPeer("01").ID || list[3].Peer != enginetest.NewPeer("04").ID {
		t.Errorf("%+v", list)
	}
}

// No statement is verified twice, as long as it is remembered.
func TestStatementsAreVerifiedOnce(t *testing.T) {
	c := Default()
	c.MaxVerified = 3
	v := newPress(c, 5)
	from := enginetest.NewPeer("0a")
	for n := 1; n <= 5; n++ {
		s := v.items[n].statement(v.topic)
		if why := v.node.record.judge(v.topic, &s, from); why != Genuine {
			t.Fatal(why)
		}
	}
	if n := len(v.node.record.verified.of); n != 3 {
		t.Errorf("%d are remembered", n)
	}
	again := v.items[5].statement(v.topic)
	allocated := testing.AllocsPerRun(10, func() { v.node.record.judge(v.topic, &again, from) })
	if allocated > 4 {
		t.Errorf("%v allocations for a copy", allocated)
	}
	altered := *v.items[5]
	altered.Signature = append([]byte(nil), altered.Signature...)
	altered.Signature[0] ^= 1
	s := altered.statement(v.topic)
	if why := v.node.record.judge(v.topic, &s, from); why != Forged {
		t.Errorf("known words with another signature are %v", why)
	}
}

// A parent is replaced if it has nothing of what another node has, and that was published just now. A parent that lacks
// only old items is not (hostile 41).
func TestParentsThatHaveNothing(t *testing.T) {
	for _, old := range []bool{false, true} {
		v := newPress(Default(), 5)
		parent, other := enginetest.NewPeer("0a"), enginetest.NewPeer("0b")
		v.library.parent = parent
		v.env.Advance(2 * time.Minute)
		for n, i := range v.items[1:] {
			if !old {
				i.Time = v.env.Wall().UnixMilli() + int64(n)
				i.Sign(v.topic, keyOf(1))
			}
		}
		v.push(v.items[1], "a")
		v.push(v.items[3], "a")
		v.env.Advance(v.node.config.Grace + v.node.config.Grace/8)
		v.node.Receive(parent, &Items{Topic: v.topic, From: 2, Others: []engine.Peer{other}})
		v.node.Receive(other, &Items{Topic: v.topic, From: 2, Items: []engine.Message{v.items[2]}})
		if s, _ := v.node.Status(v.topic); s.Later != 3 {
			t.Fatalf("%+v", s)
		}
		if suppressed := len(tracedOf[Suppressed](v)); (suppressed == 1) == old || v.library.distrusted != suppressed {
			t.Errorf("of items that are old (%v) parents were suspected %d times, and replaced %d times", old,
				suppressed, v.library.distrusted)
		}
	}
}
