package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/passkeys"
	"tidings/markup"
	"tidings/view"
)

// fake is a store and a node in memory, as simple as their contracts allow.
type fake struct {
	changed      tidings.ChannelChange // the last of several channels
	access       tidings.AccessChange  // the last that was ordered
	mu           sync.Mutex
	followed     []tidings.Subscription
	entries      []tidings.Entry // rising ID
	updates      []tidings.Update
	states       map[string][]string
	tokens       map[[32]byte]tidings.Token
	sessions     map[[32]byte]time.Time
	signedIn     map[[32]byte]tidings.AccountID // of sessions
	password     string
	wake         chan struct{}
	preview      tidings.Preview
	orders       []tidings.SubscribeRequest
	fail         error // what every call answers, if set
	previewFails error // what Preview answers, if set

	queries []string // that were checked
	check   view.QueryCheck

	problems []view.Problem
	slots    view.Slots

	archived []view.Archived // newest first
	missing  int             // of them, that nobody has
	silent   error           // how the archive ends; nil: well

	fetched int // files that others were asked for again

	publications []view.Publication

	provider Provider // that signs people in, too; nil: none

	people []tidings.Person // besides the owner
	ended  []string         // sessions

	applied  []tidings.Mark // in the order of their arrival
	passkeys []tidings.Passkey
	feeds    []tidings.FeedAddress

	notifications Notifications // nil: nobody is notified
	pictures      Pictures      // nil: links stand in the place of pictures
	players       Players       // nil: links stand in the place of sound and video

	chosen  tidings.Preferences
	doubled []tidings.Doubled
	soon    []string // channels to be polled soon
}

var (
	_ Store      = (*fake)(nil)
	_ Marks      = (*fake)(nil)
	_ Node       = (*fake)(nil)
	_ Archive    = (*fake)(nil)
	_ Publisher  = (*fake)(nil)
	_ auth.Store = (*fake)(nil)

	_ passkeys.Store = (*fake)(nil)
	_ Guard          = (*auth.Guard)(nil)
)

func newFake() *fake {
	return &fake{states: map[string][]string{}, tokens: map[[32]byte]tidings.Token{},
		sessions: map[[32]byte]time.Time{}, wake: make(chan struct{})}
}

// Apply implements [Marks], without looking at times: nothing else is marked meanwhile.
func (f *fake) Apply(ctx context.Context, account tidings.AccountID, marks []tidings.Mark) error {
	for _, m := range marks {
		var err error
		switch m.Do {
		case tidings.MarkRead, tidings.MarkUnread:
			err = f.MarkRead(ctx, account, []int64{m.Entry}, m.Do == tidings.MarkRead)
		case tidings.MarkStarred, tidings.MarkUnstarred:
			err = f.Star(ctx, account, m.Entry, m.Do == tidings.MarkStarred)
		case tidings.MarkAllRead:
			_, err = f.MarkAllRead(ctx, account, m.Query, m.Entry)
		default:
			err = tidings.Invalidf("no mark")
		}
		if err != nil {
			return err
		}
		f.mu.Lock()
		f.applied = append(f.applied, m)
		f.mu.Unlock()
	}
	return nil
}

func (f *fake) lock() func() { f.mu.Lock(); return f.mu.Unlock }

// follow adds a channel.
func (f *fake) follow(c tidings.Subscription) {
	defer f.lock()()
	f.followed = append(f.followed, c)
	slices.SortStableFunc(f.followed, func(a, b tidings.Subscription) int {
		return cmp.Or(tidings.CompareNames(a.Folder, b.Folder), tidings.CompareNames(a.Label(), b.Label()))
	})
}

