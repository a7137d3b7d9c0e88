package archive_test

import (
	"testing"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// givenTo returns the nodes that were sent a Give.
func givenTo(sent []enginetest.Sent) (list []engine.Peer) {
	for _, s := range sent {
		if _, ok := s.Message.(*archive.Give); ok {
			list = append(list, s.To)
		}
	}
	return list
}

// A node that reports twice which nodes own an item counts once: one that names itself alone, and lacks the item, does
// not end the lookup.
func TestARepeatedWhereCountsOnce(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	l.unsure = true
	name, ended := nameOf(0, 1), false
	l.Find(name, func([]byte, error) { ended = true })
	l.env.Advance(0)
	where := &archive.Where{Name: name, Closest: l.others[:1]}
	asked := of[*archive.Fetch](append(l.from(0, where), l.from(0, where)...))
	if len(asked) != 1 {
		t.Fatalf("the only owner is asked %d times", len(asked))
	}
	l.routed = nil
	sent := l.from(0, &archive.Fetched{Number: asked[0].Number, None: []archive.Name{name}})
	if ended || len(of[*archive.Find](sent))+len(l.routed) != 1 {
		t.Errorf("after the answers of one node the lookup has ended: %v, and %d others are asked for owners", ended,
			len(of[*archive.Find](sent))+len(l.routed))
	}
}

// An owner that confirms an item any number of times counts once: more than half of the owners have to.
func TestARepeatedConfirmationCountsOnce(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	name := nameOf(0, 1)
	var ends []int
	l.Insert(name, archivetest.Item(name, 100), func(copies int, why archive.Refusal) {
		if ends = append(ends, copies); why != archive.Accepted {
			t.Errorf("it ends with %v", why)
		}
	})
	l.settle(true)
	for range 5 {
		l.from(0, &archive.Taken{Name: name})
	}
	l.from(1, &archive.Taken{Name: name})
	if len(ends) > 0 {
		t.Errorf("two of five owners have the item, and it is accepted with %d copies", ends[0])
	}
	if l.from(2, &archive.Taken{Name: name}); len(ends) != 1 || ends[0] != 3 {
		t.Errorf("when three have it, it has ended with %v copies", ends)
	}
}

// An owner that refuses an item any number of times counts once, and nodes that own nothing do not count. The
// next owner is given the item.
func TestRefusalsThatDoNotCount(t *testing.T) {
	for what, from := range map[string][]int{"of one owner": {0, 0, 0, 0}, "of nodes that own nothing": {5, 6, 7}} {
		l := newLone(t, 8, archive.Default())
		name, ended := nameOf(0, 1), false
		l.Insert(name, archivetest.Item(name, 100), func(int, archive.Refusal) { ended = true })
		l.settle(true)
		sent := l.sent()
		for _, i := range from {
			sent = append(sent, l.from(i, &archive.Taken{Name: name, Refusal: archive.Full})...)
		}
		given := givenTo(sent)
		last := given[len(given)-1]
		for i, p := range l.others {
			if p == last {
				sent = l.from(i, &archive.Taken{Name: name, Refusal: archive.Busy})
			}
		}
		if next := givenTo(sent); ended || len(next) != 1 {
			t.Errorf("refusals %s: after that of another owner it has ended: %v, and is given to %v", what, ended, next)
		}
	}
}

// A lookup receives nothing from a node that it has not asked: bytes that are false do not even count against it.
func TestALookupReceivesNothingUnasked(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	lies := 0
	l.OnLied(func(archive.Lied) { lies++ })
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	var found []byte
	l.Find(name, func(b []byte, _ error) { found = b })
	l.env.Advance(0)
	asked := l.sent()[0].To
	stranger, at := 0, 0
	for i, p := range l.others {
		if p == asked {
			at = i
		} else {
			stranger = i
		}
	}
	for _, content := range [][]byte{bytes, bytes[1:]} {
		l.Receive(l.others[stranger], &archive.Item{Name: name, Bytes: content})
		if n := l.env.RunWork(); n > 0 || lies > 0 || found != nil {
			t.Errorf("%d bytes that nobody asked for: %d are examined, %d lies, found %d", len(content), n, lies,
				len(found))
		}
	}
	if l.from(at, &archive.Item{Name: name, Bytes: bytes}); len(found) != len(bytes) {
		t.Errorf("of the node that was asked %d bytes are found", len(found))
	}
}

// A lookup and an insertion of one item search its owners at the same time. When the lookup ends, the insertion still
// receives what others say.
func TestALookupEndsNoInsertionsSearch(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	l.unsure = true
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	found := 0
	l.Insert(name, bytes, func(int, archive.Refusal) {})
	l.settle(true)
	l.Find(name, func([]byte, error) { found++ })
	l.env.Advance(0)
	l.from(0, &archive.Where{Name: name, Has: true, Closest: l.others[:5]})
	if l.from(0, &archive.Item{Name: name, Bytes: bytes}); found != 1 {
		t.Fatal("the item is not found")
	}
	if given := givenTo(l.from(1, &archive.Where{Name: name, Closest: l.others[:5]})); len(given) != 1 {
		t.Errorf("when the second way is answered as well, the item is given to %v", given)
	}
}

// An insertion waits for the owner that it has given the item to, whichever other node goes down.
func TestAnInsertionMindsWhichNodeIsDown(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	name := nameOf(0, 1)
	l.Insert(name, archivetest.Item(name, 100), func(int, archive.Refusal) {})
	l.settle(true)
	first := givenTo(l.sent())
	if len(first) != 1 {
		t.Fatalf("it is given to %v", first)
	}
	for _, p := range l.others {
		if p != first[0] {
			l.PeerDown(p)
		}
	}
	if given := givenTo(l.sent()); len(given) > 0 {
		t.Errorf("when others go down, it is given to %v too", given)
	}
	l.PeerDown(first[0])
	if given := givenTo(l.sent()); len(given) != 1 || given[0] == first[0] {
		t.Errorf("when the owner that has it goes down, it is given to %v", given)
	}
}

// An offered item comes another way, and is being written when the node that offered it says that it has no copy any
// more. That node gets its acknowledgement when the item is stored: else it would go on offering it.
func TestAnAnswerThatIsLateCancelsNoAcknowledgement(t *testing.T) {
	l := newLone(t, 4, archive.Default())
	name := nameOf(0, 1)
	bytes := archivetest.Item(name, 100)
	asked := of[*archive.Fetch](l.from(0,
		&archive.Offer{Number: 7, Items: []archive.Held{heldOf(name, bytes)}}))
	if len(asked) != 1 {
		t.Fatalf("it is fetched %d times", len(asked))
	}
	l.Receive(l.others[1], &archive.Give{Name: name, Bytes: bytes})
	l.env.RunWork()
	l.Receive(l.others[0], &archive.Fetched{Number: asked[0].Number, None: []archive.Name{name}})
	if early := of[*archive.Offered](l.sent()); len(early) > 0 {
		t.Errorf("before it is stored it is acknowledged as %+v", early[0])
	}
	l.settle(true)
	if acks := of[*archive.Offered](l.sent()); len(acks) != 1 || acks[0].Number != 7 || acks[0].Has != 1 {
		t.Errorf("when it is stored, %d acknowledgements are sent; want one", len(acks))
	}
}

// Answers that come again use up none of an insertion's ways: it asks for owners one way after the other, and waits for
// the answer of each.
func TestRepeatedAnswersUseUpNoWay(t *testing.T) {
	l := newLone(t, 8, archive.Default())
	l.unsure = true
	name := nameOf(0, 1)
	l.Insert(name, archivetest.Item(name, 100), func(int, archive.Refusal) {})
	l.settle(true)
	l.sent()
	where := &archive.Where{Name: name, Closest: l.others[:5]}
	given := givenTo(append(l.from(0, where), l.from(1, where)...))
	for range 3 {
		given = append(given, givenTo(l.from(0, where))...)
	}
	l.routed = nil
	finds := 0
	for times := 0; len(given) > 0 && times < 20; times++ {
		to := given[0]
		l.Receive(to, &archive.Taken{Name: name, Refusal: archive.Busy})
		sent := l.sent()
		given = append(given[1:], givenTo(sent)...)
		finds += len(of[*archive.Find](sent))
	}
	if finds += len(l.routed); finds != 1 {
		t.Fatalf("when all owners are busy, others are asked for owners %d times at once", finds)
	}
	l.routed = nil
	if sent := l.from(0, &archive.Taken{Name: name, Refusal: archive.Busy}); len(sent)+len(l.routed) > 0 {
		t.Errorf("an answer that comes again, while one is asked for owners, has %d messages sent",
			len(sent)+len(l.routed))
	}
}

// An owner answers after its time, when another has been given the item. That one is waited for as long as any.
func TestALateAnswerShortensNoWait(t *testing.T) {
	for what, why := range map[string]archive.Refusal{"it has no time": archive.Busy, "it has it": archive.Accepted} {
		c := archive.Default()
		l := newLone(t, 8, c)
		name := nameOf(0, 1)
		l.Insert(name, archivetest.Item(name, 100), func(int, archive.Refusal) {})
		l.settle(true)
		first := givenTo(l.sent())
		l.env.Advance(c.Patience)
		second := givenTo(l.sent())
		if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
			t.Fatalf("it is given to %v, and to %v when that does not answer", first, second)
		}
		l.Receive(first[0], &archive.Taken{Name: name, Refusal: why})
		l.env.Advance(c.Patience - 1)
		if given := givenTo(l.sent()); len(given) > 0 {
			t.Errorf("%s, says the first one late, and the item is given to %v before the second one's time is over",
				what, given)
		}
		l.env.Advance(1)
		if given := givenTo(l.sent()); len(given) != 1 {
			t.Errorf("%s, says the first one late: when the second one's time is over, it is given to %v", what, given)
		}
	}
}
