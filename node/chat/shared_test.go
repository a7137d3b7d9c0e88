package chat

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store"
	"tidings/store/storetest"
)

// follow has addresses follow all but what is private, in a store.
type follow struct{ *store.Store }

func (f follow) PublicAddress(address string) (string, error) {
	if address == "https://private.example/" {
		return "", tidings.Invalidf("that is not public")
	}
	return address, nil
}

func (f follow) SubscribeOutside(ctx context.Context, account tidings.AccountID,
	address string) (tidings.Subscription, error) {
	s, _, err := f.Store.Subscribe(ctx, account, store.Subscription{URL: address, Privacy: tidings.Public})
	return s, err
}

func (f follow) Unsubscribe(ctx context.Context, account tidings.AccountID, address string) error {
	_, err := f.Store.Unsubscribe(ctx, account, address)
	return err
}

func (f follow) RemovePerson(ctx context.Context, account tidings.AccountID) error {
	_, err := f.Store.RemovePerson(ctx, account)
	return err
}

func newShared(t *testing.T) *Shared {
	s := storetest.New(t)
	d := &Directory{Subscribers: s.Subscribers, Follow: follow{s}, Library: s, Outbox: s.Outbox}
	return &Shared{Directory: d, Notes: s.Followings, Names: s.Subscribers, Key: []byte("key")}
}

// state describes what an address follows at a node.
func state(t interface {
	Fatal(...any)
	Context() context.Context
}, s *Shared, address string) string {
	account, err := s.Directory.Find(t.Context(), address)
	if err != nil {
		return "nothing"
	}
	all, err := s.Directory.Channels(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, c := range all {
		urls = append(urls, c.URL)
	}
	slices.Sort(urls)
	schedule, err := s.Directory.Schedule(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	if schedule.Digest == nil && len(urls) == 0 {
		return "nothing"
	}
	if schedule.Digest == nil {
		return fmt.Sprint(urls)
	}
	return fmt.Sprint(urls, *schedule.Digest)
}

// pull has a node learn all that another has noted, in pages.
func pull(t interface {
	Fatal(...any)
	Context() context.Context
}, from, to *Shared, page int) {
	var after tidings.FollowingCursor
	for {
		rows, err := from.Followings(t.Context(), after, page)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			return
		}
		if err := to.Merge(t.Context(), rows, 100); err != nil {
			t.Fatal(err)
		}
		last := rows[len(rows)-1]
		after = tidings.FollowingCursor{Address: last.Address, Channel: last.Channel + last.Forgotten}
	}
}

// nextMillisecond waits until the clock shows another time.
func nextMillisecond() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
		time.Sleep(50 * time.Microsecond)
	}
}

