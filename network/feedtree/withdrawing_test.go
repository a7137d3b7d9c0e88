package feedtree_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// An entry is read as it was written, with the numbers before it. Numbers not below the item's own count for nothing.
// What is cut short or out of order is an entry and nothing else.
func TestWhatAnItemTakesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Uint64Range(1, 300), 0, 20).Draw(t, "numbers")
		entry := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "entry")
		i := &feedtree.Item{Number: rapid.Uint64Range(1, 300).Draw(t, "own"),
			Entry: feedtree.Withdrawing(numbers, entry)}
		want := slices.Compact(slices.Sorted(slices.Values(numbers)))
		want = slices.DeleteFunc(want, func(n uint64) bool { return n >= i.Number })
		if !slices.Equal(i.Withdraws(), want) || !bytes.Equal(i.Content(), entry) {
			t.Fatalf("item %d withdraws %d, want %d; its entry is %q, not %q", i.Number, i.Withdraws(), want,
				i.Content(), entry)
		}
		cut := len(i.Entry) - len(entry) - 1
		if len(numbers) == 0 || cut < 0 {
			return
		}
		i.Entry = i.Entry[:rapid.IntRange(0, cut).Draw(t, "cut")]
		if len(i.Withdraws()) > 0 || !bytes.Equal(i.Content(), i.Entry) {
			t.Fatalf("%q withdraws %d, and says %q", i.Entry, i.Withdraws(), i.Content())
		}
	})
	many := make([]uint64, feedtree.MaxWithdrawn+1)
	for i := range many {
		many[i] = uint64(i + 1)
	}
	i := &feedtree.Item{Number: 1 << 20, Entry: feedtree.Withdrawing(many, nil)}
	if got := i.Withdraws(); !slices.Equal(got, many[1:]) {
		t.Errorf("of %d numbers there are %d", len(many), len(got))
	}
	mark := string(feedtree.Withdrawing([]uint64{1}, nil))
	mark = mark[:len(mark)-2]
	for _, text := range []string{"\x00", "\x01\x00", "\x02\x05\x00", "\x81\x20",
		"\x02\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		i := &feedtree.Item{Number: 1 << 20, Entry: []byte(mark + text)}
		if got := i.Withdraws(); got != nil || string(i.Content()) != mark+text {
			t.Errorf("%q withdraws %d", text, got)
		}
	}
}

// deliver has a router bring an item, and reports whether it is admitted.
func (l *lone) deliver(i *feedtree.Item) (digest uint64, ok bool) {
	digest, _, ok = l.Admit(loneTopic, i, loneParent)
	if ok {
		l.Deliver(loneTopic, i, loneParent)
	}
	return digest, ok
}

// A follower that has the withdrawing item lacks none of the withdrawn ones. It gives it to the library at once, asks
// no node, and sends none of the withdrawn ones on.
func TestWhatWasTakenBackIsNotMissing(t *testing.T) {
	l := newFollower(t, 1)
	l.deliver(signedItem(3, loneTime+3, "held for 2"))
	l.deliver(signedItem(5, loneTime+5, string(feedtree.Withdrawing([]uint64{2, 3, 4}, []byte("kill")))))
	var given []uint64
	for _, i := range l.kept {
		given = append(given, i.Number)
	}
	if !slices.Equal(given, []uint64{5}) {
		t.Errorf("the library is given %d", given)
	}
	l.Kept(loneTopic, 5, true)
	if s, _ := l.Status(loneTopic); s.Have != 5 || s.Later != 0 {
		t.Errorf("the node has %+v", s)
	}
	l.Sent()
	l.Advance(time.Minute)
	if n := len(messages[*feedtree.Ask](t, l)); n > 0 {
		t.Errorf("%d are asked for nothing", n)
	}
	old := signedItem(2, loneTime+2, "old")
	if digest, ok := l.deliver(old); ok || digest == 0 || !l.Withdrawn(loneTopic, old) ||
		!l.Withdrawn(loneTopic, &feedtree.Named{Event: old}) {
		t.Error("what was withdrawn is handed on")
	}
	if l.Passed(loneTopic, 3) != nil || l.Passed(loneTopic, 2) != nil || l.Passed(loneTopic, 5) == nil {
		t.Error("what was withdrawn goes to the archive")
	}
	if other := signedItem(6, loneTime+6, "news"); l.Withdrawn(loneTopic, other) ||
		l.Withdrawn(loneTopic, &feedtree.Heartbeat{Number: 2}) {
		t.Error("something else was withdrawn")
	}
}

// A withdrawal in the archive closes the gap in the place of its item, if the topic's key has signed it for that
// number.
func TestTheArchiveSaysWhatWasTakenBack(t *testing.T) {
	back := func(number uint64, key string) *feedtree.Withdrawal {
		w := &feedtree.Withdrawal{Number: number}
		w.Sign(loneTopic, lonePrivate)
		if key != "" {
			w.Sign(loneTopic, feedtreetest.PrivateKey(key))
		}
		return w
	}
	for name, test := range map[string]struct {
		back *feedtree.Withdrawal
		have uint64
	}{
		"genuine": {back(6, ""), 7}, "of another number": {back(8, ""), 5}, "of another key": {back(6, "other"), 5},
		"of no number": {back(0, ""), 5},
		"altered":      {&feedtree.Withdrawal{Number: 6, Key: back(6, "").Key, Signature: back(7, "").Signature}, 5},
	} {
		a := new(slowArchive)
		l := newLoneWith(feedtree.Default(), a)
		l.follow(t, 5)
		l.deliver(signedItem(7, loneTime+7, "news"))
		for range 60 {
			if l.Advance(time.Second); len(a.found) > 0 {
				break
			}
		}
		l.Kept(loneTopic, 7, true)
		for _, found := range a.found {
			found(nil, test.back)
		}
		if s, _ := l.Status(loneTopic); s.Have != test.have {
			t.Errorf("%s: the node has %+v, not %d", name, s, test.have)
		}
	}
}

