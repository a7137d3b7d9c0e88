package publish

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/broadcast"
	"tidings/source/feed"
	"tidings/store/published"
	"tidings/view"
)

// publication is a channel that is being published with a key.
type publication struct {
	publisher *Publisher
	name      publicationName
	topic     engine.ID
	silence   time.Duration
	watched   string // its source; empty: it is published by orders alone
	contents  string // directory with whole contents; empty: there is none
	third     bool   // the channel belongs to another
	stop      context.CancelFunc
	order     sync.WaitGroup       // the order with which it begins: its source is not watched until that is numbered
	again     *broadcast.Broadcast // rings when the source is to be polled

	*numbering
	flights *flights
	noting  sync.Mutex // held while the store notes what others have
	signer  signer
	wrong   trouble // why nothing is published now
	unread  trouble // why the source cannot be read
	unsent  trouble // why items cannot be sent
}

func newPublication(p *Publisher, kept published.Publication, n *numbering, f *flights) *publication {
	return &publication{
		publisher: p, name: publicationName{kept.Channel, kept.Key}, topic: kept.Topic, silence: kept.Silence,
		watched: kept.Watched, contents: kept.Contents, third: kept.ThirdParty, stop: func() {}, again: broadcast.New(),
		numbering: n, flights: f, signer: signer{secrets: p.secrets, key: kept.Key, topic: kept.Topic},
	}
}

// isAs reports whether a publication is as the store has it.
func (c *publication) isAs(kept published.Publication) bool {
	return c.watched == kept.Watched && c.contents == kept.Contents && c.third == kept.ThirdParty &&
		c.topic == kept.Topic && c.silence == kept.Silence
}

// trouble says why the publication does not get on.
func (c *publication) trouble() string {
	return cmp.Or(c.wrong.String(), c.unread.String(), c.unsent.String())
}

// note keeps why the publication does not get on; nil: it does.
func (c *publication) note(where *trouble, err error) {
	if where.note(err) {
		c.publisher.log.Warn("a publication does not get on", "channel", c.name.channel, "key", c.name.key, "error",
			err)
	}
}

// sign returns the key that signs now, or why nothing can be signed, which is noted.
func (c *publication) sign() (ed25519.PrivateKey, error) {
	if private := c.signer.known(); private != nil && c.wrong.String() == "" {
		return private, nil
	}
	private, err := c.signer.read()
	c.note(&c.wrong, err)
	return private, err
}

// word returns the heartbeat to send while nothing is published, with the silence that is promised from then on: 0
// promises nothing any more. While an item is still unsent, it is nil: a heartbeat with a later number, or time, would
// make that item too old.
func (c *publication) word(silence time.Duration) *feedtree.Heartbeat {
	private := c.signer.known()
	at := c.now(time.Time{}).UnixMilli()
	last, all := c.said()
	if private == nil || c.wrong.String() != "" || !all {
		return nil
	}
	h := &feedtree.Heartbeat{Number: last, Time: at, Silence: uint32(silence / time.Second)}
	h.Sign(c.topic, private)
	return h
}

// farewell returns the last word of a publication that withdraws its promise, even if items are unsent; nil without its
// key.
func (c *publication) farewell() *feedtree.Heartbeat {
	private := c.signer.known()
	if private == nil {
		return nil
	}
	h := &feedtree.Heartbeat{Number: c.given(), Time: c.now(time.Time{}).UnixMilli()}
	h.Sign(c.topic, private)
	return h
}

// errGone says that a publication goes on with another key.
var errGone = errors.New("its key was replaced just now: try again")

// issue publishes the new items of a document. When issue returns, they are numbered, signed, kept, and on their way.
// whole says that the document has all items that are listed now. issue calls numbered as soon as nothing of the
// document is left to be numbered, whether or not that succeeded.
func (c *publication) issue(ctx context.Context, doc *feed.Document, whole bool, numbered func()) (view.Issued, error) {
	p := c.publisher
	issued, err := c.number(ctx, doc, whole)
	numbered()
	if errors.Is(err, errGone) {
		if next := p.find(c.name); next != nil && next != c {
			return next.issue(ctx, doc, whole, func() {})
		}
	}
	if err != nil {
		return view.Issued{}, fmt.Errorf("publishing %s: %w", c.name.channel, keyTrouble(err))
	}
	if len(issued.Items) > 0 {
		c.fresh.Ring()
		if !p.host.IsAlone(ctx) {
			c.awaitFirst(ctx, issued.Items)
		}
	}
	kept, err := p.store.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return view.Issued{}, err
	}
	issued.Publication = p.describe(ctx, kept)
	return issued, nil
}

// number numbers, signs and keeps what is new in a document.
func (c *publication) number(ctx context.Context, doc *feed.Document, whole bool) (issued view.Issued, err error) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	p := c.publisher
	defer p.config.Files.Publish()()
	if c.signer.wasReplaced() {
		return issued, errGone
	}
	if err := haltOf(ctx, p.settings, c.topic); err != nil {
		return issued, err
	}
	private, err := c.sign()
	if err != nil {
		return issued, err
	}
	contents, err := openContents(c.contents)
	if err != nil {
		return issued, err
	}
	defer func() { err = errors.Join(err, contents.close()) }()
	doc, _ = unembargoed(doc, time.Now())
	issued.Items = []view.IssuedItem{}
	known, err := c.known(ctx, doc, whole)
	if err != nil {
		return issued, err
	}
	kept, err := p.store.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return issued, err
	}
	if contents != nil {
		contents.filing = filing{ctx: ctx, files: p.config.Files, log: p.log, most: p.config.Feed.MaxPerItem,
			since: kept.Last, left: p.config.FilesQuota}
	}
	e := editionOf(doc, known, contents, whole)
	if len(e.marks) == 0 && !e.relists(known) {
		return issued, nil
	}
	issue := published.Issue{Channel: c.name.channel, Key: c.name.key, Marks: e.marks, Files: e.refs(),
		Listed: e.listed, Time: c.now(kept.Last)}
	title, site := channelIn(doc)
	for i := range e.items {
		entry, err := e.entry(i, title, site)
		if err != nil {
			return issued, err
		}
		if news := e.items[i].News; news.Withdrawn() {
			back, err := c.versions(ctx, news.GUID)
			if err != nil {
				return issued, err
			}
			entry = feedtree.Withdrawing(back, entry)
		}
		item := feedtree.Item{Number: kept.Next + uint64(i), Time: issue.Time.UnixMilli(), Entry: entry}
		signed, err := signed(&item, c.topic, private)
		if err != nil {
			return issued, err
		}
		issue.Items = append(issue.Items, signed)
		issued.Items =
			append(issued.Items, view.IssuedItem{Number: item.Number, ID: e.items[i].ID, Title: e.items[i].Title,
				Change: e.items[i].Change})
	}
	if err := p.store.Issue(ctx, issue); err != nil {
		return view.Issued{}, err
	}
	c.kept(kept.Next - 1 + uint64(len(issue.Items)))
	c.flights.expect(issued.Items)
	return issued, nil
}

// known returns what items are known by: of a single one, those that it could be.
func (c *publication) known(ctx context.Context, doc *feed.Document, whole bool) ([]published.Mark, error) {
	s := c.publisher.store
	if !whole && len(doc.Items) == 1 && doc.Items[0].Mark.ID != 0 {
		return s.MarksLike(ctx, c.name.channel, c.name.key, doc.Items[0].Mark)
	}
	return s.Marks(ctx, c.name.channel, c.name.key)
}
