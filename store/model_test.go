package store

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
)

// model is a store that a child could have written: the oracle of the real one.
type model struct {
	channels map[string]*modelChannel
	follows  map[tidings.AccountID]map[string]string // URL to folder
	unread   map[tidings.AccountID]map[string]bool   // by URL + item ID
	stars    map[tidings.AccountID]map[string]bool
	river    []modelEntry // oldest first
}

type modelChannel struct {
	version int
	texts   map[string]string // latest text of every item ever seen
	listed  []string          // items in the latest document
}

type modelEntry struct {
	url, item, text string
	version         int
	received        time.Time
	gone            bool // retention has removed it
}

func (e modelEntry) key() string { return e.url + " " + e.item }

// isLatest reports whether entry i is the newest of its item.
func (m *model) isLatest(i int) bool {
	for _, e := range m.river[i+1:] {
		if e.key() == m.river[i].key() {
			return false
		}
	}
	return true
}

// hasLatest reports whether the newest entry of an item is kept.
func (m *model) hasLatest(key string) bool {
	for _, e := range slices.Backward(m.river) {
		if e.key() == key {
			return !e.gone
		}
	}
	return false
}

// entries answers a query the slow way: "url item text" of each, newest first.
func (m *model) entries(account tidings.AccountID, q tidings.EntryQuery) (found []string) {
	for i := len(m.river) - 1; i >= 0; i-- {
		e := m.river[i]
		folder, follows := m.follows[account][e.url]
		switch {
		case !follows, e.gone,
			q.Channel != "" && q.Channel != e.url,
			q.Folder != "" && folder != q.Folder && !strings.HasPrefix(folder, q.Folder+"/"),
			q.Unread && !(m.unread[account][e.key()] && m.isLatest(i)),
			q.Starred && !(m.stars[account][e.key()] && m.isLatest(i)),
			q.Search != "" && !slices.Contains(strings.Fields(e.text), q.Search):
			continue
		}
		found = append(found, fmt.Sprint(e.url, " ", e.item, " ", e.text,
			" read=", !m.unread[account][e.key()], " starred=", m.stars[account][e.key()]))
		if len(found) == q.Limit {
			break
		}
	}
	return found
}

// modelKept are the limits of the store that is compared with the model.
var modelKept = Retention{Age: 10 * day, Versions: 3, Marks: -1, Orphans: -1}

// prune removes what the limits no longer cover.
func (m *model) prune(now time.Time) {
	for i := range m.river {
		e := &m.river[i]
		ch := m.channels[e.url]
		starred := m.stars[1][e.key()] || m.stars[2][e.key()]
		switch {
		case e.version == ch.version, starred, m.isLatest(i) && slices.Contains(ch.listed, e.item):
		case e.version <= ch.version-modelKept.Versions, now.Sub(e.received) > modelKept.Age:
			e.gone = true
			if m.isLatest(i) {
				delete(m.unread[1], e.key())
				delete(m.unread[2], e.key())
			}
		}
	}
}

// TestAgainstModel runs random deeds of two accounts on the store and the model, and
// asks both everything a reader can ask. Now and then the store is closed, or old content removed.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "") // one a check: their stores do not stay open together
		if err != nil {
			t.Fatal(err)
		}
		clk := newClock()
		config := Config{Dir: dir, Now: clk.now, Retention: modelKept}
		s := mustOpen(t, config)
		w := &modelRun{t: t, rt: rt, s: s, clk: clk, config: config}
		defer func() {
			if err := w.s.Close(); err != nil {
				t.Error(err)
			}
			mustBeSound(t, dir)
		}()
		if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
			t.Fatal(err)
		}
		w.add()
		m := &model{channels: map[string]*modelChannel{}, follows: map[tidings.AccountID]map[string]string{},
			unread: map[tidings.AccountID]map[string]bool{}, stars: map[tidings.AccountID]map[string]bool{}}
		for account := tidings.AccountID(1); account <= 2; account++ {
			m.follows[account], m.unread[account], m.stars[account] = map[string]string{}, map[string]bool{},
				map[string]bool{}
		}
		w.m = m
		rt.Repeat(map[string]func(*rapid.T){
			"subscribe":   w.subscribe,
			"unsubscribe": w.unsubscribe,
			"publish":     w.publish,
			"mark":        w.mark,
			"markAll":     w.markAll,
			"star":        w.star,
			"prune":       w.prune,
			"remove":      w.remove,
			"reopen":      w.reopen,
			"":            w.compare,
		})
	})
}

