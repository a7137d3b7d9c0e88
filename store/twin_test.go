package store

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"
	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
	"tidings/store/large"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/store/shared"
)

// seen returns what can be read of a store, without the numbers that it gives by itself: two stores in which the same
// was done give the same. It fails where two ways of asking disagree.
func seen(t testing.TB, s *Store, channels int) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	fail := func(what string, err error) {
		t.Helper()
		t.Fatalf("%s: %v\n%s", what, err, b.String())
	}
	followed, urls := 0, make(map[string]bool)
	for account := tidings.Owner; account <= 2; account++ {
		all, err := s.Channels(ctx, account)
		if err != nil {
			fail("channels", err)
		}
		followed += len(all)
		unread := 0
		for _, f := range all {
			urls[f.URL] = true
			fmt.Fprintf(&b, "%d follows %+v\n", account, f)
			one, err := s.Entries(ctx, account,
				tidings.EntryQuery{Channel: f.URL, Unread: true, Limit: tidings.MaxLimit})
			if err != nil || len(one) != f.Unread {
				fail(fmt.Sprintf("%d of %d unread in %s", len(one), f.Unread, f.URL), err)
			}
			unread += len(one)
		}
		for _, q := range []tidings.EntryQuery{{}, {Unread: true}, {Starred: true}, {Search: "apple"}} {
			q.Limit = tidings.MaxLimit
			entries, err := s.Entries(ctx, account, q)
			if err != nil || q.Unread && len(entries) != unread {
				fail(fmt.Sprintf("%d entries of %+v, %d unread", len(entries), q, unread), err)
			}
			for _, e := range entries {
				e.ID, e.Item, e.Update = 0, 0, 0
				fmt.Fprintf(&b, "%d reads %+v\n", account, e)
			}
		}
		updates, err := s.Reader.Updates(ctx, account, tidings.UpdateQuery{Limit: tidings.MaxLimit})
		if err != nil {
			fail("updates", err)
		}
		for _, u := range updates {
			u.ID = 0
			fmt.Fprintf(&b, "%d hears %+v\n", account, u)
		}
		tokens, err := s.Reader.Tokens(ctx, account)
		fmt.Fprintf(&b, "%d has %+v, %v\n", account, tokens, err)
	}
	watches, err := s.Content.Watches(ctx)
	if err != nil || len(watches) != len(urls) {
		fail(fmt.Sprintf("%d channels are watched, %d followed", len(watches), len(urls)), err)
	}
	fmt.Fprintf(&b, "watched %+v, %v\n", watches, err)
	for i := range channels {
		url := channelURL(i)
		known, err := s.Content.KnownItems(ctx, url)
		for _, k := range known {
			fmt.Fprintf(&b, "%s knows %+v %v\n", url, k.ItemIdentity, k.Listed)
		}
		state, stateErr := s.Content.State(ctx, url, 0)
		content, contentErr := s.Content.Content(ctx, url)
		version, versionErr := s.Shared.Version(ctx, url)
		pin, pinErr := s.Pushed.PinOf(ctx, url)
		numbers, numbersErr := s.Pushed.Numbers(ctx, url, 0)
		lines, hash, _, linesErr := s.Content.Lines(ctx, url)
		fmt.Fprintf(&b, "%s: %v, %+v %v, %+v %v, %+v %v, %+v %v, %v %v, %v %v %v\n", url, err, state, stateErr, content,
			contentErr,
			version, versionErr, pin, pinErr, numbers, numbersErr, lines, hash, linesErr)
	}
	publications, err := s.Published.Publications(ctx)
	for _, p := range publications {
		unsent, err := s.Published.Unsent(ctx, p.Channel, p.Key, 100)
		if err != nil || len(unsent) != p.Unsent {
			fail(fmt.Sprintf("%d of %d unsent", len(unsent), p.Unsent), err)
		}
		marks, err := s.Published.Marks(ctx, p.Channel, p.Key)
		items, itemsErr := s.Published.Items(ctx, p.Topic, 0, 1<<62, 100)
		fmt.Fprintf(&b, "publishes %+v: %v, %+v %v, %+v %v\n", p, unsent, marks, err, items, itemsErr)
	}
	archived, archivedErr := s.Shared.Archived(ctx, nil, 100)
	for _, a := range archived {
		item, err := s.Shared.ArchivedItem(ctx, a.Key)
		fmt.Fprintf(&b, "archived %s %v\n", item, err)
	}
	large, largeErr := s.Large.Contents(ctx, nil, 100)
	for _, l := range large {
		_, places, err := s.Large.Open(ctx, l.Ref)
		if err != nil || len(places) != l.Pieces {
			fail(fmt.Sprintf("pieces %v, want %d", places, l.Pieces), err)
		}
	}
	forwarding, forwardingErr := s.Shared.Forwarding(ctx)
	republishers, republishersErr := s.Pushed.Republishers(ctx)
	due, dueErr := s.Content.NextEmbargo(ctx)
	setting, settingErr := s.DB.Setting(ctx, "k")
	stats, statsErr := s.Stats(ctx)
	stats.ByHealth = nil // which does not say what waits to be written
	if stats.Bytes, stats.LatestUpdate = 0, 0; stats.Subscriptions != followed {
		fail(fmt.Sprintf("%d subscriptions, %d channels are followed", stats.Subscriptions, followed), statsErr)
	}
	fmt.Fprintln(&b, err, archived, archivedErr, large, largeErr, forwarding, forwardingErr, republishers,
		republishersErr, due, dueErr, setting, settingErr, stats, statsErr)
	return b.String()
}