// arrive adds one update with its entries and wakes all waiters. Entries need Content, and may have Received, Change,
// Before, Read, Starred and Delta.
func (f *fake) arrive(url string, version tidings.Version, entries ...tidings.Entry) int64 {
	defer f.lock()()
	c := f.at(url)
	u := tidings.Update{ID: int64(len(f.updates) + 1), Channel: url, Title: c.Title, Version: version, Kind: c.Kind,
		Time: time.Now()}
	for _, e := range entries {
		e.ID, e.Update, e.Channel, e.Label, e.Kind, e.Version = int64(len(f.entries)+1), u.ID, url, c.Label(), c.Kind,
			version
		e.Item = cmp.Or(e.Item, e.ID)
		e.Change = cmp.Or(e.Change, tidings.New)
		if e.Received.IsZero() {
			e.Received = time.Now().Truncate(time.Microsecond) // as stores do
		}
		if e.Dated = e.Received; !e.Content.Published.IsZero() && e.Content.Published.Before(e.Received) {
			e.Dated = e.Content.Published
		}
		u.Time, u.Received = e.Received, e.Received
		u.Delta = e.Delta
		if e.Kind == tidings.KindFeed {
			item := e.Content
			item.Change = e.Change
			u.Items = append(u.Items, item)
		}
		if !e.Read {
			c.Unread++
		}
		f.entries = append(f.entries, e)
	}
	c.LastChange, c.Channel.Version = u.Time, version
	f.updates = append(f.updates, u)
	close(f.wake)
	f.wake = make(chan struct{})
	return int64(len(f.entries))
}

func (f *fake) at(url string) *tidings.Subscription {
	for i := range f.followed {
		if f.followed[i].URL == url {
			return &f.followed[i]
		}
	}
	return nil
}

func (f *fake) Channels(context.Context, tidings.AccountID) ([]tidings.Subscription, error) {
	defer f.lock()()
	return slices.Clone(f.followed), f.fail
}

func (f *fake) Channel(_ context.Context, _ tidings.AccountID, url string) (tidings.Subscription, error) {
	defer f.lock()()
	if c := f.at(url); c != nil {
		return *c, f.fail
	}
	return tidings.Subscription{}, fmt.Errorf("channel %s: %w", url, tidings.ErrNotFollowed)
}

func (f *fake) Updates(_ context.Context, _ tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error) {
	defer f.lock()()
	var found []tidings.Update
	for _, u := range f.updates {
		if u.Channel == q.Channel {
			found = append(found, u)
		}
	}
	return found[max(0, len(found)-q.Limit):], f.fail
}

func (f *fake) Update(_ context.Context, _ tidings.AccountID, id int64) (tidings.Update, error) {
	defer f.lock()()
	if id < 1 || id > int64(len(f.updates)) {
		return tidings.Update{}, tidings.ErrNotFound
	}
	return f.updates[id-1], f.fail
}

func (f *fake) selects(q tidings.EntryQuery, e tidings.Entry) bool {
	c := f.at(e.Channel)
	return c != nil && (q.Channel == "" || q.Channel == e.Channel) && (q.Folder == "" || q.Folder == c.Folder) &&
		(q.Tag == "" || slices.Contains(c.Tags, q.Tag)) &&
		(q.Behind.Item == 0 || cmp.Or(e.Dated.Compare(q.Behind.Dated), cmp.Compare(e.Item, q.Behind.Item)) < 0) &&
		(q.Ahead.Item == 0 || cmp.Or(e.Dated.Compare(q.Ahead.Dated), cmp.Compare(e.Item, q.Ahead.Item)) > 0) &&
		(!q.Unread || !e.Read) && (!q.Starred || e.Starred) && (q.Before == 0 || e.ID < q.Before) && e.ID > q.After &&
		(q.Search == "" ||
			strings.Contains(strings.ToLower(e.Content.Title+" "+e.Content.Summary+" "+e.Content.Content),
				strings.ToLower(q.Search)))
}

