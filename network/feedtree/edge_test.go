package feedtree_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/feedtree"
)

// messages returns what was sent of a type, and fails unless the codec accepts all that was sent.
func messages[M engine.Message](t testing.TB, l *lone) (list []M) {
	t.Helper()
	codec := engine.NewCodec(feedtree.Vocabulary)
	for _, s := range l.Sent() {
		if _, err := codec.Append(nil, s.Message); err != nil {
			t.Errorf("%T cannot be sent: %v", s.Message, err)
		}
		if m, ok := s.Message.(M); ok {
			list = append(list, m)
		}
	}
	return list
}

// Whatever it is asked, a node confirms only as many items as fit a message.
func TestConfirmationsFitTheirMessage(t *testing.T) {
	const have = 200
	l := newFollower(t, have)
	for _, test := range []struct{ from, to, want uint64 }{
		{1, 63, 63}, {1, 64, 64}, {1, 65, 64}, {1, have, 64}, {1, 1<<64 - 1, 64}, {have - 10, have + 10, 11},
		{have, have, 1},
		{have + 1, have + 5, 0}, {0, 10, 0}, {10, 9, 0}, {1<<64 - 1, 1<<64 - 1, 0},
	} {
		l.Receive(loneParent, &feedtree.Confirm{Topic: loneTopic, From: test.from, To: test.to})
		got := uint64(0)
		for _, m := range messages[*feedtree.Confirmed](t, l) {
			got += uint64(len(m.Numbers))
			if m.Numbers[0] != test.from {
				t.Errorf("from %d to %d: the first is %d", test.from, test.to, m.Numbers[0])
			}
		}
		if got != test.want {
			t.Errorf("from %d to %d: %d are confirmed, not %d", test.from, test.to, got, test.want)
		}
	}
}

// A follower that has given up items too far back does not confirm them: the publisher's node goes on sending them.
func TestWhatIsGivenUpIsNotConfirmed(t *testing.T) {
	const latest = 5000
	l := newFollower(t, 3)
	confirmed := func(from, to uint64) (numbers []uint64) {
		l.Receive(loneParent, &feedtree.Confirm{Topic: loneTopic, From: from, To: to})
		for _, m := range messages[*feedtree.Confirmed](t, l) {
			numbers = append(numbers, m.Numbers...)
		}
		return numbers
	}
	if got := confirmed(1, 10); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Fatalf("at first %v are confirmed", got)
	}
	l.Deliver(loneTopic, signedItem(latest, loneTime, "the latest"), loneParent)
	l.Advance(time.Minute)
	l.Kept(loneTopic, latest, true)
	if traces[feedtree.Skipped](l) == 0 {
		t.Fatal("nothing is given up")
	}
	if got := confirmed(1, 60); len(got) > 0 {
		t.Errorf("%v are confirmed, which were given up or may have been", got)
	}
	if got := confirmed(latest-10, latest); !slices.Equal(got, []uint64{latest}) {
		t.Errorf("of the last %v are confirmed", got)
	}
}

