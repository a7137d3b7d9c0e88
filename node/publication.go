package node

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/broadcast"
	"tidings/source/feed"
	"tidings/store"
)

// publication is a channel that is being published with a key.
type publication struct {
	publisher *publisher
	name      publicationName
	topic     engine.ID
	silence   time.Duration
	watched   string
	contents  string
	stop      context.CancelFunc

	again *broadcast.Broadcast // rings when the source is to be polled
	due   *time.Timer          // rings it when an embargo ends; used by whoever watches the source alone

	*numbering

	mu      sync.Mutex
	private ed25519.PrivateKey // nil: the key is locked, or not read so far
	wrong   string             // why nothing is published now
	gone    bool               // another has taken its place, with another key
	unread  string             // why the source cannot be read
}

// numbering is how far a channel's items have come. It outlives the publication, which may change, or be stopped
// and taken up again, while the node runs.
type numbering struct {
	issuing sync.Mutex           // held by whoever gives numbers; before all other locks
	fresh   *broadcast.Broadcast // rings when there is something to send
	news    *broadcast.Broadcast // rings when another node has an item

	counted sync.Mutex
	flights map[uint64]*flight // items that were given to FeedTree, until others have them
	taken   []uint64           // of them those that others have, and the store does not know of
	last    uint64             // number of the last item that was kept
	handed  uint64             // number of the last that was given to FeedTree
	spoken  int64              // the latest time that was signed, in milliseconds since 1970
	waiters int                // who wait until another node has an item
}

func newNumbering(kept store.Publication) *numbering {
	n := &numbering{fresh: broadcast.New(), news: broadcast.New(), flights: make(map[uint64]*flight), last: kept.Next - 1, handed: kept.Next - 1}
	if !kept.Last.IsZero() {
		n.spoken = kept.Last.UnixMilli()
	}
	return n
}

// now returns the time to sign: a clock that goes back does not make time go back.
func (n *numbering) now(last time.Time) time.Time {
	n.counted.Lock()
	defer n.counted.Unlock()
	n.spoken = max(time.Now().UnixMilli(), n.spoken)
	if !last.IsZero() {
		n.spoken = max(n.spoken, last.UnixMilli())
	}
	return time.UnixMilli(n.spoken)
}

// flight is an item on its way to the first nodes.
type flight struct {
	nodes []engine.ID   // that have it
	first chan struct{} // closed when one has
}

func newPublication(p *publisher, kept store.Publication, numbers *numbering) *publication {
	return &publication{
		publisher: p, name: publicationName{kept.Channel, kept.Key}, topic: kept.Topic, silence: kept.Silence,
		watched: kept.Watched, contents: kept.Contents, stop: func() {},
		again: broadcast.New(), numbering: numbers,
	}
}

// trouble tells why the publication does not get on.
func (c *publication) trouble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wrong != "" {
		return c.wrong
	}
	return c.unread
}

// noteTrouble keeps why the publication does not get on; nil: it does.
func (c *publication) noteTrouble(where *string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	changed := *where != text
	*where = text
	c.mu.Unlock()
	if changed && err != nil {
		c.publisher.node.log.Warn("a publication does not get on", "channel", c.name.channel, "key", c.name.key, "error", err)
	}
}

// issue publishes what is new in a document: it is numbered, signed and kept when issue returns, and on its
// way. whole tells that the document has all items that are listed now.
func (c *publication) issue(ctx context.Context, doc *feed.Document, whole bool) (tidings.Issued, error) {
	issued, err := c.number(ctx, doc, whole)
	if errors.Is(err, errGone) {
		if next := c.publisher.find(c.name); next != nil && next != c {
			return next.issue(ctx, doc, whole)
		}
	}
	if err != nil {
		return tidings.Issued{}, fmt.Errorf("publishing %s: %w", c.name.channel, keyTrouble(err))
	}
	if len(issued.Items) > 0 {
		c.fresh.Ring()
		if !c.publisher.node.member.IsAlone(ctx) {
			c.awaitFirst(ctx, issued.Items)
		}
	}
	kept, err := c.publisher.node.store.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return tidings.Issued{}, err
	}
	issued.Publication = c.publisher.node.aboutPublication(ctx, kept)
	return issued, nil
}