func (f *fake) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	defer f.lock()()
	var found []tidings.Entry
	all := slices.Clone(f.entries)
	slices.SortStableFunc(all, func(a, b tidings.Entry) int {
		by := cmp.Compare(a.ID, b.ID)
		if q.ByDate {
			by = cmp.Or(a.Dated.Compare(b.Dated), cmp.Compare(a.Item, b.Item))
		}
		if q.Rising {
			return by
		}
		return -by
	})
	for _, e := range all {
		if len(found) == cmp.Or(q.Limit, 50) {
			break
		}
		if !f.selects(q, e) ||
			q.ByDate && slices.ContainsFunc(f.entries, func(o tidings.Entry) bool {
				return o.Item == e.Item && o.ID > e.ID
			}) {
			continue
		}
		e.Before = nil
		if q.Search != "" {
			text := markup.Text(e.Content.Summary, 500)
			if i := strings.Index(strings.ToLower(text), strings.ToLower(q.Search)); i >= 0 {
				e.Snippet = text[:i] + "\x02" + text[i:i+len(q.Search)] + "\x03" + text[i+len(q.Search):]
			}
		}
		found = append(found, e)
	}
	return found, f.fail
}

func (f *fake) Entry(_ context.Context, _ tidings.AccountID, id int64) (tidings.Entry, error) {
	defer f.lock()()
	if id < 1 || id > int64(len(f.entries)) {
		return tidings.Entry{}, fmt.Errorf("entry %d: %w", id, tidings.ErrNotFound)
	}
	return f.entries[id-1], f.fail
}

func (f *fake) State(_ context.Context, url string, v tidings.Version) (tidings.State, error) {
	defer f.lock()()
	c := f.at(url)
	st := tidings.State{Channel: url, Title: c.Title, Kind: c.Kind, Version: cmp.Or(v, c.Channel.Version),
		Time: time.Now(), Lines: f.states[url]}
	for _, e := range f.entries {
		if e.Channel == url && c.Kind == tidings.KindFeed {
			st.Items = append(st.Items, e.Content)
		}
	}
	return st, f.fail
}

func (f *fake) MarkRead(_ context.Context, _ tidings.AccountID, items []int64, read bool) error {
	defer f.lock()()
	for i := range f.entries {
		if e := &f.entries[i]; slices.Contains(items, e.Item) && e.Read != read {
			e.Read = read
			f.at(e.Channel).Unread += map[bool]int{true: -1, false: 1}[read]
		}
	}
	return f.fail
}

func (f *fake) MarkAllRead(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery, upTo int64) (int, error) {
	defer f.lock()()
	n := 0
	for i := range f.entries {
		if e := &f.entries[i]; f.selects(q, *e) && e.ID <= upTo && !e.Read {
			e.Read = true
			f.at(e.Channel).Unread--
			n++
		}
	}
	return n, f.fail
}

func (f *fake) Star(_ context.Context, _ tidings.AccountID, item int64, starred bool) error {
	defer f.lock()()
	for i := range f.entries {
		if f.entries[i].Item == item {
			f.entries[i].Starred = starred
		}
	}
	return f.fail
}

func (f *fake) Tokens(context.Context, tidings.AccountID) ([]tidings.Token, error) {
	defer f.lock()()
	var all []tidings.Token
	for _, t := range f.tokens {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b tidings.Token) int { return cmp.Compare(a.ID, b.ID) })
	return all, f.fail
}

func (f *fake) CreateToken(_ context.Context, hash [32]byte, _ tidings.AccountID, t tidings.Token) error {
	defer f.lock()()
	t.ID, t.Created = int64(len(f.tokens)+1), time.Now()
	f.tokens[hash] = t
	return f.fail
}

func (f *fake) DeleteToken(_ context.Context, _ tidings.AccountID, id int64) error {
	defer f.lock()()
	for h, t := range f.tokens {
		if t.ID == id {
			delete(f.tokens, h)
		}
	}
	return f.fail
}

func (f *fake) PostingToken(context.Context, [32]byte) (tidings.AccountID, string, error) {
	return 0, "", tidings.ErrNotFound
}

func (f *fake) Token(_ context.Context, hash [32]byte) (tidings.AccountID, error) {
	defer f.lock()()
	if _, ok := f.tokens[hash]; !ok {
		return 0, tidings.ErrNotFound
	}
	return tidings.Owner, nil
}