// An item is confirmed when the Library has kept it, not before: this node may crash, and the publisher's node does not
// send again what was confirmed.
func TestWhatIsNotKeptIsNotConfirmed(t *testing.T) {
	l := newFollower(t, 3)
	confirms := func(when string, want ...uint64) {
		t.Helper()
		l.Receive(loneParent, &feedtree.Confirm{Topic: loneTopic, From: 3, To: 10})
		var got []uint64
		for _, m := range messages[*feedtree.Confirmed](t, l) {
			got = append(got, m.Numbers...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %v are confirmed, want %v", when, got, want)
		}
	}
	l.Deliver(loneTopic, signedItem(4, loneTime, "fourth"), loneParent)
	confirms("while the fourth is on its way to the Library,", 3)
	l.Kept(loneTopic, 4, true)
	confirms("when the Library has kept it,", 3, 4)
	l.Deliver(loneTopic, signedItem(6, loneTime, "sixth"), loneParent)
	confirms("while the sixth waits for the fifth,", 3, 4)
	l.Advance(feedtree.Default().Hold)
	confirms("while the sixth is on its way,", 3, 4)
	l.Kept(loneTopic, 6, true)
	confirms("when the Library has kept that,", 3, 4, 6)
}

// The neighbour of a publisher's node refuses any number of items, in any order. The publisher's node still learns that
// all others have arrived. At most 64 are on their way as it sends them, and it asks for none that has arrived.
func TestARefusedItemHidesNoneAfterIt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const items, onTheirWay = 200, 64
		refused := rapid.SliceOfNDistinct(rapid.Uint64Range(1, items), 0, 8, rapid.ID).Draw(rt, "refused")
		accepted := feedtree.Following{Topic: loneTopic, Channel: loneChannel,
			Pin: feedtree.KeyOf(lonePrivate).Fingerprint()}
		for number := uint64(1); number <= items; number++ {
			if !slices.Contains(refused, number) {
				accepted.Later = append(accepted.Later, number)
			}
		}
		follower, author := newLoneWith(feedtree.Default(), nil), newLoneWith(feedtree.Default(), nil)
		if err := errors.Join(follower.Follow(accepted),
			author.Author(feedtree.Authoring{Topic: loneTopic})); err != nil {
			t.Fatal(err)
		}
		author.Advance(time.Minute) // its numbers are checked
		sent, arrived := uint64(0), make(map[uint64]bool)
		for round := 0; len(arrived) < len(accepted.Later); round++ {
			if round > 2*items {
				rt.Fatalf("%d of %d have arrived for the publisher's node, with %d sent", len(arrived),
					len(accepted.Later), sent)
			}
			for sent < items && int(sent)-len(arrived) < onTheirWay {
				sent++
				if err := author.Publish(loneTopic, signedItem(sent, loneTime, "news")); err != nil {
					t.Fatal(err)
				}
			}
			author.Advance(time.Second)
			for _, m := range messages[*feedtree.Confirm](t, author) {
				if m.From == 0 || m.To < m.From || m.To-m.From >= 64 || m.To > sent || arrived[m.From] ||
					arrived[m.To] {
					rt.Fatalf("it asks from %d to %d, with %d sent", m.From, m.To, sent)
				}
				follower.Receive(enginetest.NewPeer("c3"), m)
			}
			for _, m := range messages[*feedtree.Confirmed](t, follower) {
				author.Receive(loneParent, m)
			}
			for _, e := range author.Traced() {
				if a, ok := e.(feedtree.Arrived); ok {
					arrived[a.Number] = true
				}
			}
		}
	})
}

// A node makes so many answers at a time; once they are made, as many again, however often.
func TestAnswersAreCountedDown(t *testing.T) {
	l := newFollower(t, 10)
	most := feedtree.Default().MaxServing
	for round := range 4 {
		for range most + 3 {
			l.Receive(loneParent, &feedtree.Ask{Topic: loneTopic, From: 1})
		}
		if early := messages[*feedtree.Items](t, l); len(early) != 3 || len(l.lends) != most {
			t.Fatalf("round %d: %d are sent away, and the library is asked %d times", round, len(early), len(l.lends))
		}
		lends := l.lends
		l.lends = nil
		for i, found := range lends {
			if i%2 == 0 {
				found(nil)
				continue
			}
			found([]*feedtree.Item{signedItem(1, loneTime, "one")})
		}
		if got := messages[*feedtree.Items](t, l); len(got) != most {
			t.Fatalf("round %d: %d answers of %d", round, len(got), most)
		}
	}
}

// A node gives so many bytes a second, and as many in each further second.
func TestBytesAreGivenInEachSecond(t *testing.T) {
	config := feedtree.Default()
	config.ServeBytes = 768 << 10
	l := newLoneWith(config, nil)
	l.follow(t, 10)
	item := signedItem(1, loneTime, strings.Repeat("x", 100<<10))
	for second := range 4 {
		l.Advance(time.Second)
		messages[*feedtree.Items](t, l) // of its own search
		given := 0
		for range 20 {
			l.lends = nil
			l.Receive(loneParent, &feedtree.Ask{Topic: loneTopic, From: 1})
			for _, found := range l.lends {
				found([]*feedtree.Item{item})
			}
			for _, m := range messages[*feedtree.Items](t, l) {
				given += len(m.Items)
			}
		}
		if bytes := given * len(item.Entry); bytes < config.ServeBytes || bytes > config.ServeBytes+2*len(item.Entry) {
			t.Errorf("second %d: %d bytes are given; want %d, and at most an answer more", second, bytes,
				config.ServeBytes)
		}
	}
}

