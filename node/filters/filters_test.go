package filters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/lab/unsynced"
	"tidings/store"
	"tidings/store/reader"
	"tidings/store/shared"
	"tidings/store/storetest"
)

func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}

const blog, shop = "https://blog.example/feed", "https://shop.example/feed"

// world is a store in which the owner and ann follow the same channels.
type world struct {
	testing.TB
	*store.Store
	*Filters
	ann tidings.AccountID
	now time.Time
}

func open(t testing.TB, change func(*store.Config)) *world {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	config := storetest.Config(t)
	config.Conditions, config.Now = Language{}, func() time.Time { return w.now }
	if change != nil {
		change(&config)
	}
	w.Store = storetest.Open(t, config)
	t.Cleanup(func() { storetest.Close(t, w.Store, config) })
	w.Filters = New(w.Store.Filters, w.Store)
	w.must(w.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"))
	p, err := w.Reader.AddPerson(t.Context(), "ann", tidings.Reader, "hash")
	w.must(err)
	w.ann = p.ID
	for _, account := range []tidings.AccountID{tidings.Owner, w.ann} {
		for _, channel := range []string{blog, shop} {
			w.subscribe(account, channel)
		}
	}
	for _, channel := range []string{blog, shop} { // what an origin lists at first is not news
		w.arrive(channel, "first")
	}
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) subscribe(account tidings.AccountID, channel string) {
	w.Helper()
	_, _, err := w.Subscribe(w.Context(), account, store.Subscription{URL: channel, Kind: tidings.KindFeed,
		Title: "The " + channel[8:12], Privacy: tidings.Public})
	w.must(err)
}

// arrive stores articles of a channel, in one update. The ID of each is its title up to a blank. So another title with
// the same ID is a revision.
func (w *world) arrive(channel string, titles ...string) {
	w.Helper()
	w.must(w.bring(w.Context(), channel, titles...))
}

func (w *world) bring(ctx context.Context, channel string, titles ...string) error {
	items := make([]tidings.FoundItem, len(titles))
	marks := make([]tidings.ItemIdentity, len(titles))
	for i, title := range titles {
		id, _, _ := strings.Cut(title, " ")
		items[i] = tidings.FoundItem{
			Item: tidings.Item{ID: id, Title: title, URL: "https://items.example/" + id, Content: "<p>Text of " +
				title + "</p>", Change: tidings.New},
			Mark: tidings.ItemIdentity{ID: hash(id), Print: hash(title)},
		}
		marks[i] = items[i].Mark
	}
	known, upTo, err := w.Content.KnownLike(ctx, channel, marks)
	if err != nil {
		return err
	}
	for i := range items {
		for _, k := range known {
			if k.ID == marks[i].ID {
				items[i].Row, items[i].Was, items[i].Change = k.Row, k.ItemIdentity, tidings.Changed
				if k.Print == marks[i].Print {
					items[i].Item = tidings.Item{} // nothing is new to a reader
				}
			}
		}
	}
	_, err = w.Apply(ctx, store.Remote{Version: shared.Version{URL: channel}, Change: &tidings.Change{
		Kind: tidings.KindFeed, KnownUpTo: upTo, Partial: true, Found: w.now, Items: items,
	}})
	return err
}

func hash(s string) (h uint64) {
	h = 14695981039346656037
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h>>1 | 1
}

func (w *world) add(account tidings.AccountID, condition string, actions tidings.FilterActions) tidings.Filter {
	w.Helper()
	f, err := w.Add(w.Context(), account, tidings.FilterSettings{Condition: condition, Actions: actions})
	w.must(err)
	return f
}

// seen returns the articles of an account in their latest revision, the oldest first: with a + where they are unread, a
// * where starred, and their labels.
func (w *world) seen(account tidings.AccountID) string {
	w.Helper()
	entries, err := w.Entries(w.Context(), account, tidings.EntryQuery{Limit: tidings.MaxLimit})
	w.must(err)
	var all []string
	latest := make(map[int64]bool)
	for _, e := range entries {
		if latest[e.Item] || e.Content.Title == "first" {
			continue
		}
		latest[e.Item] = true
		text := e.Content.Title
		if !e.Read {
			text += "+"
		}
		if e.Starred {
			text += "*"
		}
		for _, label := range e.Labels {
			text += "#" + label
		}
		all = append(all, text)
	}
	slices.Reverse(all)
	return strings.Join(all, ", ")
}

func (w *world) expect(account tidings.AccountID, want string) {
	w.Helper()
	if got := w.seen(account); got != want {
		w.Errorf("account %d sees\n%s, want\n%s", account, got, want)
	}
}

// target adds a webhook for an account, of the articles of one channel or, without one, of all.
func (w *world) target(account tidings.AccountID, name, channel string, kind tidings.TargetKind) int64 {
	w.Helper()
	t, err := w.Outbox.AddTarget(w.Context(), tidings.Target{Account: account, Name: name, Kind: kind,
		URL: "https://push.example/" + name, Selector: tidings.Selector{Channel: channel}, Secret: "secret"})
	w.must(err)
	return t.ID
}

// sent delivers what waits for a target, and returns the titles; those of one message in brackets.
func (w *world) sent(target int64) string {
	w.Helper()
	var all []string
	for {
		j, err := w.Outbox.Next(w.Context(), target)
		if errors.Is(err, tidings.ErrNotFound) {
			return strings.Join(all, ", ")
		}
		w.must(err)
		for _, p := range j.Parts {
			if p.Item != nil {
				all = append(all, p.Item.Title)
				continue
			}
			var titles []string
			for _, item := range p.Update.Items {
				titles = append(titles, item.Title)
			}
			all = append(all, fmt.Sprint(titles))
		}
		w.must(w.Outbox.Delivered(w.Context(), j))
	}
}

// Each action does what it says, for the account of the filter alone, and in the account's order.
func TestActions(t *testing.T) {
	w := open(t, nil)
	w.add(tidings.Owner, "headline LIKE '%advert%'", tidings.FilterActions{Drop: true})
	w.add(tidings.Owner, "headline LIKE '%quiet%'", tidings.FilterActions{Read: true, Stop: true})
	w.add(tidings.Owner, "headline REGEXP '(?i)GO 1\\.\\d+'",
		tidings.FilterActions{Star: true, Labels: []string{"go", "news"}})
	w.add(tidings.Owner, "text LIKE '%text of advert%' OR headline LIKE '%quiet%'",
		tidings.FilterActions{Labels: []string{"never"}})
	w.arrive(blog, "a plain", "b advert", "c quiet", "d go 1.30", "e advert quiet")
	w.expect(tidings.Owner, "d go 1.30+*#go#news, c quiet, a plain+")
	w.expect(w.ann, "e advert quiet+, d go 1.30+, c quiet+, b advert+, a plain+")

	// A revision is judged anew: what was dropped shows when it changes, and what has become an advertisement goes.
	w.arrive(blog, "b apology", "a advert")
	w.expect(tidings.Owner, "d go 1.30+*#go#news, c quiet, b apology+")
	f, err := w.List(t.Context(), tidings.Owner)
	w.must(err)
	if f[0].Matched != 3 || f[0].Hidden != 2 || !f[0].MatchedAt.Equal(w.now) || f[3].Matched != 0 {
		t.Errorf("the filters have counted %+v", f)
	}

	// With the filter what it has dropped comes back, as read.
	w.must(w.Remove(t.Context(), tidings.Owner, f[0].ID))
	w.expect(tidings.Owner, "e advert quiet, d go 1.30+*#go#news, c quiet, a advert, b apology+")
}

// Dropped articles are nowhere among an account's articles: in no list, search, stream, count, or copy of a phone. They
// cannot be reached by their numbers.
func TestDroppedIsNowhere(t *testing.T) {
	w := open(t, nil)
	drop := w.add(tidings.Owner, "headline LIKE '%advert%'",
		tidings.FilterActions{Drop: true, Star: true, Labels: []string{"x"}})
	w.arrive(blog, "a advert", "b plain")
	w.arrive(blog, "c advert")
	ctx := t.Context()
	theirs, err := w.Entries(ctx, w.ann, tidings.EntryQuery{Channel: blog})
	w.must(err)
	if len(theirs) != 4 {
		t.Fatalf("ann sees %d articles", len(theirs))
	}
	for name, q := range map[string]tidings.EntryQuery{
		"all": {}, "of a channel": {Channel: blog}, "unread": {Unread: true}, "starred": {Starred: true},
		"by label": {Label: "x"}, "found": {Search: "advert"},
		"by date": {ByDate: true}, "unread by date": {ByDate: true, Unread: true},
		"starred by date": {ByDate: true, Starred: true}, "label by date": {ByDate: true, Label: "x"},
		"found with label": {Search: "advert", Label: "x"},
	} {
		entries, err := w.Entries(ctx, tidings.Owner, q)
		w.must(err)
		for _, e := range entries {
			if strings.Contains(e.Content.Title, "advert") {
				t.Errorf("%s: %s is shown", name, e.Content.Title)
			}
		}
		numbers, err := store.NewArticles(w.Store).Numbers(ctx, tidings.Owner,
			reader.ArticleQuery{Search: q.Search, Label: q.Label})
		w.must(err)
		articles, err := store.NewArticles(w.Store).Of(ctx, tidings.Owner, numbers)
		w.must(err)
		for _, a := range articles {
			if strings.Contains(a.Content.Title, "advert") {
				t.Errorf("%s: phones get %s", name, a.Content.Title)
			}
		}
	}
	for _, e := range theirs {
		if !strings.Contains(e.Content.Title, "advert") {
			continue
		}
		if _, err := w.Reader.Entry(ctx, tidings.Owner, e.ID); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("entry %d: %v", e.ID, err)
		}
		if err := w.Reader.Star(ctx, tidings.Owner, e.Item, true); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("item %d is starred: %v", e.Item, err)
		}
		w.must(w.Reader.MarkRead(ctx, tidings.Owner, []int64{e.Item}, false))
		if articles, err := store.NewArticles(w.Store).Of(ctx, tidings.Owner, []int64{e.Item}); err != nil ||
			len(articles) > 0 {
			t.Errorf("article %d: %v, %v", e.Item, articles, err)
		}
	}
	updates, err := w.Reader.Updates(ctx, tidings.Owner, tidings.UpdateQuery{Channel: blog})
	w.must(err)
	if len(updates) != 2 || len(updates[1].Items) != 1 || updates[1].Items[0].Title != "b plain" {
		t.Errorf("updates are %+v", updates)
	}
	tallies, err := store.NewArticles(w.Store).Tallies(ctx, tidings.Owner)
	w.must(err)
	n, err := store.NewArticles(w.Store).Count(ctx, tidings.Owner, reader.ArticleQuery{})
	w.must(err)
	channel, err := w.Channel(ctx, tidings.Owner, blog)
	w.must(err)
	all := 0
	for _, of := range tallies {
		all += of.Items
	}
	if all != 3 || n != 3 || channel.Unread != 2 {
		t.Errorf("there are %d, counted %d, %d unread", all, n, channel.Unread)
	}
	shown, err := w.Show(ctx, tidings.Owner, drop.ID)
	w.must(err)
	if shown != 2 {
		t.Errorf("%d are shown again", shown)
	}
	w.expect(tidings.Owner, "b plain+, a advert*#x, c advert*#x")
}

