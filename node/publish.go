package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store"
)

// publisher publishes what this node's people have to say: it numbers and signs items, has the store keep
// them, and only then gives them to FeedTree. What was kept and not sent is sent after the next start.
type publisher struct {
	node  *Node
	keys  *keyring.Keyring
	fetch *fetch.Client // asks publishers' own servers
	files *fileWatch

	mu      sync.Mutex
	active  map[publicationName]*publication
	byTopic map[engine.ID]*publication
	numbers map[publicationName]*numbering // also of those that were stopped
	run     context.Context
	running sync.WaitGroup
	ended   bool // nothing more is started

	secrets     sync.Mutex
	passphrases map[string]string             // by a key's name; nowhere but here
	opened      map[feedtree.Fingerprint]bool // keys to which those belong
}

// publicationName names a publication.
type publicationName struct{ channel, key string }

// The bounds of a silence that is promised.
const minSilence, maxSilence = 10 * time.Second, feed.MaxSilence

func newPublisher(n *Node) (*publisher, error) {
	p := &publisher{
		node: n, keys: keyring.In(n.config.Data), files: newFileWatch(n.log),
		active: make(map[publicationName]*publication), byTopic: make(map[engine.ID]*publication), numbers: make(map[publicationName]*numbering),
		passphrases: make(map[string]string), opened: make(map[feedtree.Fingerprint]bool),
	}
	// A publisher's own server stands anywhere, and is asked as often as its publisher wants.
	own := n.config.fetching()
	own.Lab, own.Patience = true, nil
	var err error
	p.fetch, err = fetch.New(own)
	return p, err
}

// serve takes up all publications and keeps them going until ctx ends.
func (p *publisher) serve(ctx context.Context) {
	all, err := p.node.store.Publications(ctx)
	if err != nil && ctx.Err() == nil {
		p.node.log.Error("nothing is published", "error", err)
	}
	for _, kept := range all {
		if kept.Stopped.IsZero() {
			p.take(kept)
		}
	}
	p.running.Go(func() { p.files.run(ctx) })
	p.watchKeys(ctx)
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.running.Wait()
}

func (p *publisher) close() error { return p.fetch.Close() }

// take begins to work for a publication, or takes in that it has changed.
func (p *publisher) take(kept store.Publication) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := publicationName{kept.Channel, kept.Key}
	now := p.active[name]
	if now != nil && now.watched == kept.Watched && now.contents == kept.Contents && now.topic == kept.Topic && now.silence == kept.Silence {
		now.again.Ring()
		return now
	}
	if now != nil {
		p.drop(now)
	}
	if p.numbers[name] == nil {
		p.numbers[name] = newNumbering(kept)
	}
	now = newPublication(p, kept, p.numbers[name])
	p.active[name], p.byTopic[now.topic] = now, now
	if p.run != nil && !p.ended {
		ctx, stop := context.WithCancel(p.run)
		now.stop = stop
		p.running.Go(func() { now.send(ctx) })
		p.running.Go(func() { now.note(ctx) })
		if now.watched != "" {
			p.running.Go(func() { now.watch(ctx) })
		}
	}
	return now
}

// drop ends the work for a publication. The caller holds p.mu.
func (p *publisher) drop(gone *publication) {
	gone.stop()
	delete(p.active, gone.name)
	if p.byTopic[gone.topic] == gone {
		delete(p.byTopic, gone.topic)
	}
}

// onTopic returns the publication on a topic; nil if there is none.
func (p *publisher) onTopic(topic engine.ID) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byTopic[topic]
}

func (p *publisher) find(name publicationName) *publication {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.active[name]
}