type modelRun struct {
	t      *testing.T
	rt     *rapid.T
	s      *Store
	m      *model
	clk    *clock
	config Config
	ids    [3]tidings.AccountID // of the model's accounts
}

var (
	anyAccount = rapid.SampledFrom([]tidings.AccountID{1, 2})
	anyURL     = rapid.SampledFrom([]string{"https://a.example/", "https://b.example/", "https://c.example/"})
	anyFolder  = rapid.SampledFrom([]string{"", "news", "news/local", "newsletter"})
	anyItem    = rapid.SampledFrom([]string{"i1", "i2", "i3", "i4"})
	anyText    = rapid.SampledFrom([]string{"apple", "apple pear", "plum"})
)

func (w *modelRun) subscribe(rt *rapid.T) {
	account, url, folder := anyAccount.Draw(rt, "account"), anyURL.Draw(rt, "url"), anyFolder.Draw(rt, "folder")
	_, created, err := w.s.Subscribe(w.t.Context(), w.ids[account],
		Subscription{URL: url, Folder: folder, Privacy: tidings.Public})
	if err != nil {
		rt.Fatal(err)
	}
	if _, follows := w.m.follows[account][url]; follows == created {
		rt.Fatalf("created %v, but follows %v", created, follows)
	}
	if !created {
		return
	}
	w.m.follows[account][url] = folder
	if w.m.channels[url] == nil {
		w.m.channels[url] = &modelChannel{texts: map[string]string{}}
	}
	for i, e := range w.m.river {
		if e.url == url && !e.gone && w.m.isLatest(i) && slices.Contains(w.m.channels[url].listed, e.item) {
			w.m.unread[account][e.key()] = true
		}
	}
}

// prune removes old content after some days; of channels that somebody follows alone, which have the limits of the
// model.
func (w *modelRun) prune(rt *rapid.T) {
	for url := range w.m.channels {
		_, first := w.m.follows[1][url]
		_, second := w.m.follows[2][url]
		if !first && !second {
			rt.Skip("a channel that nobody follows")
		}
	}
	w.clk.add(time.Duration(rapid.IntRange(0, 8).Draw(rt, "days")) * day)
	now := w.clk.now()
	pruneAll(w.t, w.s, now)
	w.m.prune(now)
}

// remove removes the second account, and adds another that has nothing of it. The accounts of the model are places.
func (w *modelRun) remove(rt *rapid.T) {
	left, err := w.s.RemovePerson(w.t.Context(), w.ids[2])
	if err != nil {
		rt.Fatal(err)
	}
	var want []string
	for url := range w.m.follows[2] {
		if _, other := w.m.follows[1][url]; !other {
			want = append(want, url)
		}
	}
	slices.Sort(left)
	slices.Sort(want)
	if !slices.Equal(left, want) {
		rt.Fatalf("nobody follows %q now, want %q", left, want)
	}
	mustBeNobodys(w.t, w.s, w.ids[2])
	for _, of := range []any{w.m.follows, w.m.unread, w.m.stars} {
		switch of := of.(type) {
		case map[tidings.AccountID]map[string]string:
			clear(of[2])
		case map[tidings.AccountID]map[string]bool:
			clear(of[2])
		}
	}
	w.add()
}

// add adds the second account.
func (w *modelRun) add() {
	p, err := w.s.Reader.AddPerson(w.t.Context(), "second", tidings.Reader, "hash")
	if err != nil {
		w.t.Fatal(err)
	}
	w.ids = [3]tidings.AccountID{1: tidings.Owner, 2: p.ID}
}

func (w *modelRun) reopen(rt *rapid.T) {
	if err := w.s.Close(); err != nil {
		rt.Fatal(err)
	}
	w.s = mustOpen(w.t, w.config)
}