// A filter notifies all targets of its account, whatever these select. A filter that mutes keeps its articles from all
// targets until its date. What is marked read is not sent to those targets that are one person's, unless a filter
// notifies of it.
func TestNotifications(t *testing.T) {
	w := open(t, nil)
	phone, hook := w.target(tidings.Owner, "phone", blog, tidings.Ntfy),
		w.target(tidings.Owner, "hook", "", tidings.Webhook)
	elsewhere, anns := w.target(tidings.Owner, "elsewhere", shop, tidings.Ntfy),
		w.target(w.ann, "anns", "", tidings.Ntfy)
	w.add(tidings.Owner, "headline LIKE '%muted%'", tidings.FilterActions{Mute: w.now.Add(time.Hour)})
	w.add(tidings.Owner, "headline LIKE '%advert%'", tidings.FilterActions{Drop: true})
	w.add(tidings.Owner, "headline LIKE '%read%'", tidings.FilterActions{Read: true})
	w.add(tidings.Owner, "headline LIKE '%alarm%'", tidings.FilterActions{Notify: true})
	expect := func(target int64, want string) {
		t.Helper()
		if got := w.sent(target); got != want {
			t.Errorf("target %d got %s, want %s", target, got, want)
		}
	}
	w.arrive(blog, "f read alarm", "e read", "d muted alarm", "c alarm", "b muted", "a plain", "x advert")
	w.must(w.Reader.MarkRead(t.Context(), tidings.Owner, nil, true)) // which drops what was read
	expect(phone, "a plain, c alarm, d muted alarm, f read alarm")
	expect(elsewhere, "c alarm, d muted alarm, f read alarm")
	expect(hook, "[f read alarm e read d muted alarm c alarm a plain]")
	expect(anns, "[f read alarm e read d muted alarm c alarm b muted a plain x advert]")
	w.expect(tidings.Owner, "a plain+, b muted, c alarm+, d muted alarm, e read, f read alarm")
	w.arrive(blog, "g muted")
	expect(phone, "")
	expect(hook, "")
	w.now = w.now.Add(2 * time.Hour)
	w.arrive(blog, "h muted")
	expect(phone, "h muted")
	expect(hook, "h muted")
	expect(elsewhere, "")
	expect(anns, "g muted, h muted")
}

