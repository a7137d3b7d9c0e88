// Package publish publishes what a node's people have to say. It numbers and signs items, has the store keep them, and only
// then gives them to FeedTree; what was kept and not sent is sent after the next start.
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
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pieces"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
	InLoop(ctx context.Context, f func())
	// Work has a worker run a job. It does not wait for it.
	Work(job func(context.Context))
	// IsAlone reports whether no other node is known; not if ctx ends first.
	IsAlone(ctx context.Context) bool
	// Archive puts items of one topic into the network's archive, and returns the numbers of those that other nodes keep there.
	Archive(ctx context.Context, items []store.PublishedItem) (kept []uint64)
	// Taken is called when other nodes have taken items that are published here, and the store knows: the archive
	// can be given them.
	Taken()
}

// Files keeps the larger files of published items, and lends them to other nodes.
type Files interface {
	// Publish begins a publication, and returns what ends it: what is kept meanwhile stays, even if the store does not know
	// yet whose it is.
	Publish() (end func())
	// Keep keeps and lends a file that is published, and returns by what name. fresh says that it was not published before.
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
	Store      *store.Store
	Files      Files
	Keys       *keyring.Keyring
	Passphrase string        // opens encrypted keys for which no other was given
	Feed       feed.Config   // bounds of documents
	Fetch      fetch.Config  // how other people's servers are asked; publishers' own with no bounds
	Interval   time.Duration // between two polls of other people's servers
	BodyLimit  int64         // the largest document that is read from a file, in bytes
	FilesQuota int64         // bytes of larger files that one publication may have kept: one file must not push out another
	Log        *slog.Logger
}

// Publisher publishes the channels of a node.
type Publisher struct {
	host    Host
	config  Config
	store   *store.Store
	log     *slog.Logger
	secrets *secrets
	reader  *reader    // of what publishers have
	others  *reader    // of what other people have
	changes *fileWatch // of sources that are files
	speaker *speaker
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
		host: host, config: c, store: c.Store, log: c.Log, changes: newFileWatch(c.Log), reader: own, others: others,
		secrets: newSecrets(c.Keys, c.Passphrase), publications: newPublications(),
	}
	p.speaker = &speaker{host: host, store: c.Store, log: c.Log, onTopic: p.onTopic}
	return p, nil
}

// Start gives the Publisher the trees by which items are sent; it is called in the loop, before Run.
func (p *Publisher) Start(trees Trees) { p.speaker.start(trees) }

// Run takes up all publications and keeps them going until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	p.publications.begin(ctx)
	all, err := p.store.Publications(ctx)
	if err != nil && ctx.Err() == nil {
		p.log.Error("nothing is published", "error", err)
	}
	for _, kept := range all {
		if kept.Stopped.IsZero() {
			p.take(kept)
		}
	}
	p.running.Go(func() { p.changes.run(ctx) })
	p.watchKeys(ctx)
	p.publications.end()
}

// Close ends what New began, when Run has returned.
func (p *Publisher) Close() error { return errors.Join(p.reader.close(), p.others.close()) }

// readerOf returns what reads a source: of a third party that is somebody else's.
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

// Channel returns the URL of the channel that is published on a topic here, by who makes it: not by a third party.
func (p *Publisher) Channel(topic engine.ID) (url string, own bool) {
	if c := p.onTopic(topic); c != nil && !c.third {
		return c.name.channel, true
	}
	return "", false
}

// Overtaken notes that the network knows of an item with a number that this node has not given: it has an old
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

// take begins to work for a publication, or takes in that it has changed.
func (p *Publisher) take(kept store.Publication) *publication {
	return p.publications.take(kept, func(n *numbering, f *flights) *publication { return newPublication(p, kept, n, f) })
}

// goOver puts another publication into one's place, and keeps the old topic for a while: readers hear there
// where to go.
func (p *Publisher) goOver(c *publication, next store.Publication) {
	c.signer.replace()
	p.publications.remove(c)
	p.take(next)
	p.publications.later(feedtree.Default().Linger, func() { p.speaker.unauthor(c.topic, nil) })
}