func (w *modelRun) unsubscribe(rt *rapid.T) {
	account, url := anyAccount.Draw(rt, "account"), anyURL.Draw(rt, "url")
	last, err := w.s.Unsubscribe(w.t.Context(), w.ids[account], url)
	if _, follows := w.m.follows[account][url]; !follows {
		mustErr(w.t, err, tidings.ErrNotFollowed)
		return
	}
	delete(w.m.follows[account], url)
	_, other := w.m.follows[3-account][url]
	if err != nil || last == other {
		rt.Fatalf("last %v, err %v, but the other follows %v", last, err, other)
	}
	for key := range w.m.unread[account] {
		if strings.HasPrefix(key, url) {
			delete(w.m.unread[account], key)
		}
	}
}

func (w *modelRun) publish(rt *rapid.T) {
	url := anyURL.Draw(rt, "url")
	followed := false
	for account := range w.m.follows {
		_, follows := w.m.follows[account][url]
		followed = followed || follows
	}
	if !followed {
		return
	}
	items := rapid.SliceOfNDistinct(anyItem, 0, 4, rapid.ID).Draw(rt, "items")
	ch := w.m.channels[url]
	var stories []story
	for _, item := range items {
		stories = append(stories, story{item, anyText.Draw(rt, "text")})
	}
	change := document(w.t, w.s, url, stories...)
	for i := range change.Items {
		// some in the future, some claim nothing
		if ago := rapid.IntRange(-1, 40).Draw(rt, "published days ago"); ago != 0 {
			at := w.clk.now().Add(-time.Duration(ago) * day)
			if rapid.Bool().Draw(rt, "updated alone") {
				change.Items[i].Updated = at
			} else {
				change.Items[i].Published = at
			}
		}
		change.Items[i].Quiet = change.Items[i].Change == "" && rapid.Bool().Draw(rt, "another date")
	}
	u := record(w.t, w.s, content.Record{URL: url, Health: tidings.HealthGood, Change: change})
	news := 0
	for _, st := range slices.Backward(stories) {
		if before, seen := ch.texts[st.id]; seen && before == st.text {
			continue
		}
		news++
		ch.texts[st.id] = st.text
		w.m.river = append(w.m.river, modelEntry{url: url, item: st.id, text: st.text, version: ch.version + 1})
		for account, follows := range w.m.follows {
			if _, ok := follows[url]; ok {
				w.m.unread[account][url+" "+st.id] = true
			}
		}
	}
	if (u != nil) != (news > 0) || u != nil && len(u.Items) != news {
		rt.Fatalf("update %+v, want %d items", u, news)
	}
	if u != nil {
		ch.version++
		if int(u.Version) != ch.version {
			rt.Fatalf("version %d, want %d", u.Version, ch.version)
		}
		for i := range news {
			w.m.river[len(w.m.river)-1-i].received = u.Received
		}
	}
	if ch.version > 0 {
		ch.listed = items
	}
}

// pick returns one of the entries that an account sees, and its key in the model.
func (w *modelRun) pick(rt *rapid.T, account tidings.AccountID) (tidings.Entry, string) {
	entries, err := w.s.Entries(w.t.Context(), w.ids[account], tidings.EntryQuery{})
	if err != nil || len(entries) == 0 {
		rt.Skip("nothing to pick")
	}
	e := rapid.SampledFrom(entries).Draw(rt, "entry")
	return e, e.Channel + " " + e.Content.ID
}

func (w *modelRun) mark(rt *rapid.T) {
	account, read := anyAccount.Draw(rt, "account"), rapid.Bool().Draw(rt, "read")
	e, key := w.pick(rt, account)
	if err := w.s.Reader.MarkRead(w.t.Context(), w.ids[account], []int64{e.Item, 1 << 40}, read); err != nil {
		rt.Fatal(err)
	}
	delete(w.m.unread[account], key)
	if !read && w.m.hasLatest(key) {
		w.m.unread[account][key] = true
	}
}

func (w *modelRun) star(rt *rapid.T) {
	account, starred := anyAccount.Draw(rt, "account"), rapid.Bool().Draw(rt, "starred")
	e, key := w.pick(rt, account)
	if err := w.s.Reader.Star(w.t.Context(), w.ids[account], e.Item, starred); err != nil {
		rt.Fatal(err)
	}
	delete(w.m.stars[account], key)
	if starred {
		w.m.stars[account][key] = true
	}
}