func (f *fake) Account(_ context.Context, name string) (tidings.AccountID, string, error) {
	defer f.lock()()
	for _, p := range f.people {
		if strings.EqualFold(p.Name, name) {
			return p.ID, cheapHash, nil
		}
	}
	if name != auth.OwnerName {
		return 0, "", tidings.ErrNotFound
	}
	return tidings.Owner, f.password, nil
}

func (f *fake) Person(_ context.Context, account tidings.AccountID) (tidings.Person, error) {
	all, _ := f.People(context.Background())
	for _, p := range all {
		if p.ID == account {
			return p, nil
		}
	}
	return tidings.Person{}, tidings.ErrNotFound
}

func (f *fake) People(context.Context) ([]tidings.Person, error) {
	defer f.lock()()
	return append([]tidings.Person{{ID: tidings.Owner, Name: auth.OwnerName, Role: tidings.Administrator, Owner: true}},
		f.people...), f.fail
}

func (f *fake) AddPerson(_ context.Context, name string, role tidings.Role, _ string) (tidings.Person, error) {
	all, _ := f.People(context.Background())
	if slices.ContainsFunc(all, func(p tidings.Person) bool { return strings.EqualFold(p.Name, name) }) {
		return tidings.Person{}, tidings.ErrExists
	}
	defer f.lock()()
	p := tidings.Person{ID: tidings.AccountID(10 + len(f.people)), Name: name, Role: role, Created: time.Now()}
	f.people = append(f.people, p)
	return p, nil
}

func (f *fake) SetRole(_ context.Context, account tidings.AccountID, role tidings.Role) error {
	defer f.lock()()
	for i := range f.people {
		if f.people[i].ID == account {
			f.people[i].Role = role
			return nil
		}
	}
	return tidings.Invalidf("the owner stays")
}

func (f *fake) RemovePerson(_ context.Context, account tidings.AccountID) error {
	defer f.lock()()
	f.people = slices.DeleteFunc(f.people, func(p tidings.Person) bool { return p.ID == account })
	return nil
}