// A publisher's node that was restored from an old copy finds in the archive how far it had come, even if the next
// items were withdrawn.
func TestNumbersGoOnAboveWhatWasTakenBack(t *testing.T) {
	a := new(slowArchive)
	l := newLoneWith(feedtree.Default(), a)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic, Last: 5}); err != nil {
		t.Fatal(err)
	}
	answers := map[uint64]bool{6: true, 7: true, 8: false} // whether it was withdrawn
	steps := []uint64{6, 8, 12, 10, 9}
	for _, number := range steps {
		if len(a.found) != 1 {
			t.Fatalf("before number %d the archive is asked %d times", number, len(a.found))
		}
		found := a.found[0]
		a.found = nil
		switch back, there := answers[number]; {
		case !there:
			found(nil, nil)
		case back:
			w := &feedtree.Withdrawal{Number: number}
			w.Sign(loneTopic, lonePrivate)
			found(nil, w)
		default:
			found(signedItem(number, loneTime+int64(number), "news"), nil)
		}
	}
	last := uint64(0)
	for _, e := range l.Traced() {
		if e, ok := e.(feedtree.Overtaken); ok {
			last = e.Last
		}
	}
	if last != 8 {
		t.Errorf("others are known to have items up to %d", last)
	}
}

// A node that has the withdrawing item sends the withdrawn one to no node, by no router and no answer. That holds for a
// node that was away, that joins, that joins again, or that has lost its disk. All have everything else.
func TestNobodySendsWhatWasTakenBack(t *testing.T) {
	const secret = "taken back"
	byRouter(t, 2, func(t *simtest.T, s feedtreetest.Settings) {
		v, p := settledTown(t, s)
		p.Publish("news 1")
		p.Publish(secret)
		p.Publish("news 3")
		v.Run(20 * time.Second)
		away := v.Followers(p)[0]
		v.Crash(away)
		v.Run(20 * time.Second)
		kill := p.Publish(string(feedtree.Withdrawing([]uint64{2}, []byte("kill"))))
		w := &feedtree.Withdrawal{Number: 2}
		w.Sign(p.Topic(), p.Private)
		v.Vault.Withdraw(p.Topic(), w)
		v.Run(30 * time.Second)
		for _, n := range v.Followers(p) {
			if v.Node(n).Library.Item(p.Topic(), kill) == nil {
				t.Fatalf("node %d lacks the item that takes another back", n)
			}
		}
		v.Tap(func(d sim.Delivery) {
			b, err := feedtreetest.Codec.Append(nil, d.Message)
			if err == nil && d.Fate == sim.Sent && bytes.Contains(b, []byte(secret)) {
				t.Errorf("node %d sends %s to %d", d.From, feedtreetest.Codec.Name(d.Message.Kind()), d.To)
			}
		})
		v.Boot(away)
		v.Follow(2, p)
		again := v.Followers(p)[1]
		v.Unfollow(again, p)
		v.Run(time.Minute)
		v.Follow(again, p)
		v.publish(p, 2, 5*time.Second)
		v.Run(5 * time.Minute)
		for _, n := range v.Followers(p) {
			for _, number := range []uint64{1, 3, kill, kill + 1, kill + 2} {
				if v.Node(n).Library.Item(p.Topic(), number) == nil {
					t.Errorf("node %d lacks item %d", n, number)
				}
			}
			if st, _ := v.Node(n).Feed.Status(p.Topic()); st.Have != kill+2 {
				t.Errorf("node %d has %+v", n, st)
			}
		}
		if n := each[feedtree.Fallback](v, nil); n > 0 {
			t.Errorf("%d times the feed was to be polled", n)
		}
	})
}

// An item withdrawn while it waits for the check of its numbers is not sent. One withdrawn before it reached the node
// leaves no gap that keeps the next item from being sent.
func TestWhatWasTakenBackIsNotPublished(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []*feedtree.Item{
		signedItem(1, loneTime+1, "withdrawn"), signedItem(2, loneTime+2, "news"),
		signedItem(3, loneTime+3, string(feedtree.Withdrawing([]uint64{1}, nil))),
	} {
		if err := l.Publish(loneTopic, i); err != nil {
			t.Fatal(err)
		}
	}
	l.Advance(time.Minute)
	var sent []uint64
	for _, m := range l.published {
		if i, ok := m.(*feedtree.Item); ok {
			sent = append(sent, i.Number)
		}
	}
	if !slices.Equal(sent, []uint64{2, 3}) {
		t.Errorf("sent are %d", sent)
	}
	next := signedItem(6, loneTime+6, string(feedtree.Withdrawing([]uint64{4, 5}, nil)))
	if err := l.Publish(loneTopic, next); err == nil {
		t.Error("two numbers are left out")
	}
	if l.LeaveOut(loneTopic, 5, 5); l.Publish(loneTopic, next) == nil {
		t.Error("a number is left out")
	}
	l.LeaveOut(loneTopic, 4, 5)
	if err := l.Publish(loneTopic, next); err != nil {
		t.Error(err)
	}
}
