package api

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/view"
)

// fake is a store and a node in memory: as little as the API needs to be tried.
type fake struct {
	mu         sync.Mutex
	followed   map[tidings.AccountID]map[string]tidings.Subscription
	updates    []tidings.Update
	entries    []tidings.Entry
	states     map[string]tidings.State // by channel and version
	marked     []string
	password   string
	tokens     []tidings.Token
	feeds      []tidings.FeedAddress
	noBackup   error   // why none can be made
	backup     *closed // the last
	cut        int     // how many of its bytes are missing
	previewErr error
	readErr    error // of Updates
	reads      int   // of Updates
	wake       chan struct{}

	republishers []view.Republisher

	queries []string // that were checked
	check   view.QueryCheck
}

func newFake() *fake {
	return &fake{
		followed: map[tidings.AccountID]map[string]tidings.Subscription{},
		states:   map[string]tidings.State{},
		wake:     make(chan struct{}),
	}
}

func (f *fake) follow(account tidings.AccountID, followed tidings.Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followed[account] == nil {
		f.followed[account] = map[string]tidings.Subscription{}
	}
	f.followed[account][followed.URL] = followed
}

// found stores an update of a channel and wakes all waiters.
func (f *fake) found(channel string, text string) tidings.Update {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := tidings.Update{
		ID: int64(len(f.updates) + 1), Channel: channel, Title: "T", Version: tidings.Version(len(f.updates) + 1),
		Kind: tidings.KindPage, Delta: text, Received: time.Unix(int64(1_800_000_000+len(f.updates)), 0).UTC(),
	}
	f.updates = append(f.updates, u)
	close(f.wake)
	f.wake = make(chan struct{})
	return u
}

func (f *fake) Wake() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wake
}

func (f *fake) Channels(_ context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []tidings.Subscription
	for _, c := range f.followed[account] {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b tidings.Subscription) int { return strings.Compare(a.URL, b.URL) })
	return all, nil
}

func (f *fake) Channel(_ context.Context, account tidings.AccountID, url string) (tidings.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.followed[account][url]
	if !ok {
		return c, fmt.Errorf("channel %s: %w", url, tidings.ErrNotFollowed)
	}
	return c, nil
}

func (f *fake) Updates(_ context.Context, account tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	if f.readErr != nil {
		return nil, f.readErr
	}
	var found []tidings.Update
	for _, u := range f.updates {
		_, follows := f.followed[account][u.Channel]
		if follows && u.ID > q.After && !u.Received.Before(q.Since) && (q.Channel == "" || q.Channel == u.Channel) {
			found = append(found, u)
		}
	}
	limit := q.Limit
	if limit == 0 {
		limit = 50
	}
	if len(found) > limit && q.Newest {
		found = found[len(found)-limit:]
	}
	found = found[:min(limit, len(found))]
	size := 0
	for i, u := range found {
		if q.IDsOnly {
			found[i] = tidings.Update{ID: u.ID}
		} else if size += len(u.Delta); q.Bytes > 0 && size > q.Bytes && i > 0 {
			return found[:i], nil
		}
	}
	return found, nil
}

func (f *fake) Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error) {
	all, _ := f.Updates(ctx, account, tidings.UpdateQuery{After: id - 1, Limit: 1})
	if len(all) == 0 || all[0].ID != id {
		return tidings.Update{}, fmt.Errorf("update %d: %w", id, tidings.ErrNotFound)
	}
	return all[0], nil
}

func (f *fake) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	var found []tidings.Entry
	for _, e := range f.entries {
		if (!q.Unread || !e.Read) && (!q.Starred || e.Starred) && (q.Channel == "" || q.Channel == e.Channel) &&
			(q.Before == 0 || e.ID < q.Before) {
			found = append(found, e)
		}
	}
	return found[:min(len(found), cmp.Or(q.Limit, 50))], nil
}

func (f *fake) Entry(_ context.Context, _ tidings.AccountID, id int64) (tidings.Entry, error) {
	for _, e := range f.entries {
		if e.ID == id {
			return e, nil
		}
	}
	return tidings.Entry{}, fmt.Errorf("entry %d: %w", id, tidings.ErrNotFound)
}

