package web

import (
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
)

// fake is a store and a node in memory, as simple as their contracts allow.
type fake struct {
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
	check   tidings.QueryCheck

	alone    bool // the node has no part among others
	network  tidings.Network
	peers    []tidings.Peer
	coop     tidings.CoopStatus
	problems []tidings.Problem
	slots    tidings.Slots
	turned   chan struct{} // closed when the network is different

	archived []tidings.Archived // newest first
	missing  int                // of them, that nobody has
	silent   error              // how the archive ends; nil: well

	trees      map[string]tidings.Tree // by channel
	friends    []tidings.Friend
	overlay    tidings.Overlay
	zone       tidings.Zone
	otherZones error    // that there is another zone than the node's own
	asked      []string // channels whose tree was asked for

	republishers []tidings.Republisher
	fetched      int // files that others were asked for again

	publications []tidings.Publication

	people []tidings.Person // besides the owner
	ended  []string         // sessions
}

var (
	_ Store      = (*fake)(nil)
	_ Node       = (*fake)(nil)
	_ Network    = (*fake)(nil)
	_ Archive    = (*fake)(nil)
	_ Publisher  = (*fake)(nil)
	_ auth.Store = (*fake)(nil)
	_ Guard      = (*auth.Guard)(nil)
)

func newFake() *fake {
	return &fake{states: map[string][]string{}, tokens: map[[32]byte]tidings.Token{}, sessions: map[[32]byte]time.Time{}, wake: make(chan struct{}), turned: make(chan struct{}),
		network: tidings.Network{ID: sampleID, Position: samplePosition, Nodes: 1, Reachable: tidings.ReachUnknown}}
}

func (f *fake) lock() func() { f.mu.Lock(); return f.mu.Unlock }

// follow adds a channel.
func (f *fake) follow(c tidings.Subscription) {
	defer f.lock()()
	f.followed = append(f.followed, c)
	slices.SortStableFunc(f.followed, func(a, b tidings.Subscription) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Folder), strings.ToLower(b.Folder)), strings.Compare(strings.ToLower(a.Label()), strings.ToLower(b.Label())))
	})
}