// Publish publishes what is new in a conventional feed.
func (n *Node) Publish(ctx context.Context, o tidings.PublishOrder) (tidings.Issued, error) {
	p := n.publisher
	if p == nil {
		return tidings.Issued{}, errAlone
	}
	key, err := p.unlock(o.Key, o.Passphrase)
	if err != nil {
		return tidings.Issued{}, keyTrouble(err)
	}
	p.checkKeys(ctx, key.Name)
	doc, err := p.ordered(ctx, o)
	if err != nil {
		return tidings.Issued{}, err
	}
	if err := mayPublish(doc, o.Watch); err != nil {
		return tidings.Issued{}, err
	}
	channel, err := channelOf(o, doc)
	if err != nil {
		return tidings.Issued{}, err
	}
	want, err := p.wanted(o, channel, key)
	if err != nil {
		return tidings.Issued{}, err
	}
	kept, err := n.store.Publish(ctx, want)
	if err != nil {
		return tidings.Issued{}, err
	}
	issued, err := p.take(kept).issue(ctx, doc, isWhole(doc))
	issued.Announced = !isWhole(doc) || announces(doc, kept) // which only a feed can do
	return issued, err
}

// ordered reads what an order has published.
func (p *publisher) ordered(ctx context.Context, o tidings.PublishOrder) (*feed.Document, error) {
	switch {
	case len(o.Document) == 0:
		return p.read(ctx, o.Source)
	case o.Source != "" || o.Watch:
		return nil, tidings.Invalidf("a document that comes with the order has no source, and cannot be watched")
	}
	return p.parse(cmp.Or(o.Channel, "the document"), o.Document, "")
}

// wanted returns a publication as an order says that it is to be. What the order leaves open stays as it is.
func (p *publisher) wanted(o tidings.PublishOrder, channel string, key keyring.Key) (store.Publication, error) {
	silence, err := silenceOf(o.MaxSilence)
	if err != nil {
		return store.Publication{}, err
	}
	want := p.publicationOf(channel, key, silence)
	if now := p.find(publicationName{channel, key.Name}); now != nil {
		want.Watched, want.Contents = now.watched, now.contents
		if o.MaxSilence == 0 {
			want.Silence = now.silence
		}
	}
	if o.FullContent != "" {
		want.Contents = o.FullContent
		contents, err := openContents(o.FullContent) // before it is kept
		if err = errors.Join(err, contents.close()); err != nil {
			return store.Publication{}, err
		}
	}
	if o.Watch {
		want.Watched = o.Source
	}
	return want, nil
}

// PublishEntry publishes an entry that a content system has.
func (n *Node) PublishEntry(ctx context.Context, channel, keyName string, e tidings.PublishedEntry) (tidings.Issued, error) {
	p := n.publisher
	if p == nil {
		return tidings.Issued{}, errAlone
	}
	channel, err := feed.Canonical(channel)
	if err != nil {
		return tidings.Issued{}, tidings.Invalidf("that is no address of a feed: %v", err)
	}
	key, err := p.unlock(keyName, "")
	if err != nil {
		return tidings.Issued{}, keyTrouble(err)
	}
	doc, err := documentOf(e, channel, n.poller.Feed)
	if err != nil {
		return tidings.Issued{}, err
	}
	if err := mayPublish(doc, false); err != nil {
		return tidings.Issued{}, err
	}
	now := p.find(publicationName{channel, key.Name})
	if now == nil {
		kept, err := n.store.Publish(ctx, p.publicationOf(channel, key, UsualSilence))
		if err != nil {
			return tidings.Issued{}, err
		}
		now = p.take(kept)
	}
	issued, err := now.issue(ctx, doc, false)
	issued.Announced = true // nobody has checked
	return issued, err
}

// publicationOf returns a publication of a channel as it is to begin.
func (p *publisher) publicationOf(channel string, key keyring.Key, silence time.Duration) store.Publication {
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(channel)), key.Fingerprint)
	return store.Publication{Channel: channel, Key: key.Name, Fingerprint: key.Fingerprint, Topic: topic, Silence: silence}
}

var errAlone = tidings.WithHint(tidings.Invalidf("the node works alone, so it cannot publish"), "start it without --no-network")