func (f *fake) State(_ context.Context, url string, v tidings.Version) (tidings.State, error) {
	s, ok := f.states[fmt.Sprintf("%s %d", url, v)]
	if !ok {
		return s, fmt.Errorf("version %d of %s: %w", v, url, tidings.ErrNotFound)
	}
	return s, nil
}

func (f *fake) note(format string, args ...any) {
	f.marked = append(f.marked, fmt.Sprintf(format, args...))
}

func (f *fake) MarkRead(_ context.Context, account tidings.AccountID, items []int64, read bool) error {
	f.note("account %d read %v %v", account, items, read)
	return nil
}

func (f *fake) MarkAllRead(_ context.Context, account tidings.AccountID, q tidings.EntryQuery,
	upTo int64) (int, error) {
	f.note("account %d read all in %q up to %d", account, q.Folder, upTo)
	return 7, nil
}

func (f *fake) Star(_ context.Context, account tidings.AccountID, item int64, starred bool) error {
	f.note("account %d star %d %v", account, item, starred)
	return nil
}

func (f *fake) SetPasswordHash(_ context.Context, _ tidings.AccountID, hash string) error {
	f.password = hash
	return nil
}

func (f *fake) CreateToken(_ context.Context, _ [32]byte, _ tidings.AccountID, t tidings.Token) error {
	t.ID = int64(len(f.tokens) + 1)
	f.tokens = append(f.tokens, t)
	return nil
}

func (f *fake) Tokens(context.Context, tidings.AccountID) ([]tidings.Token, error) {
	return f.tokens, nil
}

func (f *fake) DeleteToken(_ context.Context, _ tidings.AccountID, id int64) error {
	before := len(f.tokens)
	f.tokens = slices.DeleteFunc(f.tokens, func(t tidings.Token) bool { return t.ID == id })
	if len(f.tokens) == before {
		return fmt.Errorf("token %d: %w", id, tidings.ErrNotFound)
	}
	return nil
}

func (f *fake) Preview(_ context.Context, _ tidings.AccountID, o tidings.SubscribeRequest) (tidings.Preview, error) {
	return tidings.Preview{Asked: o.URL, Channel: o.URL, Kind: tidings.KindFeed, Title: "T"}, f.previewErr
}

func (f *fake) Subscribe(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	if f.previewErr != nil {
		return tidings.Subscription{}, f.previewErr
	}
	errs, err := f.SubscribeLater(ctx, account, []tidings.SubscribeRequest{o})
	if err != nil || errs[0] != nil {
		return tidings.Subscription{}, errs[0]
	}
	return f.Channel(ctx, account, o.URL)
}

func (f *fake) SubscribeLater(_ context.Context, account tidings.AccountID,
	orders []tidings.SubscribeRequest) ([]error, error) {
	errs := make([]error, len(orders))
	for i, o := range orders {
		f.mu.Lock()
		_, there := f.followed[account][o.URL]
		f.mu.Unlock()
		switch {
		case there:
			errs[i] = fmt.Errorf("following %s: %w", o.URL, tidings.ErrExists)
		case strings.Contains(o.URL, "bad"):
			errs[i] = fmt.Errorf("following: %w: this host is not allowed", tidings.ErrInvalid)
		default:
			f.follow(account, tidings.Subscription{Channel: tidings.Channel{URL: o.URL}, Name: o.Name,
				Folder: o.Folder})
		}
	}
	return errs, nil
}

func (f *fake) Unsubscribe(_ context.Context, account tidings.AccountID, url string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.followed[account], url)
	return nil
}

func (f *fake) PollNow(_ context.Context, _ tidings.AccountID, url string) (tidings.Poll, error) {
	return tidings.Poll{Outcome: tidings.OutcomeNotModified, Why: "asked for", NextWhy: url}, nil
}