// An answer to an earlier question, or an unrequested one, moves no search. The node asked now still owes an answer,
// which is accepted when it comes.
func TestStaleAnswersMoveNoSearch(t *testing.T) {
	for what, stale := range map[string]*feedtree.Items{
		"of an earlier question": {Topic: loneTopic, From: 3},
		"of a later question":    {Topic: loneTopic, From: 9},
		"of another topic":       {Topic: engine.IDOf([]byte("another")), From: 6},
	} {
		l := newFollower(t, 5)
		if asked := l.asked(t); asked.From != 6 {
			t.Fatalf("asked from %d on", asked.From)
		}
		before := l.routed
		for range 3 {
			l.Receive(loneParent, stale)
		}
		if n := len(messages[*feedtree.Ask](t, l)); n > 0 || l.routed > before {
			t.Errorf("%s: the search goes on: %d are asked, and %d questions routed", what, n, l.routed-before)
		}
		l.Receive(loneParent, &feedtree.Items{Topic: loneTopic, From: 6})
		if l.routed == before {
			t.Errorf("%s: the true answer does not move the search", what)
		}
	}
}

// A proof that a number was given twice is announced again for a later number, at most once a minute. It is not
// announced for an earlier number or the same, regardless of sender and frequency.
func TestProofsRest(t *testing.T) {
	proof := func(number uint64) *feedtree.Equivocation {
		one, two := signedItem(number, loneTime, "one thing"), signedItem(number, loneTime+1, "another")
		return &feedtree.Equivocation{Topic: loneTopic, First: *one.Head(), Second: *two.Head()}
	}
	l := newFollower(t, 5)
	for i, step := range []struct {
		after  time.Duration
		number uint64
		told   int
	}{
		{0, 10, 1}, {0, 10, 0}, {0, 11, 0}, {59 * time.Second, 11, 0}, {time.Second, 9, 0}, {0, 10, 0}, {0, 11, 1},
		{0, 12, 0},
		{61 * time.Second, 11, 0}, {0, 12, 1}, {time.Second, 13, 0},
	} {
		l.Advance(step.after)
		l.Traced()
		for range 2 {
			l.Receive(loneParent, proof(step.number))
		}
		if got := traces[feedtree.Equivocated](l); got != step.told {
			t.Errorf("step %d, number %d: it is told of %d times, not %d", i, step.number, got, step.told)
		}
	}
}

// slowArchive owes each answer until the test gives it.
type slowArchive struct {
	found []func(*feedtree.Item, *feedtree.Withdrawal)
}

func (a *slowArchive) Find(_ engine.ID, _ uint64, found func(*feedtree.Item, *feedtree.Withdrawal)) {
	a.found = append(a.found, found)
}

// Answers of the archive that come when the search that asked is over neither end nor hurry the next one.
func TestLateAnswersOfTheArchive(t *testing.T) {
	a := new(slowArchive)
	l := newLoneWith(feedtree.Default(), a)
	l.follow(t, 5)
	push := func(number uint64) {
		i := signedItem(number, loneTime+int64(number), "news")
		if _, _, ok := l.Admit(loneTopic, i, loneParent); !ok {
			t.Fatalf("item %d is refused", number)
		}
		l.Deliver(loneTopic, i, loneParent)
		for _, i := range l.kept {
			l.Kept(loneTopic, i.Number, true)
		}
		l.kept = nil
	}
	push(7) // 6 is missing
	for range 60 {
		if l.Advance(time.Second); len(a.found) > 0 {
			break
		}
	}
	late := a.found
	if len(late) == 0 {
		t.Fatal("the archive is not asked")
	}
	push(6) // and the search is over
	push(9) // 8 is missing
	l.Sent()
	routed := l.routed
	for _, found := range late {
		found(nil, nil)
	}
	if n := len(messages[*feedtree.Ask](t, l)); n > 0 || l.routed > routed {
		t.Errorf("the next search begins with late answers: %d are asked", n)
	}
	a.found = nil
	for range 60 {
		if l.Advance(time.Second); len(a.found) > 0 {
			break
		}
	}
	if len(a.found) != 1 {
		t.Fatalf("in the next search the archive is asked %d times", len(a.found))
	}
	l.kept = nil // 9 waits no longer
	before, _ := l.Status(loneTopic)
	for _, found := range late {
		found(signedItem(8, loneTime+8, "news"), nil)
	}
	if after, _ := l.Status(loneTopic); after != before || len(l.kept) > 0 {
		t.Errorf("an answer of the search before is taken twice: %+v", after)
	}
	a.found[0](signedItem(8, loneTime+8, "news"), nil)
	if len(l.kept) != 1 || l.kept[0].Number != 8 {
		t.Errorf("the answer is not taken: %v are kept", l.kept)
	}
}