// keyTrouble says what to do about a key that cannot sign.
func keyTrouble(err error) error {
	for _, known := range []struct {
		err  error
		hint string
	}{
		{keyring.ErrNoKey, "make one with: tidings key new NAME"},
		{keyring.ErrLocked, "give it once with tidings publish, or start the node with TIDINGS_PASSPHRASE set"},
		{keyring.ErrPassphrase, "nothing was published"},
		{keyring.ErrRevoked, "make another with: tidings key new NAME"},
		{keyring.ErrName, "those that there are: tidings key list"},
		{keyring.ErrAmbiguous, "name it with --key; those that there are: tidings key list"},
	} {
		if errors.Is(err, known.err) {
			return tidings.WithHint(tidings.Invalidf("%w", err), known.hint)
		}
	}
	return err
}

// channelOf returns the channel that an order means.
func channelOf(o tidings.PublishOrder, doc *feed.Document) (string, error) {
	given := o.Channel
	if given == "" && isWeb(o.Source) {
		given = o.Source
	}
	if given = cmp.Or(given, doc.Self); given == "" {
		return "", tidings.WithHint(tidings.Invalidf("the feed does not say at which address it will be"), "give that with --feed-url")
	}
	channel, err := feed.Canonical(given)
	if err != nil {
		return "", tidings.Invalidf("that is no address of a feed: %v", err)
	}
	return channel, nil
}

func silenceOf(seconds int64) (time.Duration, error) {
	switch silence := time.Duration(seconds) * time.Second; {
	case seconds == 0:
		return UsualSilence, nil
	case seconds == -1:
		return 0, nil
	case seconds < 0 || seconds > int64(maxSilence/time.Second) || silence < minSilence:
		return 0, tidings.Invalidf("the longest silence is not between %s and %s", minSilence, maxSilence)
	default:
		return silence, nil
	}
}

// announces tells whether a document says by which key it is published.
func announces(doc *feed.Document, p store.Publication) bool {
	return doc.Announcement != nil && doc.Announcement.Fingerprint == p.Fingerprint && doc.Announcement.Topic == p.Topic
}

// Publications lists what is published, and what was.
func (n *Node) Publications(ctx context.Context) ([]tidings.Publication, error) {
	kept, err := n.store.Publications(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]tidings.Publication, len(kept))
	for i := range kept {
		all[i] = n.aboutPublication(ctx, kept[i])
	}
	return all, nil
}

func (n *Node) aboutPublication(ctx context.Context, kept store.Publication) tidings.Publication {
	p := tidings.Publication{
		Channel: kept.Channel, Key: kept.Key, Fingerprint: feedtree.Fingerprint(kept.Fingerprint).String(), Topic: engine.ID(kept.Topic).String(),
		MaxSilence: int64(kept.Silence / time.Second), Watched: kept.Watched, FullContent: kept.Contents,
		Items: kept.Next - 1, Last: kept.Last, Unsent: kept.Unsent, Started: kept.Started, Stopped: kept.Stopped,
	}
	if n.publisher == nil {
		p.Trouble = errAlone.Error()
	} else if now := n.publisher.find(publicationName{kept.Channel, kept.Key}); now != nil {
		p.Trouble, p.Waiting = now.trouble(), now.waiting(ctx)
	}
	return p
}

// StopPublishing ends the publications of a channel: readers are told that nothing is promised any more.
func (n *Node) StopPublishing(ctx context.Context, channel string) error {
	channel, err := feed.Canonical(channel)
	if err != nil {
		return tidings.Invalidf("that is no address of a feed: %v", err)
	}
	if err := n.store.StopPublishing(ctx, channel); err != nil {
		if errors.Is(err, tidings.ErrNotFound) {
			return fmt.Errorf("%s is not published: %w", channel, tidings.ErrNotFound)
		}
		return err
	}
	if p := n.publisher; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, now := range p.sorted() {
			if now.name.channel == channel {
				last := now.farewell()
				p.drop(now)
				n.pushes.unauthor(now.topic, last)
			}
		}
		n.files.Unpublished()
	}
	return nil
}

// sorted returns what is worked for, by name. The caller holds p.mu.
func (p *publisher) sorted() []*publication {
	var all []*publication
	for _, now := range p.active {
		all = append(all, now)
	}
	slices.SortFunc(all, func(a, b *publication) int {
		return cmp.Or(cmp.Compare(a.name.channel, b.name.channel), cmp.Compare(a.name.key, b.name.key))
	})
	return all
}