// Three kinds of filters stop nothing: one with an unreadable condition, one that can label and star no more, and one
// without work left.
func TestFiltersThatCannotActStopNothing(t *testing.T) {
	w := open(t, func(c *store.Config) { c.ReaderStarred = 1 })
	w.add(w.ann, "TRUE", tidings.FilterActions{Star: true, Labels: []string{"x"}})
	w.arrive(blog, "a", "b")
	w.expect(w.ann, "b+#x, a+*#x")

	// The language of an older release knew more.
	old := New(reader.NewFilters(w.DB, anything{}, 0), w.Store)
	_, err := old.Add(t.Context(), w.ann, tidings.FilterSettings{Condition: "headline MATCHES ('x'",
		Actions: tidings.FilterActions{Drop: true}})
	w.must(err)
	w.must(w.Move(t.Context(), w.ann, 2, 1)) // so that the store reads its filters anew
	w.arrive(blog, "c")
	w.expect(w.ann, "b+#x, a+*#x, c+#x")
	all, err := w.List(t.Context(), w.ann)
	w.must(err)
	if len(all) != 2 || all[0].Problem == "" || all[1].Problem != "" || all[0].Matched != 0 {
		t.Errorf("filters are %+v", all)
	}
}

// anything is a language in which every text is a condition that holds.
type anything struct{ Language }