// checkSome is rapid.Check with that many checks, unless the command line asks for another number of them. A test that
// calls it does not run in parallel with others.
func checkSome(t *testing.T, checks int, property func(*rapid.T)) {
	t.Helper()
	asked := flag.Lookup("rapid.checks")
	if asked.Value.String() == asked.DefValue && os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set(asked.Name, strconv.Itoa(checks)); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := flag.Set(asked.Name, asked.DefValue); err != nil {
				t.Error(err)
			}
		}()
	}
	rapid.Check(t, property)
}

// openQuick opens a store on the disk of the tests, which does not wait for a real one. A test that calls it does not
// run in parallel with others.
func openQuick(t testing.TB, config Config) *Store {
	t.Helper()
	registerDisk()
	s, err := open(context.Background(), config, faultyVFS)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// along does what waits for company, and writes something else until it is done.
func along(ctx context.Context, s *Store, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	for {
		select {
		case err := <-done:
			return err
		default:
			_ = s.DB.SetSetting(ctx, "company", "") // where the disk fails, it says so to both
		}
	}
}

// twins are a store whose writes succeed, and one whose writes fail now and then and are tried again.
type twins struct {
	t             *testing.T
	at            time.Time
	config        Config // of the one that fails
	whole, broken *Store
	n             int
	last          string // what was seen of both last
}

const twinChannels = 3

// twinDeed is something that is done to a store. It must lead to the same wherever the same was done before; what it
// draws it draws before.
type twinDeed func(s *Store) error

// do does it to both: to the broken one first while the disk fails, and again.
func (w *twins) do(rt *rapid.T, deed twinDeed) {
	w.at = w.at.Add(time.Duration(rapid.SampledFrom([]int{1, 1, 1, 60, 5000}).Draw(rt, "minutes")) * time.Minute)
	w.n++
	want := deed(w.whole)
	failAt, full := rapid.IntRange(0, 6).Draw(rt, "operation that fails"), rapid.Bool().Draw(rt, "full")
	if failAt > 0 {
		theDisk.mu.Lock()
		theDisk.failed, theDisk.failAt, theDisk.code, theDisk.sticky = false, theDisk.count+failAt,
			lib.SQLITE_IOERR_WRITE, rapid.Bool().Draw(rt, "for good")
		if full {
			theDisk.code = lib.SQLITE_FULL
		}
		theDisk.mu.Unlock()
		err := deed(w.broken)
		theDisk.mu.Lock()
		theDisk.failAt = 0
		failed := theDisk.failed
		theDisk.mu.Unlock()
		if fmt.Sprint(err) == fmt.Sprint(want) { // the disk did not fail, or when all was written
			return
		}
		if !failed {
			rt.Fatalf("%v, want %v", err, want)
		}
		w.mustSee(rt, fmt.Sprint("what has failed has changed something: ", err))
	}
	if err := deed(w.broken); fmt.Sprint(err) != fmt.Sprint(want) {
		rt.Fatalf("again: %v, want %v", err, want)
	}
}

// TestAStoreWhoseWritesFailIsAsOneWhoseWritesDoNot does the same to two stores, one of which is on a disk that fails.
// What fails changes nothing, and what is tried again succeeds once.
func TestAStoreWhoseWritesFailIsAsOneWhoseWritesDoNot(t *testing.T) {
	registerDisk()
	steps := 0
	checkSome(t, 12, func(rt *rapid.T) {
		theDisk.reset()
		quiet := slog.New(slog.DiscardHandler)
		w := &twins{t: t, at: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
		now := func() time.Time { return w.at }
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		w.config = Config{Dir: dir, Now: now, Logger: quiet, TouchDelay: time.Second,
			Retention: Retention{Age: 3 * day, Versions: 3, Orphans: day, Marks: -1}}
		other := w.config
		if other.Dir, err = os.MkdirTemp(t.TempDir(), ""); err != nil {
			t.Fatal(err)
		}
		w.whole = openQuick(t, other)
		w.reopen(rt)
		defer func() {
			for _, s := range []*Store{w.whole, w.broken} {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				mustBeSound(t, s.config.Dir)
			}
		}()
		secondAccount(t, w.whole)
		secondAccount(t, w.broken)
		rt.Repeat(map[string]func(*rapid.T){
			"follow":  func(rt *rapid.T) { w.do(rt, w.follow(rt)) },
			"leave":   func(rt *rapid.T) { w.do(rt, w.leave(rt)) },
			"poll":    func(rt *rapid.T) { w.do(rt, w.poll(rt)) },
			"poll 2":  func(rt *rapid.T) { w.do(rt, w.poll(rt)) },
			"read":    func(rt *rapid.T) { w.do(rt, w.read(rt)) },
			"push":    func(rt *rapid.T) { w.do(rt, w.push(rt)) },
			"publish": func(rt *rapid.T) { w.do(rt, w.publish(rt)) },
			"keep":    func(rt *rapid.T) { w.do(rt, w.keep(rt)) },
			"touch": func(rt *rapid.T) {
				url := w.url(rt)
				if _, err := w.whole.Content.Watch(t.Context(), url); err != nil {
					rt.Skip("nobody polls it")
				}
				r := content.Record{URL: url, Memory: fmt.Append(nil, "memory ", w.n), Health: tidings.HealthFailing,
					Failures: w.n}
				w.whole.Content.RecordUnchanged(r)
				w.broken.Content.RecordUnchanged(r)
			},
			"reopen": w.reopen,
			"": func(rt *rapid.T) {
				steps++
				w.last = w.see(w.whole)
				w.mustSee(rt, "it is not as it would be")
			},
		})
	})
	if steps == 0 {
		t.Error("nothing was done")
	}
}

// see is seen, once no poll is about to be written: meanwhile a reader may see the state before that poll.
func (w *twins) see(s *Store) string {
	for last := ""; ; {
		now := seen(w.t, s, twinChannels)
		if now == last {
			return now
		}
		last = now
	}
}

// mustSee compares the broken store with what was seen of both last, or is to be.
func (w *twins) mustSee(rt *rapid.T, what string) {
	now := strings.Split(w.see(w.broken), "\n")
	for i, want := range strings.Split(w.last, "\n") {
		if i >= len(now) || now[i] != want {
			rt.Fatalf("%s\nthere is %s\nnot      %s", what, strings.Join(now[min(i, len(now)):min(i+1, len(now))], ""),
				want)
		}
	}
	if w.last != strings.Join(now, "\n") {
		rt.Fatalf("%s: there is more than there should be", what)
	}
}

func (w *twins) reopen(rt *rapid.T) {
	if w.broken != nil {
		if err := w.broken.Close(); err != nil {
			rt.Fatal(err)
		}
	}
	w.broken = openQuick(w.t, w.config)
}

func (w *twins) url(rt *rapid.T) string {
	return channelURL(rapid.IntRange(0, twinChannels-1).Draw(rt, "channel"))
}

func (w *twins) follow(rt *rapid.T) twinDeed {
	url, account, guest := w.url(rt), anyAccount.Draw(rt, "account"), rapid.IntRange(0, 3).Draw(rt, "for others") == 0
	return func(s *Store) error {
		if guest {
			return s.Content.AddRelayed(w.t.Context(), url)
		}
		_, _, err := s.Subscribe(w.t.Context(), account, Subscription{URL: url, Privacy: tidings.Public, Folder: "f"})
		return err
	}
}

func (w *twins) leave(rt *rapid.T) twinDeed {
	url, to, account := w.url(rt), w.url(rt), anyAccount.Draw(rt, "account")
	return [...]twinDeed{
		func(s *Store) error { return s.Content.RemoveRelayed(w.t.Context(), url) },
		func(s *Store) error { _, err := s.Unsubscribe(w.t.Context(), account, url); return err },
		func(s *Store) error { _, err := s.Merge(w.t.Context(), url, to); return err },
	}[rapid.IntRange(0, 2).Draw(rt, "which")]
}

func (w *twins) poll(rt *rapid.T) twinDeed {
	url, name, given := w.url(rt), anyName.Draw(rt, "name"), rapid.Uint64Range(0, 9).Draw(rt, "number")
	var stories []story
	for _, id := range rapid.SliceOfNDistinct(anyItem, 0, 4, rapid.ID).Draw(rt, "items") {
		stories = append(stories, story{id, anyText.Draw(rt, "text")})
	}
	remote, stale := rapid.Bool().Draw(rt, "remote"), rapid.IntRange(0, 5).Draw(rt, "stale") == 0
	alike := rapid.Bool().Draw(rt, "named as a poll names it")
	return func(s *Store) error {
		f := document(w.t, s, url, stories...)
		if stale {
			f.KnownUpTo = 0
		}
		if remote {
			hash := name
			if alike {
				hash = foundHash(f)
			}
			_, err := apply(w.t.Context(), s, Remote{Version: shared.Version{URL: url, Number: given, Hash: hash},
				Change: f})
			return err
		}
		_, err := apply(w.t.Context(), s,
			&Record{Record: content.Record{URL: url, Health: tidings.HealthGood, Noise: fmt.Append(nil, w.n),
				Change: f}, Named: true})
		return err
	}
}

// foundHash returns the hash of the content that a change of a feed leaves.
func foundHash(f *tidings.Change) shared.Hash {
	var marks []tidings.ItemIdentity
	for i := range f.Items {
		marks = append(marks, f.Items[i].Mark)
	}
	return tidings.ContentHash(marks)
}

func (w *twins) read(rt *rapid.T) twinDeed {
	account, at, yes := anyAccount.Draw(rt, "account"), rapid.IntRange(0, 20).Draw(rt, "entry"),
		rapid.Bool().Draw(rt, "yes")
	entry := func(s *Store) tidings.Entry {
		entries, err := s.Entries(w.t.Context(), account, tidings.EntryQuery{Limit: 100})
		if err != nil {
			rt.Fatal(err)
		}
		if at < len(entries) {
			return entries[at]
		}
		return tidings.Entry{}
	}
	return [...]twinDeed{
		func(s *Store) error { return s.Reader.MarkRead(w.t.Context(), account, []int64{entry(s).Item}, yes) },
		func(s *Store) error {
			e := entry(s)
			if e.Item == 0 {
				return nil // the error would say a number
			}
			return s.Reader.Star(w.t.Context(), account, e.Item, yes)
		},
		func(s *Store) error {
			_, err := s.MarkAllRead(w.t.Context(), account, tidings.EntryQuery{}, entry(s).ID)
			return err
		},
	}[rapid.IntRange(0, 2).Draw(rt, "which")]
}

func (w *twins) push(rt *rapid.T) twinDeed {
	url, number, id, text := w.url(rt), rapid.Uint64Range(0, 6).Draw(rt, "number"), anyItem.Draw(rt, "item"),
		anyText.Draw(rt, "text")
	return [...]twinDeed{
		func(s *Store) error {
			return s.Pushed.SetPin(w.t.Context(), pushed.Pin{Channel: url, Topic: shared.Point{1}, Pinned: w.at,
				Have: number})
		},
		func(s *Store) error { return s.Pushed.SetHighestSeq(w.t.Context(), url, number) },
		func(s *Store) error { return s.Pushed.MissedPush(w.t.Context(), url, 1) },
		func(s *Store) error {
			f := document(w.t, s, url, story{id, text})
			f.Partial, f.SignedBy, f.Items[0].Signed = true, "ab", true
			f.Files = []tidings.File{{URL: "https://example.org/" + id, Ref: large.Ref{1}}}
			_, err := s.Apply(w.t.Context(),
				Push{pushed.Item{URL: url, Topic: shared.Point{1}, Number: number, Signed: fmt.Append(nil, number)}, f})
			return err
		},
	}[rapid.IntRange(0, 3).Draw(rt, "which")]
}

func (w *twins) publish(rt *rapid.T) twinDeed {
	key, number := rapid.SampledFrom([]string{"me", "other"}).Draw(rt, "key"),
		rapid.Uint64Range(1, 6).Draw(rt, "number")
	which, n := rapid.IntRange(0, 6).Draw(rt, "which"), uint64(w.n)
	return func(s *Store) error {
		ctx := w.t.Context()
		p, err := s.Published.Publication(ctx, publishedURL, key)
		switch {
		case err != nil || which == 0:
			_, err = s.Published.Publish(ctx,
				published.Publication{Channel: publishedURL, Key: key, Topic: shared.Point{1}})
		case which == 1:
			err = s.Published.StopPublishing(ctx, publishedURL)
		case which == 2:
			err = along(ctx, s, func() error { return s.Published.Sent(ctx, publishedURL, key, number) })
		case which == 3:
			err = s.Published.Renumber(ctx,
				published.Renumbering{Channel: publishedURL, Key: key, Gone: []uint64{p.Next - 1}, Next: p.Next + 1,
					Time:  w.at,
					Items: []published.Item{{Number: p.Next + 1, Topic: shared.Point{1}, Signed: fmt.Append(nil, n)}}})
		default:
			i := published.Issue{Channel: publishedURL, Key: key, Time: w.at, Listed: []int64{int64(number)}}
			for k := range uint64(2) {
				i.Items = append(i.Items, published.Item{Number: p.Next + k, Topic: shared.Point{1},
					Signed: fmt.Append(nil, n)})
				i.Marks = append(i.Marks,
					published.Mark{KnownItem: tidings.KnownItem{ItemIdentity: tidings.ItemIdentity{ID: n}}})
			}
			err = s.Published.Issue(ctx, i)
		}
		return err
	}
}

// keep is about what a node keeps beside channels.
func (w *twins) keep(rt *rapid.T) twinDeed {
	n, ctx := rapid.ByteRange(1, 3).Draw(rt, "n"), w.t.Context()
	limits := shared.ArchiveLimits{Bytes: 40, TopicBytes: 30, Items: 3}
	return [...]twinDeed{
		func(s *Store) error {
			return along(ctx, s, func() error {
				return s.Shared.PutArchived(ctx, shared.Archived{Key: shared.Point{n}, Topic: shared.Point{n % 2},
					Number: uint64(n)}, make([]byte, 5*n), limits)
			})
		},
		func(s *Store) error { return s.Shared.DropArchived(ctx, []shared.Point{{n}}) },
		func(s *Store) error { return s.Large.Begin(ctx, large.Content{Ref: large.Ref{n}, Length: 4}, nil, 8) },
		func(s *Store) error { return s.Large.PutPiece(ctx, large.Ref{n}, int(n), []byte{n}) },
		func(s *Store) error { return s.Large.Drop(ctx, large.Ref{n}) },
		func(s *Store) error {
			return along(ctx, s, func() error {
				return s.Shared.LogForwarding(ctx, []shared.Forwarding{{Item: uint64(n), Zone: "/a"}},
					[]shared.Forwarding{{Item: uint64(n) + 1, Zone: "/a"}})
			})
		},
		func(s *Store) error { return s.Pushed.SetRepublisher(ctx, shared.Point{n}, tidings.Preferred) },
		func(s *Store) error {
			return s.Reader.CreateToken(ctx, [32]byte{n, byte(w.n), byte(w.n >> 8)}, 1, tidings.Token{Label: "t"})
		},
		func(s *Store) error { return s.DB.SetSetting(ctx, "k", fmt.Sprint(w.n)) },
		func(s *Store) error { _, err := s.Release(ctx); return err },
	}[rapid.IntRange(0, 9).Draw(rt, "which")]
}
