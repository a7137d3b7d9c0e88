package node

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/source"
)

// hostile 4: a channel that moves for good to a followed address is merged into that one. What was read stays read,
// stars stay, and nothing of the old channel is polled any more.
func TestHostile4AMoveToAFollowedChannelMakesOne(t *testing.T) {
	o, base := startOrigin(t)
	made := origin.MakeFeed(1, 4, 100)
	for _, name := range []string{"old", "new"} {
		if err := o.AddFeed(name, made, origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, client := startNode(t)
	ctx := t.Context()
	for _, o := range []tidings.SubscribeRequest{{URL: base + "old"},
		{URL: base + "new", Name: "Mine", Folder: "News"}} {
		if _, err := client.Subscribe(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := client.Entries(ctx, tidings.EntryQuery{Channel: base + "old", Limit: 10})
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if err := client.MarkRead(ctx, []int64{entries[0].Item, entries[1].Item, entries[2].Item}, true); err != nil {
		t.Fatal(err)
	}
	if err := client.Star(ctx, entries[1].Item, true); err != nil {
		t.Fatal(err)
	}
	updates, err := client.Updates(ctx, tidings.UpdateQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}

	w, err := n.store.Content.Watch(ctx, base+"old")
	if err != nil {
		t.Fatal(err)
	}
	if err := n.RecordPoll(ctx, channels.JobOf(w), source.Result{Moved: base + "new"}); err != nil {
		t.Fatal(err)
	}

	all, err := client.Channels(ctx)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d channels, %v", len(all), err)
	}
	if f := all[0]; f.URL != base+"new" || f.Unread != 1 || f.Label() != "Mine" || f.Folder != "News" {
		t.Errorf("followed %+v", f)
	}
	left, err := client.Entries(ctx, tidings.EntryQuery{Unread: true, Limit: 10})
	if err != nil || len(left) != 1 || left[0].Content.Title != entries[3].Content.Title {
		t.Errorf("unread: %d, %v", len(left), err)
	}
	starred, err := client.Entries(ctx, tidings.EntryQuery{Starred: true, Limit: 10})
	if err != nil || !slices.ContainsFunc(starred, func(e tidings.Entry) bool {
		return e.Channel == base+"new" && e.Content.Title == entries[1].Content.Title
	}) {
		t.Errorf("starred: %d, %v", len(starred), err)
	}
	if n.watcher.Has(base+"old") || !n.watcher.Has(base+"new") {
		t.Error("the wrong one is polled")
	}
	again, err := client.Updates(ctx, tidings.UpdateQuery{After: updates[len(updates)-1].ID, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range again {
		if u.Channel != base+"new" {
			t.Errorf("told %+v", u)
		}
	}
}

// pollAt polls a channel at a given time after the start, and applies the result as the scheduler does. Redirects have
// to last for as long as outside a lab.
type pollAt struct {
	node    *Node
	start   time.Time
	watched source.Job
}

func newPollAt(t *testing.T, n *Node, url string) *pollAt {
	t.Helper()
	w, err := n.store.Content.Watch(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return &pollAt{n, time.Now(), channels.JobOf(w)}
}

func (p *pollAt) poll(t *testing.T, after time.Duration) {
	t.Helper()
	l := *p.node.poller
	l.Plan.Lab, l.Now = false, func() time.Time { return p.start.Add(after) }
	r := l.Poll(t.Context(), p.watched, "a test")
	if r.Err != nil || r.Poll.Status != 200 && r.Poll.Status != 304 {
		t.Fatalf("polled: %+v, %v", r.Poll, r.Err)
	}
	p.watched.Memory = r.Memory
	if err := p.node.RecordPoll(t.Context(), p.watched, r); err != nil {
		t.Fatal(err)
	}
}

// hostile 4: the origin of a channel redirects for good to a followed channel. The two are merged when three redirects
// in a row, over 24 hours, have said so, and not before. One answer without a redirect begins that anew.
func TestHostile4ARedirectToAFollowedChannelMakesOne(t *testing.T) {
	for _, kind := range []origin.FaultKind{"301", "308"} {
		t.Run(string(kind), func(t *testing.T) {
			o, base := startOrigin(t)
			made := origin.MakeFeed(1, 4, 100)
			n, client := startNode(t)
			for _, name := range []string{"old", "new"} {
				if err := o.AddFeed(name, made, origin.Options{}); err != nil {
					t.Fatal(err)
				}
				if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + name}); err != nil {
					t.Fatal(err)
				}
			}
			followed := func() (urls []string) {
				t.Helper()
				all, err := client.Channels(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range all {
					urls = append(urls, f.URL)
				}
				slices.Sort(urls)
				return urls
			}
			redirect := func() {
				t.Helper()
				if err := o.Fail("old", origin.Fault{Kind: kind, Value: "/new"}); err != nil {
					t.Fatal(err)
				}
			}
			both := []string{base + "new", base + "old"}
			p := newPollAt(t, n, base+"old")
			redirect()
			p.poll(t, 0)
			p.poll(t, 12*time.Hour)
			if err := o.Heal("old"); err != nil {
				t.Fatal(err)
			}
			p.poll(t, 23*time.Hour)
			redirect()
			for _, after := range []time.Duration{24, 36, 47} {
				p.poll(t, after*time.Hour)
				if got := followed(); !slices.Equal(got, both) {
					t.Fatalf("after %d hours it follows %q", after, got)
				}
			}
			p.poll(t, 48*time.Hour)
			if got := followed(); !slices.Equal(got, []string{base + "new"}) {
				t.Errorf("after a day of redirects it follows %q", got)
			}
			if n.watcher.Has(base+"old") || !n.watcher.Has(base+"new") {
				t.Error("the wrong one is polled")
			}
		})
	}
}

// The trusted key of a merged channel signs nothing of the other. Otherwise a site that redirects there could have
// anything believed of it. The other's own key stays.
func TestAMergedChannelBringsNoKey(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		w := pollTogether(t, 1, time.Hour)
		story := entry("1", "One", "text")
		old, other := newSpeaker(t, "old"), newSpeaker(t, "new")
		old.url, other.url = w.base+"old", w.base+"new"
		old.serve(w.origin, w.base, "old", rssOf(old.announcement(), story))
		announced := ""
		if own {
			announced = other.announcement()
		}
		other.serve(w.origin, w.base, "new", rssOf(announced, story))
		w.follow(0, old.url)
		w.follow(0, other.url)
		n := w.nodes[0]
		await(t, "the old channel is trusted to its key", func() bool { return w.pushed(0, old.url) != nil })
		await(t, "its pushes are awaited", func() bool { return n.followsTopic(t.Context(), old.topic()) })
		if own {
			await(t, "the other is trusted to its own", func() bool { return w.pushed(0, other.url) != nil })
		}
		p := newPollAt(t, n.Node, old.url)
		if err := w.origin.Fail("old", origin.Fault{Kind: "301", Value: "/new"}); err != nil {
			t.Fatal(err)
		}
		for _, after := range []time.Duration{0, 12, 24} {
			p.poll(t, after*time.Hour)
		}
		all, err := w.client(0).Channels(t.Context())
		if err != nil || len(all) != 1 || all[0].URL != other.url {
			t.Fatalf("it follows %+v, %v", all, err)
		}
		await(t, "pushes of the old channel are awaited no more", func() bool {
			return !n.followsTopic(t.Context(), old.topic())
		})
		pin, err := n.store.Pushed.PinOf(t.Context(), other.url)
		switch {
		case !own && !errors.Is(err, tidings.ErrNotFound):
			t.Errorf("the other is trusted to %x, %v", pin.Fingerprint, err)
		case own && (err != nil || pin.Fingerprint != other.fingerprint() || pin.Offered != [32]byte{}):
			t.Errorf("the other is trusted to %x, offered %x, %v, want its own key %s", pin.Fingerprint, pin.Offered,
				err, other.fingerprint())
		}
	}
}

// followsTopic reports whether a publisher's pushes are awaited.
func (n *Node) followsTopic(ctx context.Context, topic engine.ID) (follows bool) {
	n.coop.InLoop(ctx, func() { _, follows = n.pushes.Status(topic) })
	return follows
}