type text string

func (anything) Compile(s string) (reader.Condition, error) { return text(s), nil }
func (t text) String() string                               { return string(t) }
func (text) Holds(reader.Prepared, *int64) (holds, ok bool) { return true, true }

// hostile 90: filters that are too much work for an update leave the rest of it as it came, and report that.
func TestWorkIsBounded(t *testing.T) {
	w := open(t, nil)
	for range 40 {
		w.add(tidings.Owner, "text REGEXP '(x|y|z)*(a|b){200}q'", tidings.FilterActions{Drop: true})
	}
	w.add(tidings.Owner, "headline LIKE '%z%'", tidings.FilterActions{Read: true})
	w.arrive(blog, "a "+strings.Repeat("ab ", 30_000), "z")
	all, err := w.List(t.Context(), tidings.Owner)
	w.must(err)
	if last := all[len(all)-1]; last.Skipped != 2 || all[0].Skipped > 1 {
		t.Errorf("the first was not compared with %d articles, the last with %d", all[0].Skipped, last.Skipped)
	}
	channel, err := w.Channel(t.Context(), tidings.Owner, blog)
	w.must(err)
	if channel.Unread != 3 {
		t.Errorf("%d articles are unread", channel.Unread)
	}
}

// An account has a bounded number of filters, each with bounded settings.
func TestBounds(t *testing.T) {
	w := open(t, nil)
	for i := range tidings.MaxFilters {
		w.add(tidings.Owner, fmt.Sprintf("headline LIKE '%%word%d%%'", i), tidings.FilterActions{Read: true})
	}
	ok := tidings.FilterSettings{Condition: "TRUE", Actions: tidings.FilterActions{Read: true}}
	if _, err := w.Add(t.Context(), tidings.Owner, ok); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("filter %d: %v", tidings.MaxFilters+1, err)
	}
	w.arrive(blog, "a word998", "b")
	w.expect(tidings.Owner, "b+, a word998")
	many := make([]string, tidings.MaxFilterLabels+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, bad := range map[string]tidings.FilterSettings{
		"nothing to do":  {Condition: "TRUE"},
		"only stops":     {Condition: "TRUE", Actions: tidings.FilterActions{Stop: true}},
		"no condition":   {Actions: ok.Actions},
		"syntax":         {Condition: "headline ~ 'x'", Actions: ok.Actions},
		"long condition": {Condition: "headline = '" + strings.Repeat("x", 4096) + "'", Actions: ok.Actions},
		"long name": {Name: strings.Repeat("x", tidings.MaxFilterName+1), Condition: "TRUE",
			Actions: ok.Actions},
		"many labels":    {Condition: "TRUE", Actions: tidings.FilterActions{Labels: many}},
		"an empty label": {Condition: "TRUE", Actions: tidings.FilterActions{Labels: []string{" "}}},
		"long label": {Condition: "TRUE",
			Actions: tidings.FilterActions{Labels: []string{strings.Repeat("x", 2000)}}},
		"long expression":  {Condition: "headline REGEXP '" + strings.Repeat("x", 513) + "'", Actions: ok.Actions},
		"large expression": {Condition: "headline REGEXP '(abc){1000}'", Actions: ok.Actions},
		"no expression":    {Condition: "headline REGEXP '('", Actions: ok.Actions},
	} {
		if _, err := w.Add(t.Context(), w.ann, bad); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Filters of one account apply to no other's articles.
func TestFiltersAreTheAccounts(t *testing.T) {
	w := open(t, nil)
	ctx := t.Context()
	f := w.add(tidings.Owner, "TRUE", tidings.FilterActions{Read: true})
	settings := tidings.FilterSettings{Condition: "FALSE", Actions: tidings.FilterActions{Read: true}}
	_, changed := w.Filters.Change(ctx, w.ann, f.ID, settings)
	_, shown := w.Show(ctx, w.ann, f.ID)
	for name, err := range map[string]error{"changed": changed, "moved": w.Move(ctx, w.ann, f.ID, 1),
		"removed": w.Remove(ctx, w.ann, f.ID), "shown": shown} {
		if !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%s by another account: %v", name, err)
		}
	}
	w.add(w.ann, "TRUE", tidings.FilterActions{Drop: true})
	w.arrive(blog, "a")
	w.expect(w.ann, "")
	if _, err := w.RemovePerson(ctx, w.ann); err != nil {
		t.Fatal(err)
	}
	if all, err := w.List(ctx, w.ann); err != nil || len(all) > 0 {
		t.Errorf("a removed account has filters %v, %v", all, err)
	}
	w.expect(tidings.Owner, "a")
}

// If a person begins to follow a channel, filters are applied to what is unread then.
func TestFiltersAreAppliedToWhatAChannelListsAtFirst(t *testing.T) {
	w := open(t, nil)
	w.arrive(blog, "b advert", "a plain")
	_, err := w.Unsubscribe(t.Context(), w.ann, blog)
	w.must(err)
	w.add(w.ann, "headline LIKE '%advert%'", tidings.FilterActions{Drop: true})
	w.subscribe(w.ann, blog)
	w.expect(w.ann, "a plain+")
}

// A check says what a condition would have selected of what the account sees, each article in its latest revision.
func TestCheck(t *testing.T) {
	w := open(t, nil)
	w.arrive(blog, "a plain", "b advert")
	w.arrive(blog, "b apology")
	w.arrive(shop, "c advert")
	c, err := w.Check(t.Context(), tidings.Owner, "headline like '%advert%'")
	w.must(err)
	if c.Condition != "headline LIKE '%advert%'" || c.Searched != 5 || c.Matching != 1 || len(c.Matches) != 1 ||
		c.Matches[0].Title != "c advert" || c.Matches[0].Channel != shop {
		t.Errorf("%+v", c)
	}
	c, err = w.Check(t.Context(), tidings.Owner, "channel = 'the BLOG' AND age IS NULL AND link LIKE '%/b'")
	w.must(err)
	if c.Matching != 1 || c.Matches[0].Title != "b apology" {
		t.Errorf("%+v", c)
	}
	c, err = w.Check(t.Context(), tidings.Owner, "headline LIKE ")
	w.must(err)
	if c.Error == nil || c.Error.Context == "" || c.Condition != "" {
		t.Errorf("%+v", c)
	}
}

// Filters change articles as a plain model does. Two accounts have filters of their own that come, change their places
// and go, while articles come and change.
func TestFiltersAreTheModel(t *testing.T) {
	words := []string{"red", "green", "blue"}
	rapid.Check(t, func(r *rapid.T) {
		w := open(t, nil)
		model := map[tidings.AccountID]*modelAccount{
			tidings.Owner: {articles: make(map[string]*modelArticle)},
			w.ann:         {articles: make(map[string]*modelArticle)},
		}
		accounts := slices.Sorted(maps.Keys(model))
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			account := rapid.SampledFrom(accounts).Draw(r, "account")
			m := model[account]
			switch kind := rapid.IntRange(0, 9).Draw(r, "kind"); {
			case kind < 3:
				f := modelFilter{word: rapid.SampledFrom(words).Draw(r, "word"), actions: drawActions(r, w.now)}
				f.id = w.add(account, "headline LIKE '%"+f.word+"%'", f.actions).ID
				m.filters = append(m.filters, f)
			case kind == 3 && len(m.filters) > 0:
				from, to := rapid.IntRange(0, len(m.filters)-1).Draw(r, "from"),
					rapid.IntRange(0, len(m.filters)-1).Draw(r, "to")
				f := m.filters[from]
				w.must(w.Move(t.Context(), account, f.ID(), to+1))
				m.filters = slices.Insert(slices.Delete(m.filters, from, from+1), to, f)
			case kind == 4 && len(m.filters) > 0:
				at := rapid.IntRange(0, len(m.filters)-1).Draw(r, "at")
				w.must(w.Remove(t.Context(), account, m.filters[at].id))
				for _, a := range m.articles {
					if a.hidden == m.filters[at].id {
						a.hidden = 0
					}
				}
				m.filters = slices.Delete(m.filters, at, at+1)
			default:
				var titles []string
				for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}), 1, 4,
					rapid.ID).Draw(r, "ids") {
					titles = append(titles,
						id+" "+strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(words), 0, 3, rapid.ID).Draw(r,
							"title"), " "))
				}
				w.arrive(blog, titles...)
				for _, m := range model {
					for _, title := range titles {
						m.arrive(title, w.now)
					}
				}
			}
			for account, m := range model {
				if got, want := sorted(w.seen(account)), m.seen(); got != want {
					r.Fatalf("account %d sees\n%s, want\n%s", account, got, want)
				}
				channel, err := w.Channel(t.Context(), account, blog)
				w.must(err)
				if unread := strings.Count(m.seen(), "+") + 1; channel.Unread != unread {
					r.Fatalf("account %d has %d unread, want %d", account, channel.Unread, unread)
				}
			}
		}
	})
}

