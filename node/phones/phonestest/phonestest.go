// Package phonestest makes libraries for readers on phones that keep everything in a real store, for tests. Nothing is
// polled.
package phonestest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/url"
	"strings"
	gosync "sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/delivery/sync"
	"tidings/node/phones"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/db"
)

// Node is a library over a store. Its clock stands still but for [Node.Pass].
type Node struct {
	*phones.Library
	Store *store.Store
	Polls []string // addresses that are to be polled soon

	// Page returns the content of an item's page when a reader requests it; nil: the request has no effect.
	Page func(ctx context.Context, item int64) (html string, err error)

	mu  gosync.Mutex
	now time.Time
}

// Open opens a data directory in which accounts 1 and 2 are.
func Open(dir string, now time.Time) (*Node, error) {
	n := &Node{now: now}
	config := store.Default(dir)
	config.Now = n.Now
	s, err := store.Open(context.Background(), config)
	if err != nil {
		return nil, err
	}
	n.Store, n.Library = s, phones.New(store.NewArticles(s), channels{n}, texts{n}, n.Now)
	err = s.DB.Write(context.Background(), func(t *db.Tx) error {
		return db.Exec(t.Conn, `INSERT OR IGNORE INTO account (id, name) VALUES (2, 'second')`)
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return n, nil
}

// Now returns the time at the node.
func (n *Node) Now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// Pass lets time pass.
func (n *Node) Pass(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(d)
}

// Arrive has an item arrive in a feed, and returns its number.
func (n *Node) Arrive(i sync.Item) int64 {
	number, err := n.record(i, 0, tidings.ItemIdentity{})
	if err != nil {
		panic(fmt.Sprint("storing an item: ", err)) // the test is wrong, or the store
	}
	return number
}

// Edit changes the title of an item, as its publisher does. It returns the number of the edit; 0: it is no item to
// anyone.
func (n *Node) Edit(number int64, title string) (edit int64) {
	ctx, id := context.Background(), number-sync.FirstNumber+1
	items, err := n.ItemsOf(ctx, sync.Person{ID: tidings.Owner}, []int64{number})
	if err != nil || len(items) != 1 {
		panic(fmt.Sprint("an item that nobody has is edited: ", err))
	}
	address, err := n.address(items[0].Feed)
	if err != nil {
		panic(err)
	}
	known, err := n.Store.Content.KnownItems(ctx, address)
	if err != nil {
		panic(err)
	}
	for _, k := range known {
		if k.Row == id {
			i := items[0]
			i.Title = title
			if _, err := n.record(i, id, k.ItemIdentity); err != nil {
				panic(fmt.Sprint("storing an item: ", err))
			}
		}
	}
	if err := n.Store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT e.id FROM item i JOIN edit e ON e.latest = i.latest WHERE i.id = ?`,
			func(r *sqlite.Stmt) {
				edit = sync.FirstNumber - 1 + r.ColumnInt64(0)
			}, id)
		return err
	}); err != nil {
		panic(fmt.Sprint("looking for an edit: ", err))
	}
	return edit
}

// SetEdits has a person have edits in a feed as items of their own from now on, or none.
func (n *Node) SetEdits(p sync.Person, feed int64, wanted bool) {
	address, err := n.address(feed)
	if err == nil {
		err = n.Store.Change(context.Background(), p.ID, address,
			store.Change{ChannelChange: tidings.ChannelChange{EditsAsItems: &wanted}})
	}
	if err != nil && !errors.Is(err, tidings.ErrNotFollowed) {
		panic(fmt.Sprint("changing a feed: ", err))
	}
}

func (n *Node) address(feed int64) (string, error) {
	for _, account := range []tidings.AccountID{1, 2} {
		feeds, _, err := store.NewArticles(n.Store).Feeds(context.Background(), account)
		if err != nil {
			return "", err
		}
		for _, f := range feeds {
			if f.ID == feed {
				return f.URL, nil
			}
		}
	}
	return "", fmt.Errorf("feed %d: %w", feed, tidings.ErrNotFollowed)
}

// record stores an item as a poll that finds it does. row and was are those of the item before; 0: it is new.
func (n *Node) record(i sync.Item, row int64, was tidings.ItemIdentity) (int64, error) {
	address, err := n.address(i.Feed)
	if err != nil {
		return 0, err
	}
	hash := func(s string) uint64 { h := fnv.New64a(); h.Write([]byte(s)); return h.Sum64() }
	found := tidings.FoundItem{
		Item: tidings.Item{ID: i.URL, URL: i.URL, Title: i.Title, Author: i.Author, Content: i.HTML,
			Published:  i.Published,
			Enclosures: i.Enclosures, Categories: i.Tags, Change: tidings.New},
		Row: row, Was: was, Mark: was, Raw: i.HTML,
	}
	if row == 0 {
		n.mu.Lock()
		found.Mark = tidings.ItemIdentity{ID: hash(fmt.Sprint(i.URL, n.now, i.Title)) | 1}
		n.mu.Unlock()
	} else {
		found.Change = tidings.Changed
	}
	found.Mark.Print = hash(i.Title + i.HTML)
	feed := address
	if u, err := url.Parse(address); err == nil {
		feed = u.Host
	}
	_, err = n.Store.Apply(context.Background(),
		&store.Record{Record: content.Record{URL: address, Health: tidings.HealthGood,
			Poll: tidings.Poll{At: n.Now()}, Change: &tidings.Change{Kind: tidings.KindFeed, Title: "Feed of " + feed,
				KnownUpTo: math.MaxInt64,
				Partial:   true, Found: n.Now(), Items: []tidings.FoundItem{found}}}})
	if err != nil {
		return 0, err
	}
	known, err := n.Store.Content.KnownItems(context.Background(), address)
	if err != nil || row != 0 {
		return 0, err
	}
	highest := int64(0)
	for _, k := range known {
		highest = max(highest, k.Row)
	}
	return sync.FirstNumber - 1 + highest, nil
}

// channels follows what is ordered, and polls nothing.
type channels struct{ node *Node }

func (c channels) Subscribe(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	switch {
	case err != nil || u.Host == "":
		return tidings.Subscription{}, tidings.Invalidf("%q is no address of a feed", tidings.Quote(o.URL))
	case strings.Contains(o.URL, "broken"):
		return tidings.Subscription{},
			&tidings.Failure{Op: "reading", Address: o.URL, Err: errors.New("the server does not answer")}
	}
	f, _, err := c.node.Store.Subscribe(ctx, account, store.Subscription{URL: u.String(), Kind: tidings.KindFeed,
		Privacy: tidings.Public,
		Title:   "Feed of " + u.Host, Site: u.Scheme + "://" + u.Host + "/", Name: o.Name, Folder: o.Folder})
	return f, err
}

func (c channels) SubscribeLater(ctx context.Context, account tidings.AccountID,
	orders []tidings.SubscribeRequest) ([]error, error) {
	refused := make([]error, len(orders))
	for i, o := range orders {
		_, refused[i] = c.Subscribe(ctx, account, o)
	}
	return refused, nil
}

func (c channels) Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error {
	_, err := c.node.Store.Unsubscribe(ctx, account, url)
	return err
}

func (c channels) Change(ctx context.Context, account tidings.AccountID, url string,
	change tidings.ChannelChange) error {
	return c.node.Store.Change(ctx, account, url, store.Change{ChannelChange: change})
}

func (c channels) PollSoon(url string) {
	c.node.mu.Lock()
	defer c.node.mu.Unlock()
	c.node.Polls = append(c.node.Polls, url)
}

// texts reads the pages of items as [Node.Page] has them.
type texts struct{ node *Node }

func (x texts) Ask(ctx context.Context, account tidings.AccountID, item int64, again bool) error {
	kept := store.NewFullTexts(x.node.Store)
	if err := kept.Ask(ctx, account, item, again); err != nil || x.node.Page == nil {
		return err
	}
	html, err := x.node.Page(ctx, item)
	if err != nil {
		return err
	}
	return kept.Keep(ctx, item, html, false)
}
