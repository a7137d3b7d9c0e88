package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

var hubBounds = tidings.HubBounds{All: 1000, PerTopic: 1000, PerDomain: 1000}

// hubAccount makes the hub's account follow channels.
func hubAccount(t testing.TB, s *Store, urls ...string) tidings.AccountID {
	t.Helper()
	account, err := s.Subscribers.Add(t.Context(), tidings.HubSubscriber)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if _, _, err := s.Subscribe(t.Context(), account, Subscription{URL: url, Privacy: tidings.Public}); err != nil {
			t.Fatal(err)
		}
	}
	return account
}

// putHub stores a subscription at the hub, and returns it.
func putHub(t testing.TB, s *Store, topic, callback string,
	change func(*tidings.HubSubscription)) tidings.HubSubscription {
	t.Helper()
	h := tidings.HubSubscription{
		Topic: topic, Callback: callback, Channel: topic, Domain: "reader.example", Secret: "x",
		Expires: time.Now().Add(time.Hour),
	}
	if change != nil {
		change(&h)
	}
	if err := s.Hub.PutHubSubscription(t.Context(), topic, callback, h, hubBounds); err != nil {
		t.Fatal(err)
	}
	all, err := s.Hub.HubSubscriptions(t.Context(), "", 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range all {
		if got.Callback == h.Callback && got.Topic == h.Topic {
			if !got.Expires.Equal(h.Expires.Truncate(time.Microsecond)) || got.Secret != h.Secret ||
				got.Channel != h.Channel || got.Domain != h.Domain {
				t.Fatalf("stored %+v, not %+v", got, h)
			}
			return got
		}
	}
	t.Fatalf("%s is not among %v", callback, all)
	return h
}

// An update of a channel goes to all subscriptions to it, as a whole, and replaces what was not delivered. Nothing of
// other channels does, and subscriptions get nothing as the targets of an account do.
func TestHubDeliveries(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	other := "https://example.org/other"
	hubAccount(t, s, feedURL, other)
	follow(t, s, feedURL)
	mine := addTarget(t, s, "mine", tidings.Ntfy, tidings.Selector{})
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, other, story{"a", "x"})
	one, two := putHub(t, s, feedURL, "https://reader.example/1", nil),
		putHub(t, s, feedURL, "https://reader.example/2", nil)
	elsewhere := putHub(t, s, other, "https://reader.example/1", nil)
	var ready []int64
	s.Outbox.Listen(func(target int64) { ready = append(ready, target) })
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	if want := []int64{mine.ID, one.Target, two.Target}; !slices.Equal(ready, want) {
		t.Errorf("ready are %v, not %v", ready, want)
	}
	first := next(t, s, one.Target)
	if first.Target.Kind != tidings.WebSub || first.Parts[0].Update.Version != 2 {
		t.Errorf("next is %+v", first)
	}
	if err := s.Outbox.Postpone(ctx, one.Target, first.Deliveries, "busy", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.Outbox.GiveUp(ctx, two.Target, next(t, s, two.Target).Deliveries, "too old", time.Time{}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	for _, h := range []tidings.HubSubscription{one, two} {
		to, err := s.Outbox.Target(ctx, first.Target.Account, h.Target)
		if err != nil || to.Standing.Pending != 1 || to.Standing.Failed != 0 {
			t.Errorf("the target is %+v, %v", to, err)
		}
	}
	if c, err := s.Hub.HubCounts(ctx); err != nil || c != (tidings.HubStatus{Topics: 2, Subscriptions: 3, Failing: 2}) {
		t.Errorf("counted %+v, %v", c, err)
	}
	// What was under way when the update came is done, and the update still waits.
	if err := s.Outbox.Delivered(ctx, first); err != nil {
		t.Fatal(err)
	}
	for _, h := range []tidings.HubSubscription{one, two} {
		if got := deliverAll(t, s, h.Target); got != "c" {
			t.Errorf("subscription %d gets %q", h.Target, got)
		}
	}
	nothingIsNext(t, s, elsewhere.Target)
	if got := deliverAll(t, s, mine.ID); got != "b c" {
		t.Errorf("the owner gets %q", got)
	}
}

// A subscription is that of its keys: a second one changes it, and resumes it where the callback said that it is gone.
func TestHubSubscriptionsAreReplaced(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	hubAccount(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	before := putHub(t, s, feedURL, "https://reader.example/1", nil)
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	if err := s.Outbox.Suspend(ctx, before.Target, "gone"); err != nil {
		t.Fatal(err)
	}
	nothingIsNext(t, s, before.Target)
	after := putHub(t, s, feedURL, "https://reader.example/1", func(h *tidings.HubSubscription) {
		h.Secret, h.Topic, h.Expires = "", "https://example.org/%66eed", time.Now().Add(2*time.Hour)
	})
	if after.Target != before.Target {
		t.Errorf("%+v is another than %+v", after, before)
	}
	if j := next(t, s, after.Target); j.Target.Secret != "" || j.Failures != 0 {
		t.Errorf("next is %+v", j)
	}
	if err := s.Hub.RemoveHubSubscription(ctx, feedURL, "https://reader.example/1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Hub.RemoveHubSubscription(ctx, feedURL, "https://reader.example/1"); err != nil {
		t.Errorf("removing it again: %v", err)
	}
	if _, err := s.Hub.HubSubscription(ctx, after.Target); !errors.Is(err, tidings.ErrNotFound) {
		t.Error(err)
	}
	nothingIsNext(t, s, after.Target)
}

// There are at most as many as the bounds say, of a topic, of a domain and in all. One that is there can be renewed.
func TestHubSubscriptionsAreBounded(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	put := func(topic, callback, domain string, b tidings.HubBounds) error {
		return s.Hub.PutHubSubscription(ctx, topic, callback, tidings.HubSubscription{
			Topic: topic, Callback: callback, Channel: topic, Domain: domain, Expires: time.Now().Add(time.Hour)}, b)
	}
	if err := put("t", "c", "d", hubBounds); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("without an account: %v", err)
	}
	hubAccount(t, s)
	b := tidings.HubBounds{All: 4, PerTopic: 2, PerDomain: 3}
	for i, c := range []struct {
		topic, callback, domain, want string
	}{
		{"t1", "c1", "d1", ""}, {"t1", "c2", "d1", ""}, {"t1", "c3", "d2", "the topic has 2"}, {"t1", "c1", "d1", ""},
		{"t2", "c1", "d1", ""}, {"t3", "c1", "d1", "d1 has 3"}, {"t3", "c1", "d2", ""},
		{"t4", "c1", "d3", "the hub has 4"},
		{"t3", "c1", "d2", ""},
	} {
		err := put(c.topic, c.callback, c.domain, b)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// After the lease nothing is put into the outbox or sent, and the subscription is removed, a bounded number at a time.
func TestHubSubscriptionsExpire(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	s := mustOpen(t, Config{Dir: dataDir(t), Now: func() time.Time { return now }})
	defer s.Close()
	account := hubAccount(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	until := func(at time.Time) func(*tidings.HubSubscription) {
		return func(h *tidings.HubSubscription) { h.Expires = at }
	}
	short := putHub(t, s, feedURL, "https://reader.example/1", until(now.Add(time.Minute)))
	long := putHub(t, s, feedURL, "https://reader.example/2", until(now.Add(time.Hour)))
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	next(t, s, short.Target)
	now = now.Add(time.Minute)
	nothingIsNext(t, s, short.Target)
	next(t, s, long.Target)
	if removed, err := s.Hub.ExpireHub(t.Context(), 10); err != nil || removed != 1 {
		t.Errorf("removed %d, %v", removed, err)
	}
	all, err := s.Hub.HubChannels(t.Context())
	if err != nil || len(all) != 1 || all[0].Subscriptions != 1 || all[0].Others != 0 || all[0].Since.IsZero() ||
		all[0].Ended {
		t.Errorf("channels %+v, %v", all, err)
	}
	follow(t, s, feedURL)
	if hub, others, err := s.Hub.HubFollowers(t.Context(), feedURL); err != nil || !hub || others != 1 {
		t.Errorf("followed by the hub %v and %d others, %v", hub, others, err)
	}
	if _, err := s.Unsubscribe(t.Context(), account, feedURL); err != nil {
		t.Fatal(err)
	}
	if all, err = s.Hub.HubChannels(t.Context()); err != nil || len(all) != 1 || all[0].Subscriptions != 1 ||
		all[0].Others != 1 || !all[0].Since.IsZero() {
		t.Errorf("channels that are not followed: %+v, %v", all, err)
	}
	for i := range 5 {
		putHub(t, s, feedURL, fmt.Sprint("https://reader.example/more/", i), until(now.Add(time.Minute)))
	}
	now = now.Add(time.Hour)
	for _, want := range []int{4, 2, 0} {
		if removed, err := s.Hub.ExpireHub(t.Context(), 4); err != nil || removed != want {
			t.Errorf("removed %d, not %d, %v", removed, want, err)
		}
	}
}

// The hub's subscriptions go with its account.
func TestHubSubscriptionsGoWithTheAccount(t *testing.T) {
	s := newStore(t)
	account := hubAccount(t, s, feedURL)
	h := putHub(t, s, feedURL, "https://reader.example/1", nil)
	if left, err := s.RemovePerson(t.Context(), account); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := s.Hub.HubSubscription(t.Context(), h.Target); !errors.Is(err, tidings.ErrNotFound) {
		t.Error(err)
	}
}

// The document of a feed is kept if the change has it, for the latest version alone. It is never kept with an item
// under embargo in it.
func TestFeedDocuments(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	kept := func(change func(*tidings.Change), stories ...story) string {
		t.Helper()
		f := document(t, s, feedURL, stories...)
		f.Raw, f.RawType = []byte("<rss>"+stories[0].id+"</rss>"), "application/rss+xml"
		if change != nil {
			change(f)
		}
		record(t, s, content.Record{URL: feedURL, Change: f})
		body, kind, err := s.Content.Document(t.Context(), feedURL)
		if err != nil || kind != "application/rss+xml" && body != nil {
			t.Fatalf("kept as %s, %v", kind, err)
		}
		return string(body)
	}
	all := []story{{"a", "x"}}
	add := func(guid string) []story { all = slices.Insert(all, 0, story{guid, "x"}); return all }
	if got := kept(nil, all...); got != "<rss>a</rss>" {
		t.Errorf("of the first version: %q", got)
	}
	if got := kept(nil, add("b")...); got != "<rss>b</rss>" {
		t.Errorf("of the second: %q", got)
	}
	if got := kept(func(f *tidings.Change) { f.Raw = nil }, add("c")...); got != "" {
		t.Errorf("without one: %q", got)
	}
	kept(nil, add("d")...)
	if got := kept(func(f *tidings.Change) { f.Partial = true }, add("e")[0]); got != "" {
		t.Errorf("of a part: %q", got)
	}
	kept(nil, add("f")...)
	if got := kept(func(f *tidings.Change) {
		f.Items[0].News = &tidings.News{Status: tidings.Usable, Embargo: time.Now().Add(time.Hour)}
	}, slices.Insert(add("g"), 0, story{"h", "x"})...); got != "" {
		t.Errorf("with an item under embargo: %q", got)
	}
	all = slices.Insert(all, 0, story{"h", "x"})
	if got := kept(nil, add("i")...); got != "" {
		t.Errorf("while an item is under embargo: %q", got)
	}
}

// A notice about a channel goes to people. Subscribers at the hub are delivered the channel's content, which is as it
// was, and so is the document that is kept.
func TestNoticesAreNotForTheHub(t *testing.T) {
	s := newStore(t)
	hubAccount(t, s, feedURL)
	follow(t, s, feedURL)
	mine := addTarget(t, s, "mine", tidings.Ntfy, tidings.Selector{})
	h := putHub(t, s, feedURL, "https://reader.example/1", nil)
	f := document(t, s, feedURL, story{"a", "x"})
	f.Raw, f.RawType = []byte("<rss>a</rss>"), "application/rss+xml"
	record(t, s, content.Record{URL: feedURL, Change: f})
	record(t, s, content.Record{URL: feedURL, Health: tidings.HealthFailing, Change: noticeOf(tidings.KindFeed)})
	nothingIsNext(t, s, h.Target)
	if got := next(t, s, mine.ID); got.Parts[0].Item.ID != "urn:ended" {
		t.Errorf("people get %+v", got.Parts)
	}
	if body, _, err := s.Content.Document(t.Context(), feedURL); err != nil || string(body) != "<rss>a</rss>" {
		t.Errorf("the document is %q, %v", body, err)
	}
}

// Addresses of chat follow channels, but do not count as people that follow a channel of the hub.
func TestChatDoesNotWidenTheHub(t *testing.T) {
	s := newStore(t)
	hubAccount(t, s, feedURL)
	putHub(t, s, feedURL, "https://reader.example/1", nil)
	others := func() [2]int {
		_, people, err := s.Hub.HubFollowers(t.Context(), feedURL)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Hub.HubChannels(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		return [2]int{people, all[0].Others}
	}
	address, err := s.Subscribers.Add(t.Context(), "xmpp:romeo@montague.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Subscribe(t.Context(), address, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	if got := others(); got != [2]int{} {
		t.Errorf("%v people follow what an address of chat does", got)
	}
	follow(t, s, feedURL)
	if got := others(); got != [2]int{1, 1} {
		t.Errorf("%v people follow it", got)
	}
}

// An update for 10,000 subscriptions enters the outbox in the transaction that stores it.
func BenchmarkHubEnqueue(b *testing.B) {
	s := newStore(b)
	hubAccount(b, s, feedURL)
	bounds := tidings.HubBounds{All: 20_000, PerTopic: 20_000, PerDomain: 20_000}
	publish(b, s, feedURL, story{"first", "x"})
	for i := range 10_000 {
		callback := fmt.Sprint("https://reader.example/", i)
		if err := s.Hub.PutHubSubscription(b.Context(), feedURL, callback, tidings.HubSubscription{
			Topic: feedURL, Callback: callback, Channel: feedURL, Domain: "reader.example",
			Expires: time.Now().Add(time.Hour),
		}, bounds); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		n++
		publish(b, s, feedURL, story{fmt.Sprint(n), "x"})
	}
}