func sorted(list string) string {
	all := strings.Split(list, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func drawActions(r *rapid.T, now time.Time) (a tidings.FilterActions) {
	for a.IsNone() {
		a = tidings.FilterActions{
			Drop: rapid.IntRange(0, 3).Draw(r, "drop") == 0, Read: rapid.Bool().Draw(r, "read"),
			Star:   rapid.Bool().Draw(r, "star"),
			Notify: rapid.Bool().Draw(r, "notify"), Stop: rapid.IntRange(0, 3).Draw(r, "stop") == 0,
			Labels: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y"}), 0, 2, rapid.ID).Draw(r, "labels"),
		}
		if rapid.Bool().Draw(r, "mute") {
			a.Mute = now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(r, "until")) * time.Hour)
		}
	}
	return a
}

type modelFilter struct {
	id      int64
	word    string
	actions tidings.FilterActions
}

func (f modelFilter) ID() int64 { return f.id }

type modelArticle struct {
	title         string
	read, starred bool
	labels        map[string]bool
	hidden        int64
}

type modelAccount struct {
	filters  []modelFilter
	articles map[string]*modelArticle
}

func (m *modelAccount) arrive(title string, now time.Time) {
	id, _, _ := strings.Cut(title, " ")
	a := m.articles[id]
	if a == nil {
		a = &modelArticle{labels: make(map[string]bool)}
		m.articles[id] = a
	} else if a.title == title {
		return // nothing has changed
	}
	a.title, a.read, a.hidden = title, false, 0
	for _, f := range m.filters {
		if !strings.Contains(title, f.word) {
			continue
		}
		a.read = a.read || f.actions.Read || f.actions.Drop || now.Before(f.actions.Mute)
		a.starred = a.starred || f.actions.Star
		for _, label := range f.actions.Labels {
			a.labels[label] = true
		}
		if f.actions.Drop {
			a.hidden = f.id
		}
		if f.actions.Drop || f.actions.Stop {
			break
		}
	}
}