func (w *modelRun) markAll(rt *rapid.T) {
	account := anyAccount.Draw(rt, "account")
	e, _ := w.pick(rt, account)
	q := tidings.EntryQuery{Folder: anyFolder.Draw(rt, "folder"),
		Before: max(0, e.ID+int64(rapid.IntRange(-1, 2).Draw(rt, "before")))}
	upTo := e.ID
	if q.Before > 0 {
		upTo = min(upTo, q.Before-1)
	}
	older := make(map[int64]struct{}) // entries that are dated before e, where those alone are to be marked
	if q.ByDate = rapid.Bool().Draw(rt, "older than"); q.ByDate {
		q.Behind = tidings.Place{Dated: e.Dated, Item: e.Item}
		entries, err := w.s.Entries(w.t.Context(), w.ids[account],
			tidings.EntryQuery{ByDate: true, Behind: q.Behind, Limit: tidings.MaxLimit})
		if err != nil {
			rt.Fatal(err)
		}
		for _, e := range entries {
			older[e.ID] = struct{}{}
		}
	}
	marked, err := w.s.MarkAllRead(w.t.Context(), w.ids[account], q, e.ID)
	if err != nil {
		rt.Fatal(err)
	}
	want := 0
	for i, me := range w.m.river[:upTo] { // without retention, entry n is the n-th ever
		folder, follows := w.m.follows[account][me.url]
		inside := q.Folder == "" || folder == q.Folder || strings.HasPrefix(folder, q.Folder+"/")
		_, dated := older[int64(i+1)]
		if follows && inside && (dated || !q.ByDate) && w.m.isLatest(i) && w.m.unread[account][me.key()] {
			want++
			delete(w.m.unread[account], me.key())
		}
	}
	if marked != want {
		rt.Fatalf("marked %d, want %d", marked, want)
	}
}

func (w *modelRun) compare(rt *rapid.T) {
	account := anyAccount.Draw(rt, "reader")
	q := tidings.EntryQuery{
		Folder:  anyFolder.Draw(rt, "folder"),
		Unread:  rapid.Bool().Draw(rt, "unread"),
		Starred: rapid.Bool().Draw(rt, "starred"),
		Search:  rapid.SampledFrom([]string{"", "", "apple", "pear"}).Draw(rt, "search"),
		Limit:   rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "limit"),
	}
	if _, follows := w.m.follows[account]["https://a.example/"]; follows && rapid.Bool().Draw(rt, "one channel") {
		q.Channel = "https://a.example/"
	}
	var got []string
	entries, err := w.s.Entries(w.t.Context(), w.ids[account], q)
	if err != nil {
		rt.Fatal(err)
	}
	for _, e := range entries {
		text := strings.TrimSuffix(strings.TrimPrefix(e.Content.Content, "<p>"), "</p>")
		got = append(got, fmt.Sprint(e.Channel, " ", e.Content.ID, " ", text, " read=", e.Read, " starred=", e.Starred))
	}
	if want := w.m.entries(account, q); !slices.Equal(got, want) {
		rt.Fatalf("query %+v of %d:\n got %q\nwant %q", q, account, got, want)
	}
	if q.Search == "" {
		w.compareOrders(rt, w.ids[account], q)
	}
	followed, err := w.s.Channels(w.t.Context(), w.ids[account])
	if err != nil || len(followed) != len(w.m.follows[account]) {
		rt.Fatalf("channels: %v, %v", followed, err)
	}
	for _, f := range followed {
		want := 0
		for key := range w.m.unread[account] {
			if strings.HasPrefix(key, f.URL+" ") {
				want++
			}
		}
		if f.Unread != want {
			rt.Fatalf("%s: %d unread, want %d", f.URL, f.Unread, want)
		}
	}
}