func (f *fake) Sessions(context.Context, tidings.AccountID) (all []tidings.Session, err error) {
	defer f.lock()()
	for hash := range f.sessions {
		all = append(all, tidings.Session{ID: tidings.SessionID(hash), Created: time.Now(), Used: time.Now(),
			Browser: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"})
	}
	return all, nil
}

func (f *fake) EndSession(_ context.Context, _ tidings.AccountID, id string) error {
	defer f.lock()()
	f.ended = append(f.ended, id)
	return nil
}

func (f *fake) PasskeysOf(_ context.Context, account tidings.AccountID) (all []tidings.Passkey, err error) {
	defer f.lock()()
	for _, p := range f.passkeys {
		if p.Credential.Account == account {
			all = append(all, p)
		}
	}
	return all, f.fail
}

func (f *fake) Passkey(_ context.Context, credential []byte) (tidings.Passkey, error) {
	defer f.lock()()
	for _, p := range f.passkeys {
		if bytes.Equal(p.Credential.ID, credential) {
			return p, f.fail
		}
	}
	return tidings.Passkey{}, tidings.ErrNotFound
}

func (f *fake) HasPasskeysAt(_ context.Context, host string) (bool, error) {
	defer f.lock()()
	return slices.ContainsFunc(f.passkeys, func(p tidings.Passkey) bool { return p.Host == host }), f.fail
}

func (f *fake) AddPasskey(_ context.Context, p tidings.Passkey, _ [32]byte) error {
	defer f.lock()()
	f.passkeys = append(f.passkeys, p)
	return f.fail
}

func (f *fake) UsePasskey(context.Context, int64, uint32) error { return f.fail }

func (f *fake) RemovePasskey(_ context.Context, account tidings.AccountID, id int64) error {
	defer f.lock()()
	before := len(f.passkeys)
	f.passkeys = slices.DeleteFunc(f.passkeys, func(p tidings.Passkey) bool {
		return p.ID == id && p.Credential.Account == account
	})
	if len(f.passkeys) == before {
		return tidings.ErrNotFound
	}
	return f.fail
}

func (f *fake) Secret(context.Context, tidings.AccountID) ([]byte, error) {
	return make([]byte, 16), f.fail
}

func (f *fake) PasswordHash(context.Context, tidings.AccountID) (string, error) {
	defer f.lock()()
	return f.password, nil
}

func (f *fake) SetPasswordHash(_ context.Context, account tidings.AccountID, hash string) error {
	defer f.lock()()
	if account == tidings.Owner {
		f.password = hash
	}
	maps.DeleteFunc(f.sessions, func(session [32]byte, _ time.Time) bool { return f.signedIn[session] == account })
	return nil
}

func (f *fake) ChangePasswordHash(ctx context.Context, account tidings.AccountID, hash string) error {
	return f.SetPasswordHash(ctx, account, hash)
}

func (f *fake) CreateSession(_ context.Context, hash [32]byte, account tidings.AccountID, expires time.Time,
	_ string) error {
	defer f.lock()()
	f.sessions[hash] = expires
	if f.signedIn == nil {
		f.signedIn = make(map[[32]byte]tidings.AccountID)
	}
	f.signedIn[hash] = account
	return nil
}

func (f *fake) Session(_ context.Context, hash [32]byte) (tidings.AccountID, error) {
	defer f.lock()()
	if e, ok := f.sessions[hash]; !ok || time.Now().After(e) {
		return 0, tidings.ErrNotFound
	}
	return f.signedIn[hash], nil
}

func (f *fake) DeleteSession(_ context.Context, hash [32]byte) error {
	defer f.lock()()
	delete(f.sessions, hash)
	return nil
}

func (f *fake) Preview(_ context.Context, _ tidings.AccountID, o tidings.SubscribeRequest) (tidings.Preview, error) {
	defer f.lock()()
	f.orders = append(f.orders, o)
	return f.preview, cmp.Or(f.previewFails, f.fail)
}

func (f *fake) Subscribe(_ context.Context, _ tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	f.mu.Lock()
	f.orders = append(f.orders, o)
	p, fail := f.preview, f.fail
	f.mu.Unlock()
	if fail != nil {
		return tidings.Subscription{}, fail
	}
	c := tidings.Subscription{Name: o.Name, Folder: o.Folder, Since: time.Now(), Health: tidings.HealthGood,
		Last:    p.Poll,
		Channel: tidings.Channel{URL: p.Channel, Title: p.Title, Kind: p.Kind, Privacy: cmp.Or(o.Privacy, p.Privacy)}}
	f.follow(c)
	var first []tidings.Entry
	for _, i := range p.Items {
		first = append(first, tidings.Entry{Content: i})
	}
	f.arrive(c.URL, 1, first...)
	return c, nil
}

func (f *fake) SubscribeLater(_ context.Context, _ tidings.AccountID,
	orders []tidings.SubscribeRequest) ([]error, error) {
	defer f.lock()()
	f.orders = append(f.orders, orders...)
	results := make([]error, len(orders))
	for i, o := range orders {
		switch {
		case f.at(o.URL) != nil:
			results[i] = tidings.ErrExists
		case strings.Contains(o.URL, "10.0.0."):
			results[i] = tidings.Invalidf("a private address")
		default:
			f.followed = append(f.followed, tidings.Subscription{Name: o.Name, Folder: o.Folder, Tags: o.Tags,
				Health: tidings.HealthNew, Channel: tidings.Channel{URL: o.URL, Privacy: tidings.Public}})
		}
	}
	return results, f.fail
}

func (f *fake) Unsubscribe(_ context.Context, _ tidings.AccountID, url string) error {
	defer f.lock()()
	f.followed = slices.DeleteFunc(f.followed, func(c tidings.Subscription) bool { return c.URL == url })
	return f.fail
}

func (f *fake) PollNow(_ context.Context, _ tidings.AccountID, url string) (tidings.Poll, error) {
	defer f.lock()()
	c := f.at(url)
	if c == nil {
		return tidings.Poll{}, tidings.ErrNotFollowed
	}
	c.Last.At, c.Last.Why = time.Now(), "you asked for it"
	return c.Last, f.fail
}

func (f *fake) PollSoon(url string) {
	defer f.lock()()
	f.soon = append(f.soon, url)
}

func (f *fake) Preferences(context.Context, tidings.AccountID) (tidings.Preferences, error) {
	defer f.lock()()
	all := make(tidings.Preferences)
	for v, chosen := range f.chosen {
		all[v] = maps.Clone(chosen)
	}
	return all, nil
}

func (f *fake) SetPreferences(_ context.Context, _ tidings.AccountID, at tidings.View,
	chosen map[tidings.Preference]string) error {
	defer f.lock()()
	if err := tidings.ValidatePreferences(at, chosen); err != nil {
		return err
	}
	if f.chosen == nil {
		f.chosen = make(tidings.Preferences)
	}
	for name, value := range chosen {
		if at == tidings.EveryView {
			for _, of := range f.chosen {
				delete(of, name)
			}
		}
		if f.chosen[at] == nil {
			f.chosen[at] = make(map[tidings.Preference]string)
		}
		f.chosen[at][name] = value
	}
	return f.fail
}

func (f *fake) AdoptPreferences(_ context.Context, _ tidings.AccountID, of tidings.Preferences) error {
	defer f.lock()()
	if len(f.chosen) == 0 {
		f.chosen = of
	}
	return f.fail
}

func (f *fake) Doubled(context.Context, tidings.AccountID) ([]tidings.Doubled, error) {
	defer f.lock()()
	return f.doubled, nil
}

func (f *fake) Change(_ context.Context, _ tidings.AccountID, url string, change tidings.ChannelChange) error {
	defer f.lock()()
	c := f.at(url)
	if change.Privacy != nil {
		c.Privacy = *change.Privacy
	}
	if change.Name != nil {
		c.Name = *change.Name
	}
	if change.Folder != nil {
		c.Folder = *change.Folder
	}
	if change.Tags != nil {
		c.Tags = change.Tags.Apply(c.Tags)
	}
	if change.EditsAsItems != nil {
		c.EditsAsItems = *change.EditsAsItems
	}
	if change.Options != nil {
		c.Options = *change.Options
	}
	if change.Access != nil {
		f.access = *change.Access
	}
	return f.fail
}

func (f *fake) ChangeAll(ctx context.Context, account tidings.AccountID, urls []string,
	change tidings.ChannelChange) (int, error) {
	f.changed = change
	for _, url := range urls {
		if err := f.Change(ctx, account, url, change); err != nil {
			return 0, err
		}
	}
	return len(urls), nil
}

func (f *fake) Trust(_ context.Context, url, fingerprint string, thirdParty bool) error {
	defer f.lock()()
	p := f.at(url).Push
	switch {
	case p == nil:
		return tidings.ErrNotFound
	case fingerprint != p.Fingerprint && fingerprint != p.Offered && !thirdParty:
		return tidings.Invalidf("the fingerprint is neither of the two")
	}
	*p = tidings.Push{State: tidings.PushJoining, Fingerprint: fingerprint, Since: time.Now()}
	return f.fail
}

func (f *fake) Distrust(_ context.Context, url string) error {
	defer f.lock()()
	p := f.at(url).Push
	if p == nil {
		return tidings.ErrNotFound
	}
	p.State = tidings.PushDistrusted
	return f.fail
}

func (f *fake) Older(_ context.Context, _ string, q view.ArchiveQuery, tell func(view.Archived) error) (int, error) {
	f.mu.Lock()
	all, missing, silent := f.archived, f.missing, f.silent
	f.mu.Unlock()
	for i, a := range all {
		if q.Before > 0 && a.Number >= q.Before ||
			q.Document != "" && slices.IndexFunc(all, func(o view.Archived) bool {
				return o.Document == q.Document && o.Place == q.Places
			}) >= i {
			continue
		}
		if err := tell(a); err != nil {
			return missing, err
		}
	}
	return missing, silent
}

func (f *fake) FetchFullText(ctx context.Context, account tidings.AccountID, entry int64,
	_ bool) (tidings.Entry, error) {
	return f.Entry(ctx, account, entry)
}

func (f *fake) FetchFile(_ context.Context, _ tidings.AccountID, file string) (tidings.Copy, error) {
	defer f.lock()()
	if file != "ab" {
		return tidings.Copy{}, tidings.ErrNotFound
	}
	f.fetched++
	return tidings.Copy{State: tidings.CopyWaiting}, f.fail
}

func (f *fake) Status(context.Context) (view.Status, error) {
	defer f.lock()()
	by := map[tidings.Health]int{}
	for _, c := range f.followed {
		by[c.Health]++
	}
	now := time.Now()
	return view.Status{Network: view.Network{ID: sampleID, Off: true}, Version: "test",
		Started: now.Add(-73 * time.Hour), DataDir: "/home/ada/.local/share/tidings",
		Page: "http://127.0.0.1:7600", Interval: "30 min", Channels: len(f.followed), Items: 18432,
		StoreBytes: 48 << 20, ByHealth: by,
		NextPoll: now.Add(41 * time.Second), Polls: 3120, Updates: 214, Bytes: 61 << 20, PollingNow: 1,
		MemoryBytes: 58 << 20, Problems: f.problems, Slots: f.slots,
		ByOutcome: map[tidings.Outcome]int64{tidings.OutcomeNotModified: 2410, tidings.OutcomeUnchanged: 431,
			tidings.OutcomeChanged: 214, tidings.OutcomeLimited: 22, tidings.OutcomeFailed: 43}}, f.fail
}

// PollingStats fails if the fake does. The sample channels have their statistics already.
func (f *fake) PollingStats(context.Context, []tidings.Subscription) error {
	defer f.lock()()
	return f.fail
}

func (f *fake) CoopStatus(context.Context) (view.CoopStatus, error) {
	return view.CoopStatus{}, f.fail
}

func (f *fake) Trees() []string { return nil }

func (f *fake) Republisher(_ context.Context, node string) (view.Republisher, error) {
	return view.Republisher{Node: node, Trust: tidings.Neutral}, f.fail
}

func (f *fake) Republishers(context.Context) ([]view.Republisher, error) { return nil, f.fail }

func (f *fake) SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (view.Republisher, error) {
	return view.Republisher{Node: node, Trust: standing}, f.fail
}

func (f *fake) Wake() <-chan struct{} {
	defer f.lock()()
	return f.wake
}

func (f *fake) CheckQuery(_ context.Context, text string) (view.QueryCheck, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, text)
	check := f.check
	check.Query = text
	return check, nil
}

func (f *fake) QueryOf(form view.QueryForm) string { return "publisher = '" + form.Publisher + "'" }

func (f *fake) Publications(context.Context) ([]view.Publication, error) {
	defer f.lock()()
	return slices.Clone(f.publications), f.fail
}

func (f *fake) ResumePublishing(_ context.Context, channel string) error {
	defer f.lock()()
	i := slices.IndexFunc(f.publications, func(p view.Publication) bool { return p.Channel == channel && p.Halted })
	if i < 0 {
		return tidings.ErrNotFound
	}
	f.publications[i].Halted = false
	return nil
}

func (f *fake) AddFeedAddress(_ context.Context, _ [32]byte, _ tidings.AccountID,
	feed tidings.FeedAddress) (tidings.FeedAddress, error) {
	if err := feed.Validate(); err != nil {
		return feed, err
	}
	feed.ID = int64(len(f.feeds) + 1)
	f.feeds = append(f.feeds, feed)
	return feed, nil
}

func (f *fake) FeedAddressesOf(context.Context, tidings.AccountID) ([]tidings.FeedAddress, error) {
	return f.feeds, nil
}

func (f *fake) RemoveFeedAddress(_ context.Context, _ tidings.AccountID, id int64) error {
	before := len(f.feeds)
	f.feeds = slices.DeleteFunc(f.feeds, func(o tidings.FeedAddress) bool { return o.ID == id })
	if len(f.feeds) == before {
		return fmt.Errorf("feed %d: %w", id, tidings.ErrNotFound)
	}
	return nil
}