func (m *modelAccount) seen() string {
	var all []string
	for _, a := range m.articles {
		if a.hidden != 0 {
			continue
		}
		text := a.title
		if !a.read {
			text += "+"
		}
		if a.starred {
			text += "*"
		}
		for _, label := range slices.Sorted(maps.Keys(a.labels)) {
			text += "#" + label
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// BenchmarkConditions compares a thousand articles with a hundred conditions, and stores nothing.
func BenchmarkConditions(b *testing.B) {
	html := "<p>" + strings.Repeat("some more text here ", 100) + "</p>"
	for name, column := range map[string]string{"title": "headline LIKE '%word%d%%'", "text": "text LIKE '%word%d%%'",
		"expression": "headline REGEXP 'w[a-z]+%d'", "text expression": "text REGEXP 'w[a-z]+%d'"} {
		b.Run(name, func(b *testing.B) {
			conditions := make([]reader.Condition, 100)
			for i := range conditions {
				var err error
				if conditions[i], err =
					(Language{}).Compile(strings.ReplaceAll(column, "%d", fmt.Sprint(i))); err != nil {
					b.Fatal(err)
				}
			}
			work := int64(0)
			for b.Loop() {
				work = 1 << 40
				for i := range 1000 {
					article := Language{}.Prepare(reader.Candidate{Channel: blog,
						Item: tidings.Item{ID: "x", Title: fmt.Sprintf("A title about number %d", i), Content: html}})
					for _, c := range conditions {
						if holds, ok := c.Holds(article, &work); holds || !ok {
							b.Fatal("it holds")
						}
					}
				}
			}
			b.ReportMetric(float64(1<<40-work)/1e6, "Mwork/op")
		})
	}
}

// BenchmarkHundredFiltersThousandArticles is an update of a thousand articles for an account with a hundred filters.
func BenchmarkHundredFiltersThousandArticles(b *testing.B) {
	for name, column := range map[string]string{"title": "headline LIKE '%word%d%%'", "text": "text LIKE '%word%d%%'",
		"expression": "headline REGEXP 'w[a-z]+%d'", "none": ""} {
		b.Run(name, func(b *testing.B) {
			w := open(b, nil)
			for i := range 100 {
				if column != "" {
					w.add(tidings.Owner, strings.ReplaceAll(column, "%d", fmt.Sprint(i)),
						tidings.FilterActions{Read: true})
				}
			}
			for n := range b.N {
				titles := make([]string, 1000)
				for i := range titles {
					titles[i] = fmt.Sprintf("%d-%d %s", n, i, strings.Repeat("some more text here ", 100))
				}
				w.arrive(blog, titles...)
			}
		})
	}
}
