package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/reader"
)

// addTarget adds a target of the owner.
func addTarget(t testing.TB, s *Store, name string, kind tidings.TargetKind, selector tidings.Selector) tidings.Target {
	t.Helper()
	return addTargetOf(t, s, tidings.Owner, name, kind, selector)
}

func addTargetOf(t testing.TB, s *Store, account tidings.AccountID, name string, kind tidings.TargetKind,
	selector tidings.Selector) tidings.Target {
	t.Helper()
	added, err := s.Outbox.AddTarget(t.Context(), tidings.Target{
		Account: account, Name: name, Kind: kind, URL: "https://push.example/" + name, Selector: selector,
		Secret: "secret of " + name,
		Text:   tidings.Text{Title: "{title}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// next returns the next delivery to a target.
func next(t testing.TB, s *Store, target int64) tidings.DeliveryJob {
	t.Helper()
	j, err := s.Outbox.Next(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// nothingIsNext fails if something is to be delivered to a target.
func nothingIsNext(t testing.TB, s *Store, target int64) {
	t.Helper()
	if j, err := s.Outbox.Next(t.Context(), target); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("deliveries %v are next, error %v", j.Deliveries, err)
	}
}

// deliverAll delivers what is pending to a target, and returns the titles of items; those of one message in brackets.
func deliverAll(t testing.TB, s *Store, target int64) string {
	t.Helper()
	var all []string
	for {
		j, err := s.Outbox.Next(t.Context(), target)
		if errors.Is(err, tidings.ErrNotFound) {
			return strings.Join(all, " ")
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range j.Parts {
			if p.Item != nil {
				all = append(all, strings.TrimPrefix(p.Item.Title, "Story "))
				continue
			}
			var titles []string
			for _, item := range p.Update.Items {
				titles = append(titles, strings.TrimPrefix(item.Title, "Story "))
			}
			all = append(all, fmt.Sprint(titles))
		}
		if err := s.Outbox.Delivered(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
}

// What a target selects is delivered to it: items one by one, the oldest first, more than five of them in one
// message, and to a webhook always so. A channel's first version is not delivered.
func TestWhatIsDelivered(t *testing.T) {
	s := newStore(t)
	phone := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	hook := addTarget(t, s, "hook", tidings.Webhook, tidings.Selector{Channel: feedURL})
	other := addTarget(t, s, "other", tidings.Ntfy, tidings.Selector{Channel: "https://example.org/other"})
	folder := addTarget(t, s, "folder", tidings.Ntfy, tidings.Selector{Folder: "news"})
	follow(t, s, feedURL)
	news := "news/local"
	if err := s.Change(t.Context(), tidings.Owner, feedURL,
		Change{ChannelChange: tidings.ChannelChange{Folder: &news}}); err != nil {
		t.Fatal(err)
	}
	var all []story
	add := func(titles ...string) {
		for _, title := range titles {
			all = slices.Insert(all, 0, story{title, "x"})
		}
		publish(t, s, feedURL, all...)
	}
	add("a", "b")
	for _, to := range []int64{phone.ID, hook.ID, folder.ID} {
		nothingIsNext(t, s, to)
	}
	add("c", "d")
	add("1", "2", "3", "4", "5")
	add("6", "7", "8", "9", "10", "11")
	add("12")
	for _, c := range []struct {
		to   tidings.Target
		want string
	}{
		{phone, "c d 1 2 3 4 5 [11 10 9 8 7 6] 12"}, {folder, "c d 1 2 3 4 5 [11 10 9 8 7 6] 12"},
		{hook, "[d c] [5 4 3 2 1] [11 10 9 8 7 6] 12"}, {other, ""},
	} {
		if got := deliverAll(t, s, c.to.ID); got != c.want {
			t.Errorf("%s gets %q, want %q", c.to.Name, got, c.want)
		}
	}
	if got, err := s.Outbox.Target(t.Context(), tidings.Owner, phone.ID); err != nil || got.Standing.Pending != 0 ||
		got.Standing.Delivered.IsZero() || got.Secret != phone.Secret || got.Text != phone.Text {
		t.Errorf("the target at the end: %+v, %v", got, err)
	}
}

// Targets of a folder that is renamed, and of a channel that has moved, stay its targets.
func TestTargetsFollowFoldersAndChannels(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	const moved = "https://example.org/moved"
	folder := addTarget(t, s, "folder", tidings.Ntfy, tidings.Selector{Folder: "news"})
	channel := addTarget(t, s, "channel", tidings.Ntfy, tidings.Selector{Channel: feedURL})
	news := "news"
	for _, url := range []string{feedURL, moved} {
		follow(t, s, url)
		if err := s.Change(ctx, tidings.Owner, url,
			Change{ChannelChange: tidings.ChannelChange{Folder: &news}}); err != nil {
			t.Fatal(err)
		}
		publish(t, s, url, story{"a", "x"})
	}
	var folders []reader.Folder
	if err := s.DB.Read(ctx, func(conn *sqlite.Conn) (err error) {
		folders, err = reader.Folders(conn, tidings.Owner)
		return err
	}); err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := NewArticles(s).RenameFolder(ctx, tidings.Owner, folders[0].ID, "world"); err != nil {
		t.Fatal(err)
	}
	if merged, err := s.Merge(ctx, feedURL, moved); err != nil || !merged {
		t.Fatal(merged, err)
	}
	publish(t, s, moved, story{"b", "x"}, story{"a", "x"})
	for _, to := range []tidings.Target{folder, channel} {
		if got := deliverAll(t, s, to.ID); got != "b" {
			t.Errorf("target %s gets %q", to.Name, got)
		}
	}
}

// A page's change is one delivery, with the update.
func TestAPagesChangeIsDelivered(t *testing.T) {
	s := newStore(t)
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, pageURL)
	one, two := []string{"price 10"}, []string{"price 12"}
	record(t, s, content.Record{URL: pageURL, Change: pageChange(nil, one)})
	record(t, s, content.Record{URL: pageURL, Change: pageChange(one, two)})
	if j := next(t, s, to.ID); j.Parts[0].Item != nil || j.Parts[0].Update.Version != 2 ||
		j.Parts[0].Update.Delta == "" {
		t.Errorf("delivered: %+v", j)
	}
}

// A failure is noted at the target and at the delivery, and what was given up waits for its owner's decision.
func TestFailuresOfDeliveries(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	until := time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
	first := next(t, s, to.ID)
	for failures := range 2 {
		if err := s.Outbox.Postpone(ctx, to.ID, first.Deliveries, "no such host", until); err != nil {
			t.Fatal(err)
		}
		if j := next(t, s, to.ID); j.Deliveries[0] != first.Deliveries[0] || j.Tries != failures+1 ||
			j.Failures != failures+1 || !j.Due.Equal(until) || j.Target.Standing.Problem != "no such host" {
			t.Errorf("after failure %d: %+v", failures+1, j)
		}
	}
	if err := s.Outbox.GiveUp(ctx, to.ID, first.Deliveries, "too old", time.Time{}); err != nil {
		t.Fatal(err)
	}
	second := next(t, s, to.ID)
	if second.Deliveries[0] == first.Deliveries[0] || second.Tries != 0 || second.Failures != 3 ||
		!second.Due.IsZero() {
		t.Errorf("after the first was given up: %+v", second)
	}
	// Given up once more, as after an answer that was lost, it puts nothing off.
	if err := s.Outbox.GiveUp(ctx, to.ID, first.Deliveries, "too old", until.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if j := next(t, s, to.ID); j.Deliveries[0] != second.Deliveries[0] || j.Failures != 3 || !j.Due.IsZero() {
		t.Errorf("after the first was given up twice the next has %d failures and is due at %v; want 3, and at once: %+v",
			j.Failures, j.Due, j)
	}
	list, err := s.Outbox.Deliveries(ctx, tidings.Owner, 0, 0)
	if err != nil || len(list) != 2 || !list[0].Failed || list[0].Problem != "too old" || list[0].Tries != 3 ||
		list[1].Failed || list[0].Title != "Story b" || list[0].Channel != feedURL {
		t.Errorf("listed: %+v, %v", list, err)
	}
	if list, err = s.Outbox.Deliveries(ctx, tidings.Owner, first.Deliveries[0], 0); err != nil || len(list) != 1 ||
		list[0].ID != second.Deliveries[0] {
		t.Errorf("listed after the first: %+v, %v", list, err)
	}
	if list, err = s.Outbox.NewestDeliveries(ctx, tidings.Owner, 1); err != nil || len(list) != 1 ||
		list[0].ID != second.Deliveries[0] {
		t.Errorf("the newest: %+v, %v", list, err)
	}
	// An answer that comes after it was given up changes nothing of it: its owner decides.
	if err := s.Outbox.Delivered(ctx, first); err != nil {
		t.Fatal(err)
	}
	if j, err := s.Outbox.Target(ctx, tidings.Owner, to.ID); err != nil || j.Standing.Failed != 1 ||
		j.Standing.Pending != 1 {
		t.Errorf("after an answer to what was given up: %+v, %v", j.Standing, err)
	}
	if n, err := s.Outbox.Retry(ctx, tidings.Owner, tidings.DeliverySelection{Delivery: first.Deliveries[0]}); n != 1 ||
		err != nil {
		t.Errorf("retried %d, %v", n, err)
	}
	if j := next(t, s, to.ID); j.Deliveries[0] != first.Deliveries[0] || !j.Made.After(first.Made) || j.Failures != 0 {
		t.Errorf("after the retry: %+v", j)
	}
	if got := deliverAll(t, s, to.ID); got != "b c" {
		t.Errorf("delivered in the end: %s", got)
	}
	if j, err := s.Outbox.Target(ctx, tidings.Owner, to.ID); err != nil || j.Standing.Problem != "" ||
		j.Standing.Failed != 0 {
		t.Errorf("the target in the end: %+v, %v", j, err)
	}
}

// A suspended target gets nothing until its owner retries; then it gets what came meanwhile.
func TestASuspendedTarget(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	if err := s.Outbox.Suspend(ctx, to.ID, "410 Gone"); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	nothingIsNext(t, s, to.ID)
	if all, err := s.Outbox.Waiting(ctx); err != nil || len(all) != 0 {
		t.Errorf("waiting: %v, %v", all, err)
	}
	if _, err := s.Outbox.Retry(ctx, tidings.Owner, tidings.DeliverySelection{Target: to.ID}); err != nil {
		t.Fatal(err)
	}
	if got := deliverAll(t, s, to.ID); got != "b" {
		t.Errorf("delivered: %s", got)
	}
}

// Of more than may wait the oldest go, and are counted. So do the oldest of those that were given up.
func TestTheOutboxIsBounded(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"first", "x"})
	crowd := func(from int) {
		for i := range tidings.MaxPending + 3 {
			publish(t, s, feedURL, story{fmt.Sprint(from + i), "x"})
		}
	}
	crowd(0)
	standing := func() tidings.Standing {
		got, err := s.Outbox.Target(ctx, tidings.Owner, to.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.Standing
	}
	if first := next(t, s, to.ID).Parts[0].Item.Title; first != "Story 3" {
		t.Errorf("the first that is left is %s", first)
	}
	if got := standing(); got.Pending != tidings.MaxPending || got.Dropped != 3 {
		t.Errorf("standing: %+v", got)
	}
	for range tidings.MaxPending {
		if err := s.Outbox.GiveUp(ctx, to.ID, next(t, s, to.ID).Deliveries, "no such host", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, s, feedURL, story{"last", "x"})
	if err := s.Outbox.GiveUp(ctx, to.ID, next(t, s, to.ID).Deliveries, "no such host", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := standing(); got.Pending != 0 || got.Failed != tidings.MaxPending || got.Dropped != 4 {
		t.Errorf("standing after all were given up: %+v", got)
	}
	crowd(5000)
	if n, err := s.Outbox.Retry(ctx, tidings.Owner,
		tidings.DeliverySelection{Target: to.ID}); n != 2*tidings.MaxPending || err != nil {
		t.Errorf("retried %d, %v", n, err)
	}
	if got := standing(); got.Pending != tidings.MaxPending || got.Failed != 0 || got.Dropped != 7+tidings.MaxPending {
		t.Errorf("standing after a retry: %+v", got)
	}
	if n, err := s.Outbox.Drop(ctx, tidings.Owner, tidings.DeliverySelection{}); n != tidings.MaxPending || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
}

// A delivery whose update is not kept any more has none.
func TestADeliveryOfAPrunedUpdate(t *testing.T) {
	s, ctx := newStore(t, func(c *Config) { c.Retention = Retention{Versions: 1} }), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, feedURL)
	for i := range 3 {
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	pruneAll(t, s, time.Now())
	j := next(t, s, to.ID)
	if len(j.Parts) != 0 {
		t.Fatalf("the update is there: %+v", j.Parts)
	}
	if list, err := s.Outbox.Deliveries(ctx, tidings.Owner, 0, 0); err != nil || len(list) != 2 ||
		list[0].Channel != "" {
		t.Errorf("listed: %+v, %v", list, err)
	}
	if err := s.Outbox.Forgotten(ctx, j); err != nil {
		t.Fatal(err)
	}
	if got := deliverAll(t, s, to.ID); got != "2" {
		t.Errorf("delivered: %s", got)
	}
}

// A person's targets, and what waits for them, are nobody else's, and go with the person.
func TestTargetsAreTheirPersons(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann := addPerson(t, s, "ann", tidings.Reader)
	own, anns := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{}),
		addTargetOf(t, s, ann, "phone", tidings.Ntfy, tidings.Selector{})
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(ctx, ann, Subscription{URL: pageURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	nothingIsNext(t, s, anns.ID)
	delivery := next(t, s, own.ID).Deliveries[0]
	for what, err := range map[string]error{
		"its target":      errOf(s.Outbox.Target(ctx, ann, own.ID)),
		"retry":           errOf(s.Outbox.Retry(ctx, ann, tidings.DeliverySelection{Target: own.ID})),
		"retry one":       errOf(s.Outbox.Retry(ctx, ann, tidings.DeliverySelection{Delivery: delivery})),
		"drop one":        errOf(s.Outbox.Drop(ctx, ann, tidings.DeliverySelection{Delivery: delivery})),
		"remove":          s.Outbox.RemoveTarget(ctx, ann, own.ID),
		"change":          s.Outbox.ChangeTarget(ctx, tidings.Target{ID: own.ID, Account: ann, Name: "mine"}),
		"target of none":  errOf(s.Outbox.AddTarget(ctx, tidings.Target{Account: 99, Name: "x"})),
		"remove of none":  s.Outbox.RemoveTarget(ctx, ann, 99),
		"a target unborn": errOf(s.Outbox.Next(ctx, 99)),
	} {
		if !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n, err := s.Outbox.Drop(ctx, ann, tidings.DeliverySelection{}); n != 0 || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
	mustErr(t, errOf(s.Outbox.AddTarget(ctx, tidings.Target{Account: ann, Name: "phone"})), tidings.ErrExists)
	if _, err := s.RemovePerson(ctx, ann); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Outbox.Targets(ctx, ann); err != nil || len(all) != 0 {
		t.Errorf("targets of a person who is gone: %+v, %v", all, err)
	}
	if got := deliverAll(t, s, own.ID); got != "b" {
		t.Errorf("the owner gets %q", got)
	}
}

func errOf[T any](_ T, err error) error { return err }

// A target can be changed, and then receives what waits for it in its new form. The listener learns of the change as
// soon as it is on the disk.
func TestTargetsAreChanged(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	heard := make(chan int64, 10)
	s.Outbox.Listen(func(target int64) { heard <- target })
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	addTarget(t, s, "other", tidings.Ntfy, tidings.Selector{Channel: pageURL})
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	if got := <-heard; got != to.ID {
		t.Errorf("target %d is ready, want %d", got, to.ID)
	}
	to.Kind, to.Form, to.URL = tidings.Generic, &tidings.Form{Method: "PUT", Headers: map[string]string{"X-A": "b"},
		Body: "{title}"}, "https://else.example/"
	if err := s.Outbox.ChangeTarget(ctx, to); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != to.ID {
		t.Errorf("target %d is ready, want %d", got, to.ID)
	}
	if j := next(t, s, to.ID); j.Target.URL != to.URL || j.Target.Form == nil || j.Target.Form.Headers["X-A"] != "b" {
		t.Errorf("next: %+v", j.Target)
	}
	to.Name = "other"
	mustErr(t, s.Outbox.ChangeTarget(ctx, to), tidings.ErrExists)
	if err := s.Outbox.RemoveTarget(ctx, tidings.Owner, to.ID); err != nil {
		t.Fatal(err)
	}
	nothingIsNext(t, s, to.ID)
}

// Whatever happens in whatever order, each update of a followed channel is handed out once to each target, in order,
// unless its owner dropped it.
func TestTheOutboxAsAModel(t *testing.T) {
	outer := t
	checkSome(t, 30, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "data")
		if err != nil {
			rt.Fatal(err)
		}
		s := mustOpen(t, Config{Dir: dir, Now: newClock().now})
		defer func() {
			if err := s.Close(); err != nil {
				rt.Fatal(err)
			}
			mustBeSound(t, dir)
		}()
		ctx := context.Background()
		for i := range 2 {
			if _, _, err := s.Subscribe(ctx, tidings.Owner,
				Subscription{URL: channelURL(i), Privacy: tidings.Public}); err != nil {
				t.Fatal(err)
			}
		}
		type waits struct {
			title  string
			failed bool
		}
		type target struct {
			id      int64
			channel int // -1: any
			waiting []waits
			done    bool // suspended
		}
		var targets []*target
		published, shown := 0, [2][]story{}
		rt.Repeat(map[string]func(*rapid.T){
			"add a target": func(t *rapid.T) {
				if len(targets) == 4 {
					t.Skip("enough")
				}
				to := &target{channel: rapid.IntRange(-1, 1).Draw(t, "channel")}
				selector := tidings.Selector{}
				if to.channel >= 0 {
					selector.Channel = channelURL(to.channel)
				}
				added, err := s.Outbox.AddTarget(ctx,
					tidings.Target{Account: tidings.Owner, Name: fmt.Sprint(len(targets)), Kind: tidings.Ntfy,
						Selector: selector})
				if err != nil {
					t.Fatal(err)
				}
				to.id = added.ID
				targets = append(targets, to)
			},
			"publish": func(t *rapid.T) {
				c := rapid.IntRange(0, 1).Draw(t, "channel")
				n := rapid.IntRange(1, 7).Draw(t, "items")
				var fresh []string
				for range n {
					published++
					fresh = append(fresh, fmt.Sprint(published))
					shown[c] = slices.Insert(shown[c], 0, story{fmt.Sprint(published), "x"})
				}
				first := len(shown[c]) == n
				publish(outer, s, channelURL(c), shown[c]...)
				if n > tidings.MaxBurst {
					fresh = []string{"many"}
				}
				for _, to := range targets {
					for _, title := range fresh {
						if !first && (to.channel == c || to.channel < 0) {
							to.waiting = append(to.waiting, waits{title: title})
						}
					}
				}
			},
			"attempt": func(t *rapid.T) {
				if len(targets) == 0 {
					t.Skip("no targets")
				}
				to := targets[rapid.IntRange(0, len(targets)-1).Draw(t, "target")]
				at := slices.IndexFunc(to.waiting, func(w waits) bool { return !w.failed })
				j, err := s.Outbox.Next(ctx, to.id)
				if to.done || at < 0 {
					if !errors.Is(err, tidings.ErrNotFound) {
						t.Fatalf("next is %+v, %v, want none", j, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				got := "many"
				if item := j.Parts[0].Item; item != nil {
					got = strings.TrimPrefix(item.Title, "Story ")
				}
				if got != to.waiting[at].title {
					t.Fatalf("next is %s, want %s", got, to.waiting[at].title)
				}
				switch rapid.IntRange(0, 3).Draw(t, "outcome") {
				case 0:
					err = s.Outbox.Delivered(ctx, j)
					to.waiting = slices.Delete(to.waiting, at, at+1)
				case 1:
					err = s.Outbox.Postpone(ctx, to.id, j.Deliveries, "later", time.Time{})
				case 2:
					err = s.Outbox.GiveUp(ctx, to.id, j.Deliveries, "never", time.Time{})
					to.waiting[at].failed = true
				case 3:
					err = s.Outbox.Suspend(ctx, to.id, "gone")
					to.done = true
				}
				if err != nil {
					t.Fatal(err)
				}
			},
			"retry": func(t *rapid.T) {
				if len(targets) == 0 {
					t.Skip("no targets")
				}
				to := targets[rapid.IntRange(0, len(targets)-1).Draw(t, "target")]
				if n, err := s.Outbox.Retry(ctx, tidings.Owner, tidings.DeliverySelection{Target: to.id}); err != nil ||
					n != len(to.waiting) {
					t.Fatalf("retried %d, %v, want %d", n, err, len(to.waiting))
				}
				for i := range to.waiting {
					to.waiting[i].failed = false
				}
				to.done = false
			},
			"drop what failed": func(t *rapid.T) {
				for _, to := range targets {
					to.waiting = slices.DeleteFunc(to.waiting, func(w waits) bool { return w.failed })
				}
				if _, err := s.Outbox.Drop(ctx, tidings.Owner, tidings.DeliverySelection{Failed: true}); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) {
				all, err := s.Outbox.Targets(ctx, tidings.Owner)
				if err != nil {
					t.Fatal(err)
				}
				for i, to := range targets {
					failed := 0
					for _, w := range to.waiting {
						if w.failed {
							failed++
						}
					}
					if got := all[i].Standing; got.Failed != failed || got.Pending != len(to.waiting)-failed ||
						got.Suspended != to.done {
						t.Fatalf("target %d: %+v, want %d failed of %d", i, got, failed, len(to.waiting))
					}
				}
			},
		})
	})
}

// A digest brings in one message all that came before its time of day; what came later waits for the next one. What was
// accepted goes, and nothing else.
func TestADigestOfDeliveries(t *testing.T) {
	at := newClock() // at noon
	s, ctx := newStore(t, func(c *Config) { c.Now = at.now; c.Retention = Retention{Versions: 3} }), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	evening := tidings.TimeOfDay(18 * 60)
	to.Schedule.Digest = &evening
	if err := s.Outbox.ChangeTarget(ctx, to); err != nil {
		t.Fatal(err)
	}
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	due := time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC)
	waiting := next(t, s, to.ID)
	if !waiting.Due.Equal(due) || len(waiting.Parts) != 0 || !waiting.Ready.Equal(due) {
		t.Errorf("before the time of day: %+v", waiting)
	}
	at.add(4 * time.Hour)
	publish(t, s, feedURL, story{"d", "x"}, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	at.add(3 * time.Hour)
	publish(t, s, feedURL, story{"e", "x"}, story{"d", "x"}, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	digest := next(t, s, to.ID)
	if !digest.Digest || len(digest.Parts) != 3 || digest.Deliveries[0] != waiting.Deliveries[0] {
		t.Errorf("the digest: %+v", digest)
	}
	if err := s.Outbox.Postpone(ctx, to.ID, digest.Deliveries, "busy", at.now()); err != nil {
		t.Fatal(err)
	}
	if again := next(t, s, to.ID); !slices.Equal(again.Deliveries, digest.Deliveries) || again.Tries != 1 ||
		again.Failures != 1 {
		t.Errorf("after a failure: %+v", again)
	}
	if err := s.Outbox.Delivered(ctx, digest); err != nil {
		t.Fatal(err)
	}
	if rest := next(t, s, to.ID); !rest.Due.Equal(due.Add(24 * time.Hour)) {
		t.Errorf("what came later is due at %v", rest.Due)
	}
	at.add(24 * time.Hour)
	pruneAll(t, s, at.now())
	if got := deliverAll(t, s, to.ID); got != "e" {
		t.Errorf("the next digest brings %q", got)
	}
	for i := range 3 { // the update of the first of them goes
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
	}
	publish(t, s, feedURL, story{"3", "x"})
	at.add(24 * time.Hour)
	pruneAll(t, s, at.now())
	digest = next(t, s, to.ID)
	if len(digest.Parts) == 0 || len(digest.Parts) != len(digest.Deliveries) {
		t.Errorf("of what is kept: %d parts of deliveries %v", len(digest.Parts), digest.Deliveries)
	}
	if err := s.Outbox.GiveUp(ctx, to.ID, digest.Deliveries, "never", time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone := next(t, s, to.ID)
	if len(gone.Parts) != 0 {
		t.Fatalf("what is not kept: %+v", gone)
	}
	if err := s.Outbox.Forgotten(ctx, gone); err != nil {
		t.Fatal(err)
	}
	got, err := s.Outbox.Target(ctx, tidings.Owner, to.ID)
	if want := (tidings.Standing{Failed: len(digest.Deliveries), Dropped: int64(len(gone.Deliveries)),
		Delivered: got.Standing.Delivered, Problem: "never"}); err != nil || got.Standing != want {
		t.Errorf("in the end: %+v, %v, want %+v", got.Standing, err, want)
	}
}

// A digest is not larger than its bounds, and brings the rest in another message.
func TestADigestIsBounded(t *testing.T) {
	at := newClock()
	s, ctx := newStore(t, func(c *Config) { c.Now = at.now }), t.Context()
	noon := tidings.TimeOfDay(12*60 + 1)
	many, large := addTarget(t, s, "many", tidings.Ntfy, tidings.Selector{Channel: feedURL}),
		addTarget(t, s, "large", tidings.Ntfy, tidings.Selector{Channel: "https://example.org/large"})
	for _, to := range []tidings.Target{many, large} {
		to.Schedule.Digest = &noon
		if err := s.Outbox.ChangeTarget(ctx, to); err != nil {
			t.Fatal(err)
		}
	}
	follow(t, s, feedURL)
	follow(t, s, "https://example.org/large")
	publish(t, s, feedURL, story{"first", "x"})
	for i := range tidings.MaxDigest/4 + 1 {
		var all []story
		for j := range 4 {
			all = append(all, story{fmt.Sprint(i, "-", j), "x"})
		}
		publish(t, s, feedURL, all...)
	}
	publish(t, s, "https://example.org/large", story{"first", "x"})
	for i := range 4 {
		publish(t, s, "https://example.org/large", story{fmt.Sprint(i), strings.Repeat("x", 3<<20)})
	}
	at.add(24 * time.Hour)
	for _, c := range []struct {
		target int64
		want   []int
	}{{many.ID, []int{tidings.MaxDigest, 4}}, {large.ID, []int{2, 2}}} {
		for _, want := range c.want {
			digest := next(t, s, c.target)
			if len(digest.Parts) != want || len(digest.Deliveries) != want {
				t.Errorf("target %d: a digest of %d, want %d", c.target, len(digest.Parts), want)
			}
			if err := s.Outbox.Delivered(ctx, digest); err != nil {
				t.Fatal(err)
			}
		}
		nothingIsNext(t, s, c.target)
	}
}

// Nothing is sent while a target is paused or in its quiet hours; and nothing enters the outbox of one that has
// expired.
func TestPausedAndExpiredTargets(t *testing.T) {
	at := newClock() // at noon
	s, ctx := newStore(t, func(c *Config) { c.Now = at.now }), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	to.Schedule.Paused = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	to.Schedule.Quiet = &tidings.Hours{From: 22 * 60, To: 7 * 60}
	if err := s.Outbox.ChangeTarget(ctx, to); err != nil {
		t.Fatal(err)
	}
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	if j := next(t, s, to.ID); !j.Due.Equal(time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)) {
		t.Errorf("due at %v", j.Due)
	}
	at.add(24 * time.Hour)
	if got := deliverAll(t, s, to.ID); got != "b" {
		t.Errorf("delivered: %q", got)
	}
	publish(t, s, feedURL, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	if err := s.DB.Write(ctx, func(tx *db.Tx) error {
		return db.Exec(tx.Conn, `UPDATE target SET expires = ? WHERE id = ?`, at.now().Add(time.Hour), to.ID)
	}); err != nil {
		t.Fatal(err)
	}
	if j := next(t, s, to.ID); len(j.Parts) != 1 || !j.Target.Expires.After(at.now()) {
		t.Errorf("before it expires: %+v", j)
	}
	at.add(time.Hour)
	nothingIsNext(t, s, to.ID)
	publish(t, s, feedURL, story{"d", "x"}, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	if got, err := s.Outbox.Target(ctx, tidings.Owner, to.ID); err != nil || got.Standing.Pending != 1 {
		t.Errorf("after it expired: %+v, %v", got.Standing, err)
	}
}