// compareOrders compares what q selects in other orders with what it selects by arrival.
func (w *modelRun) compareOrders(rt *rapid.T, account tidings.AccountID, q tidings.EntryQuery) {
	pages := func(q tidings.EntryQuery, next func(q *tidings.EntryQuery, last tidings.Entry)) (all []tidings.Entry) {
		for {
			page, err := w.s.Entries(w.t.Context(), account, q)
			if err != nil {
				rt.Fatal(err)
			}
			if len(page) == 0 {
				return all
			}
			all = append(all, page...)
			next(&q, page[len(page)-1])
		}
	}
	ids := func(entries []tidings.Entry) (ids []int64) {
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return ids
	}
	place := func(e tidings.Entry) tidings.Place { return tidings.Place{Dated: e.Dated, Item: e.Item} }

	arrived := pages(q, func(q *tidings.EntryQuery, last tidings.Entry) { q.Before = last.ID })
	q.Rising = true
	rising := pages(q, func(q *tidings.EntryQuery, last tidings.Entry) { q.After = last.ID })
	slices.Reverse(rising)
	if got, want := ids(rising), ids(arrived); !slices.Equal(got, want) {
		rt.Fatalf("query %+v: rising %v, falling %v", q, got, want)
	}

	var dated []tidings.Entry // the latest of each item
	for _, e := range arrived {
		if !slices.ContainsFunc(dated, func(o tidings.Entry) bool { return o.Item == e.Item }) {
			dated = append(dated, e)
		}
	}
	slices.SortFunc(dated, func(a, b tidings.Entry) int {
		return cmp.Or(b.Dated.Compare(a.Dated), cmp.Compare(b.Item, a.Item))
	})
	for _, e := range dated {
		if p := e.Content.Published; !p.IsZero() && p.Before(e.Received) && !e.Dated.Equal(p) &&
			e.Change == tidings.New {
			rt.Fatalf("%d is dated %v, published %v, received %v", e.ID, e.Dated, p, e.Received)
		} else if e.Dated.After(e.Received) {
			rt.Fatalf("%d is dated %v, after it was received %v", e.ID, e.Dated, e.Received)
		}
	}
	q.ByDate = true
	rising = pages(q, func(q *tidings.EntryQuery, last tidings.Entry) { q.Ahead = place(last) })
	slices.Reverse(rising)
	q.Rising = false
	falling := pages(q, func(q *tidings.EntryQuery, last tidings.Entry) { q.Behind = place(last) })
	if !slices.Equal(ids(falling), ids(dated)) || !slices.Equal(ids(rising), ids(dated)) {
		rt.Fatalf("query %+v by date:\n falling %v\n rising %v\n   want %v", q, ids(falling), ids(rising), ids(dated))
	}
}

func TestPagingMissesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var urls []string
	for i := range 7 {
		urls = append(urls, channelURL(i))
		follow(t, s, channelURL(i))
	}
	for round := range 5 {
		for _, url := range urls {
			publish(t, s, url, story{fmt.Sprint(round), "text"})
		}
	}
	for name, q := range map[string]tidings.EntryQuery{"all": {Limit: 4}, "unread": {Limit: 4, Unread: true},
		"search": {Limit: 4, Search: "text"}} {
		seen := 0
		last := int64(1 << 60)
		for {
			page := river(t, s, q)
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				if e.ID >= last {
					t.Fatalf("%s: entry %d after %d", name, e.ID, last)
				}
				last = e.ID
			}
			seen += len(page)
			q.Before = last
		}
		if seen != 35 {
			t.Errorf("%s: paging shows %d of 35 entries", name, seen)
		}
	}
	if got := len(river(t, s, tidings.EntryQuery{After: 30})); got != 5 {
		t.Errorf("after 30 there are %d entries, want 5", got)
	}
}

func TestUpdateQueries(t *testing.T) {
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	follow(t, s, feedURL)
	follow(t, s, pageURL)
	var middle time.Time
	for i := range 6 {
		if i == 3 {
			clk.add(time.Hour)
			middle = clk.now()
		}
		publish(t, s, feedURL, story{fmt.Sprint(i), "x"})
		publish(t, s, pageURL, story{fmt.Sprint(i), "x"})
	}
	for name, c := range map[string]struct {
		q    tidings.UpdateQuery
		want string
	}{
		"all":              {tidings.UpdateQuery{}, "[1 2 3 4 5 6 7 8 9 10 11 12]"},
		"limit":            {tidings.UpdateQuery{Limit: 2}, "[1 2]"},
		"after":            {tidings.UpdateQuery{After: 9}, "[10 11 12]"},
		"newest":           {tidings.UpdateQuery{Newest: true, Limit: 3}, "[10 11 12]"},
		"since":            {tidings.UpdateQuery{Since: middle}, "[7 8 9 10 11 12]"},
		"since and newest": {tidings.UpdateQuery{Since: middle, Newest: true, Limit: 2}, "[11 12]"},
		"channel":          {tidings.UpdateQuery{Channel: pageURL}, "[2 4 6 8 10 12]"},
		"channel, newest":  {tidings.UpdateQuery{Channel: pageURL, Newest: true, Limit: 2}, "[10 12]"},
		"channel, after":   {tidings.UpdateQuery{Channel: pageURL, After: 8}, "[10 12]"},
	} {
		updates, err := s.Reader.Updates(t.Context(), tidings.Owner, c.q)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, u := range updates {
			ids = append(ids, u.ID)
		}
		if got := fmt.Sprint(ids); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	_, err := s.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: "https://nobody.example/"})
	mustErr(t, err, tidings.ErrNotFollowed)
	_, err = s.Reader.Update(t.Context(), 2, 1)
	mustErr(t, err, tidings.ErrNotFound)
}

