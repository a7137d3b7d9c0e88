// Package publish publishes what a node's people have to say. It numbers and signs items, stores them, and only then
// gives them to FeedTree. Items that were kept and not sent are sent after the next start.
//
//	file, folder, pipe or URL ── source ──┐
//	orders of people and programs ────────┴──▶ publication: what is new? ──▶ number, sign ──▶ store: kept
//	                                                                                            │
//	other nodes ◀── router ◀── FeedTree ◀── speaker ◀── send: again until another node has it ◀─┘
package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pieces"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store/db"
	"tidings/store/published"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
	InLoop(ctx context.Context, f func())
	// Work has a worker run a job. It does not wait for it.
	Work(job func(context.Context))
	// IsAlone reports whether no other node is known; not if ctx ends first.
	IsAlone(ctx context.Context) bool
	// Archive puts items of one topic into the network's archive. It returns the numbers of those that other nodes keep
	// there.
	Archive(ctx context.Context, items []published.Item) (kept []uint64)
	// Taken is called when other nodes have received items that are published here, and the store knows: the archive
	// can get them.
	Taken()
}

// Files keeps the larger files of published items, and lends them to other nodes.
type Files interface {
	// Publish begins a publication, and returns the function that ends it. Files kept meanwhile stay, even if the store
	// does not know their publication yet.
	Publish() (end func())
	// Keep keeps and lends a file that is published, and returns by what name. fresh says that it was not published
	// before.
	Keep(ctx context.Context, f *os.File, info fs.FileInfo) (ref pieces.Ref, fresh bool, err error)
	// MaxLength is how long a file can be, in bytes.
	MaxLength() int64
	// Unpublished has what is published no longer be removed. It does not wait for that.
	Unpublished()
}

// Trees are how items come to other nodes, as [feedtree.Node] has it. They are used in the loop alone.
type Trees interface {
	Author(feedtree.Authoring) error
	Unauthor(topic engine.ID)
	Publish(topic engine.ID, event engine.Message) error
	LeaveOut(topic engine.ID, from, to uint64)
	Checking(topic engine.ID) bool
}

// Config is what a Publisher works with.
type Config struct {
	Store      *published.Store
	Settings   *db.DB
	Files      Files
	Keys       *keyring.Keyring
	Passphrase string        // opens encrypted keys for which no other was given
	Feed       feed.Config   // bounds of documents
	Fetch      fetch.Config  // how other people's servers are asked; publishers' own with no bounds
	Interval   time.Duration // between two polls of other people's servers
	BodyLimit  int64         // the largest document that is read from a file, in bytes
	// bytes of larger files that one publication may have kept: one file must not push out another
	FilesQuota int64
	Log        *slog.Logger
}

// Publisher publishes the channels of a node.
type Publisher struct {
	host     Host
	config   Config
	store    *published.Store
	settings *db.DB
	log      *slog.Logger
	secrets  *secrets
	reader   *reader    // of what publishers have
	others   *reader    // of what other people have
	changes  *fileWatch // of sources that are files
	speaker  *speaker
	ordering sync.Mutex // held while the store's publications and those that are worked for change together
	publications
}

// New returns a Publisher that works for no publication yet.
func New(host Host, c Config) (*Publisher, error) {
	own, err := newReader(c, ownFetch(c.Fetch))
	if err != nil {
		return nil, fmt.Errorf("preparing to ask publishers' servers: %w", err)
	}
	others, err := newReader(c, c.Fetch)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("preparing to ask other people's servers: %w", err), own.close())
	}
	p := &Publisher{
		host: host, config: c, store: c.Store, settings: c.Settings, log: c.Log, changes: newFileWatch(c.Log),
		reader: own, others: others,
		secrets: newSecrets(c.Keys, c.Passphrase), publications: newPublications(),
	}
	p.speaker = &speaker{host: host, store: c.Store, log: c.Log, onTopic: p.onTopic}
	return p, nil
}

// Start gives the Publisher the trees by which items are sent; it is called in the loop, before Run.
func (p *Publisher) Start(trees Trees) { p.speaker.start(trees) }

// Run resumes all publications and keeps them going until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	p.publications.begin(ctx)
	if err := p.resume(ctx); err != nil && ctx.Err() == nil {
		p.log.Error("nothing is published", "error", err)
	}
	p.running.Go(func() { p.changes.run(ctx) })
	p.watchKeys(ctx)
	p.publications.end()
}

// resume works for the publications that the store has.
func (p *Publisher) resume(ctx context.Context) error {
	p.ordering.Lock() // an order after the store was read would be undone
	defer p.ordering.Unlock()
	all, err := p.store.Publications(ctx)
	for _, kept := range all {
		if kept.Stopped.IsZero() {
			p.begin(kept)
		}
	}
	return err
}

// Close ends what New began, when Run has returned.
func (p *Publisher) Close() error { return errors.Join(p.reader.close(), p.others.close()) }

// readerOf returns the reader of a source. A third party's source belongs to another.
func (p *Publisher) readerOf(thirdParty bool) *reader {
	if thirdParty {
		return p.others
	}
	return p.reader
}

// Arrived notes that another node has an item that this node has published; it is called in the loop.
func (p *Publisher) Arrived(topic engine.ID, number uint64, node engine.ID) {
	if c := p.onTopic(topic); c != nil {
		c.flights.arrived(number, node)
	}
}

// Channel returns the URL of the channel that is published on a topic here. own reports that its maker publishes it,
// not a third party.
func (p *Publisher) Channel(topic engine.ID) (url string, own bool) {
	if c := p.onTopic(topic); c != nil && !c.third {
		return c.name.channel, true
	}
	return "", false
}

// Overtaken notes that the network knows of an item with a number that this node has not given. The node has an old
// state, or the key is used elsewhere too. It is called in the loop.
func (p *Publisher) Overtaken(topic engine.ID, last uint64) {
	c := p.onTopic(topic)
	if c == nil {
		return
	}
	p.log.Warn("others know of later items of a channel that is published here: this node was restored from an old copy, or the key is used elsewhere too",
		"channel", c.name.channel, "key", c.name.key, "last", last)
	p.host.Work(func(ctx context.Context) {
		if err := c.goAbove(ctx, last); err != nil && ctx.Err() == nil {
			p.log.Error("a channel is not published", "channel", c.name.channel, "error", err)
		}
	})
}

// begin begins to work for a publication, or applies its changes.
func (p *Publisher) begin(kept published.Publication) *publication {
	return p.publications.started(kept, func(n *numbering, f *flights) *publication {
		return newPublication(p, kept, n, f)
	})
}

// acceptOrder is take for an order with a document. The caller numbers it and then calls numbered. If the order also
// begins the watch of a source, that waits for the call. Otherwise the watch could publish the document first, and the
// order would report that nothing was new.
func (p *Publisher) acceptOrder(kept published.Publication) (c *publication, numbered func()) {
	numbered = func() {}
	c = p.publications.started(kept, func(n *numbering, f *flights) *publication {
		fresh := newPublication(p, kept, n, f)
		fresh.order.Add(1)
		numbered = fresh.order.Done
		return fresh
	})
	return c, numbered
}

// goOver replaces one publication by another, and keeps the old topic for a while: there readers learn of the new one.
func (p *Publisher) goOver(c *publication, next published.Publication) {
	c.signer.replace()
	p.publications.remove(c)
	p.begin(next)
	p.publications.later(feedtree.Default().Linger, func() { p.speaker.unauthor(c.topic, nil) })
}