// empty removes all addresses at a node, with all notes.
func empty(t *rapid.T, s *Shared) {
	all, err := s.Notes.Addresses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range all {
		if account, err := s.Directory.Find(t.Context(), address); err == nil {
			if err := s.Directory.Forget(t.Context(), account); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Notes.Forget(t.Context(), address, "x", time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Notes.Expire(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// Changes are made at any node, and the others may miss them. Once they have compared, all have the same, and the last
// change holds everywhere.
func TestNodesAgree(t *testing.T) {
	nodes := []*Shared{newShared(t), newShared(t), newShared(t)}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		for _, n := range nodes {
			empty(t, n)
		}
		addresses := []string{fmt.Sprintf("a%d@example.org", run), fmt.Sprintf("b%d@example.org", run)}
		last := func() {}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			node := rapid.SampledFrom(nodes).Draw(t, "node")
			address := rapid.SampledFrom(addresses).Draw(t, "address")
			url := "https://example.org/" + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "url")
			nextMillisecond()
			account, err := node.Directory.Find(t.Context(), address)
			known := err == nil
			switch what := rapid.SampledFrom([]string{"subscribe", "subscribe", "unsubscribe", "schedule",
				"forget"}).Draw(t, "what"); {
			case what == "subscribe":
				_, err = node.Directory.Subscribe(t.Context(), address, url, 100)
			case !known:
				continue
			case what == "unsubscribe":
				if err = node.Directory.Unsubscribe(t.Context(), account, url); err != nil {
					continue
				}
			case what == "schedule":
				err = node.Directory.Reschedule(t.Context(), account,
					tidings.Schedule{Digest: new(tidings.TimeOfDay(rapid.IntRange(0, 3).Draw(t, "digest")))})
			default:
				err = node.Directory.Forget(t.Context(), account)
			}
			if err != nil {
				t.Fatal(err)
			}
			rows, err := node.Note(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) > 0 {
				want := state(t, node, address)
				last = func() {
					for _, r := range rows {
						for i, n := range nodes {
							account, err := n.Directory.Find(t.Context(), address)
							follows := false
							if err == nil {
								all, _ := n.Directory.Channels(t.Context(), account)
								follows = slices.ContainsFunc(all, func(s tidings.Subscription) bool {
									return s.URL == r.Channel
								})
							}
							if r.Forgotten != "" && err == nil || r.Channel != "" && r.Schedule == nil &&
								follows == r.Ended {
								t.Fatalf("node %d: %s, after %+v the last was %s", i, state(t, n, address), r, want)
							}
						}
					}
				}
			}
			for _, other := range nodes {
				if other != node && rapid.Bool().Draw(t, "arrives") {
					if err := other.Merge(t.Context(), rows, 100); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		page := rapid.IntRange(1, 5).Draw(t, "page")
		for range 2 {
			for _, from := range nodes {
				for _, to := range nodes {
					if from != to {
						pull(t, from, to, page)
					}
				}
			}
		}
		for _, address := range addresses {
			want := state(t, nodes[0], address)
			for i, n := range nodes[1:] {
				if got := state(t, n, address); got != want {
					t.Fatalf("node %d: %s is %s, at node 0 %s", i+1, address, got, want)
				}
			}
		}
		last()
	})
}

// What was followed before the account was shared is given to others, too.
func TestWhatWasFollowedBefore(t *testing.T) {
	a, b := newShared(t), newShared(t)
	if _, err := a.Directory.Subscribe(t.Context(), "alice@example.org", "https://example.org/", 100); err != nil {
		t.Fatal(err)
	}
	pull(t, a, b, 10)
	if got := state(t, b, "alice@example.org"); got != "[https://example.org/]" {
		t.Error(got)
	}
}

// Of a forgotten address a hash is kept, which needs the key to be made, and that for 30 days. What is older than that,
// or private here, is not stored, and does not hinder the rest.
func TestWhatIsKept(t *testing.T) {
	s := newShared(t)
	const address = "alice@example.org"
	if _, err := s.Directory.Subscribe(t.Context(), address, "https://example.org/", 100); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Note(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	account, err := s.Directory.Find(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Directory.Forget(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Note(t.Context(), address)
	if err != nil || len(rows) != 1 || rows[0].Address != "" || rows[0].Forgotten != s.hash(address) {
		t.Fatalf("%+v, %v", rows, err)
	}
	all, err := s.Followings(t.Context(), tidings.FollowingCursor{}, 100)
	if err != nil || fmt.Sprint(all) != fmt.Sprint(rows) {
		t.Errorf("%+v, %v", all, err)
	}
	if other := (&Shared{Key: []byte("another")}).hash(address); other == rows[0].Forgotten {
		t.Error("the hash needs no key")
	}
	now := time.Now().Truncate(time.Millisecond)
	old := now.Add(-keepEnded - time.Minute)
	if err := s.Merge(t.Context(), []tidings.Following{
		{Forgotten: "x", Changed: old}, {Address: "bob@example.org", Channel: "https://example.org/", Ended: true,
			Changed: old},
		{Address: "bob@example.org", Channel: "https://private.example/", Changed: now},
		{Address: "bob@example.org", Channel: "https://example.org/2", Changed: now},
	}, 100); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s, "bob@example.org"); got != "[https://example.org/2]" {
		t.Error(got)
	}
	if all, err = s.Followings(t.Context(), tidings.FollowingCursor{}, 100); err != nil || len(all) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := s.Notes.Put(t.Context(), []tidings.Following{{Forgotten: "x", Changed: old}}); err != nil {
		t.Fatal(err)
	}
	if all, err = s.Followings(t.Context(), tidings.FollowingCursor{}, 100); err != nil || len(all) != 2 {
		t.Errorf("old notes stay: %+v, %v", all, err)
	}
}