// More items than one operation marks are marked all, once, for one account.
func TestManyItemsAreMarkedRead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	second := secondAccount(t, s)
	ctx := t.Context()
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(ctx, second, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	const n = 2*500 + 3 // 500 are marked at a time
	var all []story
	for i := range n {
		all = append(all, story{fmt.Sprint(i), "x"})
	}
	u := publish(t, s, feedURL, all...)
	if len(u.Items) != n {
		t.Fatalf("%d items", len(u.Items))
	}
	for _, want := range []int{n, 0} {
		if marked, err := s.MarkAllRead(ctx, tidings.Owner, tidings.EntryQuery{Limit: 1}, 1<<40); err != nil ||
			marked != want {
			t.Errorf("marked %d, want %d: %v", marked, want, err)
		}
	}
	items, err := s.Content.KnownItems(ctx, feedURL)
	if err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for _, i := range items {
		rows = append(rows, i.Row)
	}
	count := func(account tidings.AccountID) int {
		f, err := s.Channel(ctx, account, feedURL)
		if err != nil {
			t.Fatal(err)
		}
		return f.Unread
	}
	for range 2 {
		if err := s.Reader.MarkRead(ctx, tidings.Owner, rows, false); err != nil {
			t.Fatal(err)
		}
		if one, other := count(tidings.Owner), count(second); one != n || other != n {
			t.Errorf("unread are %d and %d of %d", one, other, n)
		}
	}
}

// What several filters select together is what each of them selects alone, in every combination.
func TestFiltersTogether(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const other = "https://example.org/other"
	follow(t, s, feedURL)
	if _, _, err := s.Subscribe(t.Context(), tidings.Owner,
		Subscription{URL: other, Privacy: tidings.Public, Folder: "news"}); err != nil {
		t.Fatal(err)
	}
	// of every second item there is an earlier revision that is found by other words
	for _, url := range []string{feedURL, other} {
		publish(t, s, url, story{"a", "apple"}, story{"b", "apple"}, story{"c", "apple"}, story{"d", "apple"})
		publish(t, s, url, story{"a", "apple pie"}, story{"b", "pear"}, story{"c", "apple"}, story{"d", "pear"},
			story{"e", "apple"})
		for _, e := range river(t, s, tidings.EntryQuery{Channel: url}) {
			if err := s.Reader.Star(t.Context(), tidings.Owner, e.Item, e.Content.ID < "d"); err != nil {
				t.Fatal(err)
			}
			if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{e.Item}, e.Content.ID == "b" ||
				e.Content.ID == "e"); err != nil {
				t.Fatal(err)
			}
		}
	}
	alone := []tidings.EntryQuery{{Search: "apple"}, {Starred: true}, {Unread: true}, {Channel: other},
		{Folder: "news"}}
	ids := func(q tidings.EntryQuery) (ids []int64) {
		q.Limit = 100
		for _, e := range river(t, s, q) {
			ids = append(ids, e.ID)
		}
		return ids
	}
	for set := range 1 << len(alone) {
		want := ids(tidings.EntryQuery{})
		var q tidings.EntryQuery
		for i, f := range alone {
			if set>>i&1 == 0 {
				continue
			}
			q.Search, q.Starred, q.Unread = q.Search+f.Search, q.Starred || f.Starred, q.Unread || f.Unread
			q.Channel, q.Folder = q.Channel+f.Channel, q.Folder+f.Folder
			has := ids(f)
			want = slices.DeleteFunc(want, func(id int64) bool { return !slices.Contains(has, id) })
		}
		if got := ids(q); !slices.Equal(got, want) {
			t.Errorf("%+v selects %d, not %d", q, got, want)
		}
	}
}