// arrive adds one update with its entries and wakes whoever waits. Entries need
// Content, and may have Received, Change, Before, Read, Starred and Delta.
func (f *fake) arrive(url string, version tidings.Version, entries ...tidings.Entry) int64 {
	defer f.lock()()
	c := f.at(url)
	u := tidings.Update{ID: int64(len(f.updates) + 1), Channel: url, Title: c.Title, Version: version, Kind: c.Kind, Time: time.Now()}
	for _, e := range entries {
		e.ID, e.Update, e.Channel, e.Label, e.Kind, e.Version = int64(len(f.entries)+1), u.ID, url, c.Label(), c.Kind, version
		e.Item = cmp.Or(e.Item, e.ID)
		e.Change = cmp.Or(e.Change, tidings.New)
		if e.Received.IsZero() {
			e.Received = time.Now()
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
		(!q.Unread || !e.Read) && (!q.Starred || e.Starred) && (q.Before == 0 || e.ID < q.Before) && e.ID > q.After &&
		(q.Search == "" || strings.Contains(strings.ToLower(e.Content.Title+" "+e.Content.Summary+" "+e.Content.Content), strings.ToLower(q.Search)))
}

func (f *fake) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	defer f.lock()()
	var found []tidings.Entry
	for _, e := range slices.Backward(f.entries) {
		if len(found) == cmp.Or(q.Limit, 50) {
			break
		}
		if !f.selects(q, e) {
			continue
		}
		e.Before = nil
		if q.Search != "" {
			text := textOf(e.Content.Summary, 500)
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
	st := tidings.State{Channel: url, Title: c.Title, Kind: c.Kind, Version: cmp.Or(v, c.Channel.Version), Time: time.Now(), Lines: f.states[url]}
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

func (f *fake) CreateToken(_ context.Context, hash [32]byte, _ tidings.AccountID, label string) error {
	defer f.lock()()
	f.tokens[hash] = tidings.Token{ID: int64(len(f.tokens) + 1), Label: label, Created: time.Now()}
	return f.fail
}

func (f *fake) CreateFeverToken(_ context.Context, hash [32]byte, _ tidings.AccountID, label, user string) error {
	defer f.lock()()
	f.tokens[hash] = tidings.Token{ID: int64(len(f.tokens) + 1), Label: label, FeverUser: user, Created: time.Now()}
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
	return append([]tidings.Person{{ID: tidings.Owner, Name: auth.OwnerName, Role: tidings.Administrator, Owner: true}}, f.people...), f.fail
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

func (f *fake) CreateSession(_ context.Context, hash [32]byte, account tidings.AccountID, expires time.Time, _ string) error {
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

func (f *fake) Subscribe(_ context.Context, _ tidings.AccountID, o tidings.SubscribeRequest) (tidings.Subscription, error) {
	f.mu.Lock()
	f.orders = append(f.orders, o)
	p, fail := f.preview, f.fail
	f.mu.Unlock()
	if fail != nil {
		return tidings.Subscription{}, fail
	}
	c := tidings.Subscription{Name: o.Name, Folder: o.Folder, Since: time.Now(), Health: tidings.HealthGood, Last: p.Poll,
		Channel: tidings.Channel{URL: p.Channel, Title: p.Title, Kind: p.Kind, Privacy: cmp.Or(o.Privacy, p.Privacy)}}
	f.follow(c)
	var first []tidings.Entry
	for _, i := range p.Items {
		first = append(first, tidings.Entry{Content: i})
	}
	f.arrive(c.URL, 1, first...)
	return c, nil
}

func (f *fake) SubscribeLater(_ context.Context, _ tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error) {
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
			f.followed = append(f.followed, tidings.Subscription{Name: o.Name, Folder: o.Folder, Health: tidings.HealthNew, Channel: tidings.Channel{URL: o.URL, Privacy: tidings.Public}})
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
	if change.Options != nil {
		c.Options = *change.Options
	}
	return f.fail
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

func (f *fake) Older(_ context.Context, _ string, q tidings.ArchiveQuery, tell func(tidings.Archived) error) (int, error) {
	f.mu.Lock()
	all, missing, silent := f.archived, f.missing, f.silent
	f.mu.Unlock()
	for i, a := range all {
		if q.Before > 0 && a.Number >= q.Before || q.Document != "" && slices.IndexFunc(all, func(o tidings.Archived) bool {
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

func (f *fake) Republisher(_ context.Context, node string) (tidings.Republisher, error) {
	defer f.lock()()
	if node != tidings.AllNodes && len(node) != wholeID {
		return tidings.Republisher{}, tidings.Invalidf("no node's ID")
	}
	for _, p := range f.republishers {
		if p.Node == node {
			return p, f.fail
		}
	}
	return tidings.Republisher{Node: node, Trust: tidings.Neutral}, f.fail
}

func (f *fake) FetchFile(_ context.Context, _ tidings.AccountID, file string) (tidings.Copy, error) {
	defer f.lock()()
	if file != "ab" {
		return tidings.Copy{}, tidings.ErrNotFound
	}
	f.fetched++
	return tidings.Copy{State: tidings.CopyWaiting}, f.fail
}

func (f *fake) Republishers(context.Context) ([]tidings.Republisher, error) {
	defer f.lock()()
	return slices.Clone(f.republishers), f.fail
}

func (f *fake) SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (tidings.Republisher, error) {
	p, err := f.Republisher(ctx, node)
	if err != nil {
		return p, err
	}
	defer f.lock()()
	f.republishers = slices.DeleteFunc(f.republishers, func(p tidings.Republisher) bool { return p.Node == node })
	if p.Trust = standing; standing != tidings.Neutral {
		p.Since = time.Now()
		f.republishers = append(f.republishers, p)
	}
	return p, nil
}

func (f *fake) Status(context.Context) (tidings.Status, error) {
	defer f.lock()()
	by := map[tidings.Health]int{}
	for _, c := range f.followed {
		by[c.Health]++
	}
	now := time.Now()
	network := f.network
	if f.alone {
		network = tidings.Network{ID: sampleID, Off: true}
	}
	return tidings.Status{Network: network, Version: "test", Started: now.Add(-73 * time.Hour), DataDir: "/home/ada/.local/share/tidings",
		Page: "http://127.0.0.1:7600", Interval: "30 min", Channels: len(f.followed), Items: 18432, StoreBytes: 48 << 20, ByHealth: by,
		NextPoll: now.Add(41 * time.Second), Polls: 3120, Updates: 214, Bytes: 61 << 20, PollingNow: 1, MemoryBytes: 58 << 20, Problems: f.problems, Slots: f.slots,
		ByOutcome: map[tidings.Outcome]int64{tidings.OutcomeNotModified: 2410, tidings.OutcomeUnchanged: 431, tidings.OutcomeChanged: 214, tidings.OutcomeLimited: 22, tidings.OutcomeFailed: 43}}, f.fail
}

// Together tells what the sample channels have been given already.
func (f *fake) PollingStats(context.Context, []tidings.Subscription) error {
	defer f.lock()()
	return f.fail
}

func (f *fake) CoopStatus(context.Context) (tidings.CoopStatus, error) {
	defer f.lock()()
	return f.coop, f.fail
}

func (f *fake) Wake() <-chan struct{} {
	defer f.lock()()
	return f.wake
}

// others is what the page is given of the network.
func (f *fake) others() Network {
	if f.alone {
		return nil
	}
	return f
}

// meet puts the node into another network.
func (f *fake) meet(n tidings.Network, peers []tidings.Peer) {
	defer f.lock()()
	n.Joins = append(n.Joins, f.network.Joins...)
	f.network, f.peers = n, peers
	f.turn()
}

func (f *fake) turn() {
	close(f.turned)
	f.turned = make(chan struct{})
}

func (f *fake) Network(context.Context) (tidings.Network, error) {
	defer f.lock()()
	return f.network, f.fail
}

func (f *fake) Peers(context.Context) ([]tidings.Peer, error) {
	defer f.lock()()
	return f.peers, f.fail
}

func (f *fake) Friends(context.Context, tidings.AccountID) ([]tidings.Friend, error) {
	defer f.lock()()
	return f.friends, f.fail
}

func (f *fake) Overlay(context.Context, tidings.AccountID) (tidings.Overlay, error) {
	defer f.lock()()
	return f.overlay, f.fail
}

func (f *fake) Zone(_ context.Context, path string) (tidings.Zone, error) {
	defer f.lock()()
	if path != "" && f.otherZones != nil {
		return tidings.Zone{}, f.otherZones
	}
	return f.zone, f.fail
}

func (f *fake) Trees() (urls []string) {
	defer f.lock()()
	for url, t := range f.trees {
		if t.Router != "direct" && t.Router != "" {
			urls = append(urls, url)
		}
	}
	slices.Sort(urls)
	return urls
}

func (f *fake) Tree(_ context.Context, url string) (tidings.Tree, error) {
	defer f.lock()()
	f.asked = append(f.asked, url)
	return f.trees[url], f.fail
}

func (f *fake) AddJoin(_ context.Context, address string) error {
	defer f.lock()()
	if !strings.HasPrefix(address, "/ip4/") {
		return fmt.Errorf("%q: %w", address, tidings.ErrInvalid)
	}
	f.network.Joins = append(slices.Clone(f.network.Joins), tidings.Join{Address: address, Saved: true, State: tidings.Joining})
	f.turn()
	return f.fail
}

func (f *fake) RemoveJoin(_ context.Context, address string) error {
	defer f.lock()()
	at := slices.IndexFunc(f.network.Joins, func(j tidings.Join) bool { return j.Address == address })
	if at < 0 {
		return tidings.ErrNotFound
	}
	f.network.Joins = slices.Delete(slices.Clone(f.network.Joins), at, at+1)
	f.turn()
	return f.fail
}

func (f *fake) NetworkChanged() <-chan struct{} {
	defer f.lock()()
	return f.turned
}

func (f *fake) CheckQuery(_ context.Context, text string) (tidings.QueryCheck, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries = append(f.queries, text)
	check := f.check
	check.Query = text
	return check, nil
}

func (f *fake) QueryOf(form tidings.QueryForm) string { return "publisher = '" + form.Publisher + "'" }

func (f *fake) Publications(context.Context) ([]tidings.Publication, error) {
	defer f.lock()()
	return slices.Clone(f.publications), f.fail
}

func (f *fake) ResumePublishing(_ context.Context, channel string) error {
	defer f.lock()()
	i := slices.IndexFunc(f.publications, func(p tidings.Publication) bool { return p.Channel == channel && p.Halted })
	if i < 0 {
		return tidings.ErrNotFound
	}
	f.publications[i].Halted = false
	return nil
}