// Items that have passed through a node can be requested there: the latest ones, up to a bound in number and one in
// bytes.
func TestPassedItemsAreTheLatest(t *testing.T) {
	for _, test := range []struct{ items, bytes, kept int }{{1100, 1, 1024}, {70, feedtree.MaxEntry, 32},
		{70, feedtree.MaxEntry - 1, 32}} {
		l := newFollower(t, 0)
		for number := range uint64(test.items) {
			i := signedItem(number+1, loneTime+int64(number), string(make([]byte, test.bytes)))
			if _, _, ok := l.Admit(loneTopic, i, loneParent); !ok {
				t.Fatalf("item %d is refused", i.Number)
			}
			for _, of := range []int{0, test.kept - 1} {
				if n := int(number) + 1 - of; n > 0 && l.Passed(loneTopic, uint64(n)) == nil {
					t.Fatalf("after %d items of %d bytes item %d is gone", number+1, test.bytes, n)
				}
			}
			if n := int(number) + 1 - test.kept; n > 0 && l.Passed(loneTopic, uint64(n)) != nil {
				t.Fatalf("after %d items of %d bytes item %d is still here", number+1, test.bytes, n)
			}
		}
	}
}

// While a publisher's node asks which numbers exist, it lends the items published before, up to the last. It lends what
// it publishes as soon as that is sent.
func TestAPublisherLendsWhatIsPublished(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	all := []*feedtree.Item{}
	for number := range uint64(6) {
		all = append(all, signedItem(number+1, loneTime+int64(number), "news"))
	}
	lent := func() (last int) {
		l.Sent()
		l.Receive(loneParent, &feedtree.Ask{Topic: loneTopic, From: 1})
		for _, found := range l.lends {
			found(all)
		}
		l.lends = nil
		for _, m := range messages[*feedtree.Items](t, l) {
			for i, item := range m.Items {
				if last = i + 1; item.(*feedtree.Item).Number != uint64(i+1) {
					t.Errorf("item %d is number %d", i, item.(*feedtree.Item).Number)
				}
			}
		}
		return last
	}
	if err := l.Author(feedtree.Authoring{Topic: loneTopic, Last: 3}); err != nil {
		t.Fatal(err)
	}
	if n := lent(); n != 3 {
		t.Errorf("at first the items up to %d are lent", n)
	}
	if err := l.Publish(loneTopic, all[3]); err != nil {
		t.Fatal(err)
	}
	if n := lent(); n != 3 {
		t.Errorf("before item 4 is sent the items up to %d are lent", n)
	}
	for l.Checking(loneTopic) {
		l.Advance(time.Second)
	}
	if n := lent(); n != 4 {
		t.Errorf("when item 4 is sent the items up to %d are lent", n)
	}
	if err := l.Publish(loneTopic, all[4]); err != nil {
		t.Fatal(err)
	}
	if n := lent(); n != 5 {
		t.Errorf("when item 5 is sent the items up to %d are lent", n)
	}
}

// Withdrawn items make room: the items that withdraw them are all available from the nodes that they passed.
func TestWithdrawnItemsMakeRoom(t *testing.T) {
	const pairs = 70 // twice as many bytes as are kept
	l := newFollower(t, 0)
	text := string(make([]byte, feedtree.MaxEntry))
	for number := uint64(2); number <= 2*pairs; number += 2 {
		withdraws := string(feedtree.Withdrawing([]uint64{number - 1}, nil))
		for _, i := range []*feedtree.Item{
			signedItem(number-1, loneTime+int64(number), text), signedItem(number, loneTime+int64(number), withdraws),
		} {
			if _, _, ok := l.Admit(loneTopic, i, loneParent); !ok {
				t.Fatalf("item %d is refused", i.Number)
			}
		}
	}
	for number := uint64(1); number <= 2*pairs; number++ {
		if here := l.Passed(loneTopic, number) != nil; here != (number%2 == 0) {
			t.Errorf("item %d is here: %v", number, here)
		}
	}
}
