package queries

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/view"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// Wake returns a channel that is closed when the next update has been stored.
	Wake() <-chan struct{}
	// Record stores what a query has selected in its channel, and shows it to readers. Its errors are those of
	// [store.Store.Apply].
	Record(ctx context.Context, channel string, f *tidings.Change) error
	// Routed reports whether the network brings what queries need from channels that the node does not have.
	Routed() bool
	// Names reports whether the feed at an address names a publisher's key, by its fingerprint, over a connection safe
	// from tampering. It may ask the feed's server.
	Names(ctx context.Context, channel, fingerprint string) (bool, error)
	// Spread returns the time over which each node must spread its requests to one server. So the server gets no more
	// at a time than allowed.
	Spread(ctx context.Context) time.Duration
	// Want requests from the network, from now on, events with any of the topics, and no others. It does not wait for
	// that.
	Want(topics []string)
}

// MaxQueries is how many queries are followed at a node, by all accounts together.
const MaxQueries = 1000

// cursorSetting is where the ID of the last update is kept that the queries have seen.
const cursorSetting = "queries.cursor"

const (
	scanBatch  = 100              // updates read at a time
	retryAfter = 10 * time.Second // when something failed
)

// Queries are the queries that people here follow, at work.
type Queries struct {
	host     Host
	content  *content.Store
	settings *db.DB
	log      *slog.Logger
	feed     feed.Config

	mu       sync.Mutex // of what follows
	set      set
	cursor   int64 // ID of the last update that was looked through
	placed   bool  // Refresh has been called
	versions versions

	any      atomic.Bool // there are queries
	events   events
	keys     *keys
	checking chan struct{} // holds one while a check looks through the store
	most     int           // items that a check looks through
}

// New returns the queries of a node. Nothing is at work before Run.
func New(host Host, s *content.Store, settings *db.DB, c feed.Config, log *slog.Logger) *Queries {
	return &Queries{
		host: host, content: s, settings: settings, feed: c, log: log, events: newEvents(), keys: newKeys(host, log),
		checking: make(chan struct{}, 1), most: view.MaxQuerySearch,
	}
}

// Run has queries select items until ctx ends.
func (q *Queries) Run(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	defer q.keys.running.Wait()
	defer end()
	for {
		stored := q.host.Wake() // before the check
		var again <-chan time.Time
		if err := q.work(ctx); err != nil && ctx.Err() == nil {
			q.log.Error("what queries select was not stored; it is tried again", "error", err)
			again = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-stored:
		case <-q.events.come:
		}
	}
}

// work looks through all that has come.
func (q *Queries) work(ctx context.Context) error {
	for {
		more, err := q.scan(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for {
		e, ok := q.events.next()
		if !ok {
			return nil
		}
		if err := q.accept(ctx, &e); err != nil {
			q.log.Warn("an event of the network was not matched", "channel", e.Channel, "error", err)
		}
	}
}

// Refresh reads which queries are followed: before Run, and whenever that may have changed. What is stored after it has
// returned is matched with them.
func (q *Queries) Refresh(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	urls, err := q.content.Followed(ctx, tidings.KindQuery, tidings.KindZone)
	if err != nil {
		return err
	}
	before := len(q.set.queries)
	q.set.follow(urls, q.log)
	q.any.Store(len(q.set.queries) > 0)
	if err := q.place(ctx, before); err != nil {
		return err
	}
	q.host.Want(q.set.topics())
	return nil
}

// place finds out from where on updates are read. After a start, that is where reading ended when the node stopped. If
// no query was followed before, it is from now on.
func (q *Queries) place(ctx context.Context, before int) error {
	first := !q.placed
	q.placed = true
	if len(q.set.queries) == 0 || before > 0 {
		return nil
	}
	if first {
		text, err := q.settings.Setting(ctx, cursorSetting)
		if err != nil {
			return err
		}
		if q.cursor, err = strconv.ParseInt(text, 10, 64); err == nil {
			return nil
		}
	}
	var err error
	if q.cursor, err = q.content.LatestUpdate(ctx); err != nil {
		return err
	}
	return q.remember(ctx)
}

func (q *Queries) remember(ctx context.Context) error {
	return q.settings.SetSetting(ctx, cursorSetting, strconv.FormatInt(q.cursor, 10))
}

// scan looks through the next updates that the store has. It returns whether there may be more.
func (q *Queries) scan(ctx context.Context) (more bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.set.queries) == 0 {
		return false, nil
	}
	updates, err := q.content.PublicUpdates(ctx, content.PublicQuery{After: q.cursor, Limit: scanBatch})
	if err != nil || len(updates) == 0 {
		return false, err
	}
	for i := range updates {
		u := &updates[i]
		found := origin{url: u.Channel, title: u.Title, by: u.FoundBy, confirmed: u.ConfirmedBy, at: u.Time,
			signed: u.SignedBy, thirdParty: u.ThirdParty, changed: u.OriginChanged}
		if err := q.match(ctx, found, u.Items, false); err != nil {
			return false, fmt.Errorf("update %d: %w", u.ID, err)
		}
		q.cursor = u.ID
	}
	return true, q.remember(ctx)
}