// errGone says that a publication goes on with another key.
var errGone = errors.New("its key was replaced just now: try again")

// number numbers, signs and keeps.
func (c *publication) number(ctx context.Context, doc *feed.Document, whole bool) (issued tidings.Issued, err error) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	defer c.publisher.node.files.Publish()()
	c.mu.Lock()
	gone := c.gone
	c.mu.Unlock()
	if gone {
		return issued, errGone
	}
	private, err := c.signer()
	if err != nil {
		return issued, err
	}
	contents, err := openContents(c.contents)
	if err != nil {
		return issued, err
	}
	defer func() { err = errors.Join(err, contents.close()) }()
	doc, _ = unembargoed(doc, time.Now())
	n := c.publisher.node
	s := n.store
	issued.Items = []tidings.IssuedItem{}
	known, err := c.known(ctx, doc, whole)
	if err != nil {
		return issued, err
	}
	kept, err := s.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return issued, err
	}
	if contents != nil {
		contents.filing = filing{ctx: ctx, files: n.files, log: n.log, most: n.poller.Feed.MaxPerItem, since: kept.Last, left: n.config.FilesQuota}
	}
	e := editionOf(doc, known, contents, whole)
	if len(e.marks) == 0 && !relistedMarks(known, e) {
		return issued, nil
	}
	issue := store.Issue{Channel: c.name.channel, Key: c.name.key, Marks: e.marks, Files: e.refs(), Listed: e.listed, Time: c.now(kept.Last)}
	for i := range e.items {
		entry, err := e.entry(i, doc.Title, doc.Site)
		if err != nil {
			return issued, err
		}
		item := feedtree.Item{Number: kept.Next + uint64(i), Time: issue.Time.UnixMilli(), Entry: entry}
		signed, err := sign(&item, c.topic, private)
		if err != nil {
			return issued, err
		}
		issue.Items = append(issue.Items, signed)
		issued.Items = append(issued.Items, tidings.IssuedItem{Number: item.Number, ID: e.items[i].ID, Title: e.items[i].Title, Change: e.items[i].Change})
	}
	if err := s.Issue(ctx, issue); err != nil {
		return tidings.Issued{}, err
	}
	c.counted.Lock()
	defer c.counted.Unlock()
	c.last = kept.Next - 1 + uint64(len(issue.Items))
	for _, i := range issued.Items {
		c.flights[i.Number] = &flight{first: make(chan struct{})}
	}
	return issued, nil
}

// known returns what items are known by: of a single one, those that it could be.
func (c *publication) known(ctx context.Context, doc *feed.Document, whole bool) ([]store.PublishedMark, error) {
	s := c.publisher.node.store
	if !whole && len(doc.Items) == 1 && doc.Items[0].Mark.ID != 0 {
		return s.PublishedMarksLike(ctx, c.name.channel, c.name.key, doc.Items[0].Mark)
	}
	return s.PublishedMarks(ctx, c.name.channel, c.name.key)
}

// sign signs an item, and checks what was signed as readers will.
func sign(item *feedtree.Item, topic engine.ID, private ed25519.PrivateKey) (signed store.PublishedItem, err error) {
	item.Sign(topic, private)
	if err := item.Verify(topic, time.UnixMilli(item.Time), time.Second); err != nil {
		return signed, fmt.Errorf("item %d was signed in vain: %w", item.Number, err)
	}
	b, err := item.MarshalBinary()
	return store.PublishedItem{Number: item.Number, Topic: topic, Item: b}, err
}

// relistedMarks reports whether other items are listed than before.
func relistedMarks(known []store.PublishedMark, e edition) bool {
	if e.listed == nil {
		return false
	}
	n := 0
	for i := range known {
		if known[i].Listed {
			n++
		}
	}
	return n != len(e.listed)
}