func (f *fake) Change(_ context.Context, account tidings.AccountID, url string, change tidings.ChannelChange) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.followed[account][url]
	if change.Privacy != nil {
		c.Privacy = *change.Privacy
	}
	if change.Name != nil {
		c.Name = *change.Name
	}
	if change.Folder != nil {
		c.Folder = *change.Folder
	}
	if change.EditsAsItems != nil {
		c.EditsAsItems = *change.EditsAsItems
	}
	f.followed[account][url] = c
	return nil
}

func (f *fake) Trust(_ context.Context, url, fingerprint string, thirdParty bool) error {
	return f.push(url, func(p *tidings.Push) error {
		if named := fingerprint == p.Fingerprint || fingerprint == p.Offered; !named && fingerprint == "dd" {
			return tidings.WithHint(tidings.Invalidf("the fingerprint is another"), "if it is meant")
		} else if !named && !thirdParty {
			return tidings.Invalidf("the fingerprint is another")
		}
		*p = tidings.Push{State: tidings.PushJoining, Fingerprint: fingerprint, ThirdParty: thirdParty}
		return nil
	})
}

func (f *fake) Distrust(_ context.Context, url string) error {
	return f.push(url, func(p *tidings.Push) error {
		p.State = tidings.PushDistrusted
		return nil
	})
}

func (f *fake) Republishers(context.Context) ([]view.Republisher, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.republishers), nil
}

func (f *fake) SetRepublisher(_ context.Context, node string, standing tidings.TrustLevel) (view.Republisher, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.Contains(node, "bad") {
		return view.Republisher{}, tidings.Invalidf("this is no node's ID")
	}
	p := view.Republisher{Node: node, Trust: standing}
	f.republishers = append(f.republishers, p)
	return p, nil
}

func (f *fake) FetchFullText(_ context.Context, account tidings.AccountID, entry int64,
	again bool) (tidings.Entry, error) {
	if account != tidings.Owner || entry != 7 {
		return tidings.Entry{}, tidings.ErrNotFound
	}
	return tidings.Entry{ID: entry, FullText: &tidings.FullText{State: tidings.FullTextFailed,
		Why: "the page answered 403", Older: again}}, nil
}

func (f *fake) FetchFile(_ context.Context, account tidings.AccountID, file string) (tidings.Copy, error) {
	switch {
	case strings.Contains(file, "large"):
		return tidings.Copy{}, tidings.Invalidf("the file is too large")
	case !strings.Contains(file, "mp3") || account != tidings.Owner:
		return tidings.Copy{}, fmt.Errorf("fetching a file: no item carries it: %w", tidings.ErrNotFound)
	}
	return tidings.Copy{State: tidings.CopyWaiting, Length: 5, Ref: "ab"}, nil
}

// push changes how a channel is pushed, for all accounts.
func (f *fake) push(url string, change func(*tidings.Push) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, channels := range f.followed {
		if p := channels[url].Push; p != nil {
			return change(p)
		}
	}
	return tidings.ErrNotFound
}

func (f *fake) PollingStats(_ context.Context, followed []tidings.Subscription) error {
	for i := range followed {
		followed[i].Polling = &tidings.PollingStats{Nodes: len(followed[i].URL), Readers: 2, Interval: time.Minute}
	}
	return nil
}

func (f *fake) Status(context.Context) (view.Status, error) {
	return view.Status{Network: view.Network{ID: "abc"}, Page: "http://127.0.0.1:7600"}, nil
}

func (f *fake) Backup(_ context.Context, o view.BackupOrder) (view.Backup, io.ReadCloser, error) {
	if f.noBackup != nil {
		return view.Backup{}, nil, f.noBackup
	}
	text := "a copy with keys"
	b := view.Backup{Bytes: int64(len(text)), Keys: 2}
	if o.NoKeys {
		text, b = "a copy", view.Backup{Bytes: 6, LeftOut: 2}
	}
	f.backup = &closed{Reader: strings.NewReader(text[:len(text)-f.cut])}
	return b, f.backup, nil
}

// closed is a copy that notes its close.
type closed struct {
	io.Reader
	closed bool
}

func (c *closed) Close() error { c.closed = true; return nil }

func (f *fake) LatestUpdate(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.updates) == 0 {
		return 0, nil
	}
	return f.updates[len(f.updates)-1].ID, nil
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
