package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/node/owner"
	"tidings/source/feed"
	"tidings/source/news"
	"tidings/store/published"
	"tidings/view"
)

// The bounds of a silence that is promised.
const minSilence, maxSilence = 10 * time.Second, feed.MaxSilence

// Publish publishes what is new in a conventional feed, and has its source watched if the order says so. Errors:
// tidings.ErrInvalid with a hint, and those of package keyring.
func (p *Publisher) Publish(ctx context.Context, o view.PublishOrder) (view.Issued, error) {
	key, err := p.secrets.unlock(o.Key, o.Passphrase)
	if err != nil {
		return view.Issued{}, keyTrouble(err)
	}
	if o.ThirdParty && o.FullContent != "" {
		return view.Issued{},
			tidings.Invalidf(
				"readers take no more from a third party than the feed has: full contents are for its own publisher")
	}
	p.checkKeys(ctx, key.Name)
	doc, err := p.ordered(ctx, o)
	if err != nil {
		return view.Issued{}, err
	}
	if err := mayPublish(doc, o.Watch); err != nil {
		return view.Issued{}, err
	}
	channel, err := channelOf(o, doc)
	if err != nil {
		return view.Issued{}, err
	}
	c, kept, begin, err := p.accept(ctx, o, channel, key)
	if err != nil {
		return view.Issued{}, err
	}
	issued, err := c.issue(ctx, doc, isWhole(doc), begin)
	issued.Announced = !isWhole(doc) || announces(doc, kept) // which only a feed can do
	_, issued.Embargoed = unembargoed(doc, time.Now())
	return issued, err
}

// ordered reads what an order has published. An item that has nothing to show is refused.
func (p *Publisher) ordered(ctx context.Context, o view.PublishOrder) (*feed.Document, error) {
	doc, err := p.read(ctx, o)
	if err == nil {
		err = news.Complete(doc)
	}
	return doc, err
}

func (p *Publisher) read(ctx context.Context, o view.PublishOrder) (*feed.Document, error) {
	switch {
	case isFolder(o.Source):
		return nil, tidings.WithHint(tidings.Invalidf("%s is a folder, and what is published is a file",
			tidings.Quote(o.Source)),
			"name the feed that your site makes, such as its feed.xml")
	case len(o.Document) == 0:
		return p.readerOf(o.ThirdParty).read(ctx, o.Source)
	case o.Watch:
		return nil, tidings.Invalidf("a document that comes with the order cannot be watched")
	case int64(len(o.Document)) > p.reader.limit:
		return nil, tidings.WithHint(tidings.Invalidf("the document has more than %d bytes", p.reader.limit),
			"start the node with a larger --body-limit")
	}
	return p.reader.parse(cmp.Or(o.Source, o.Channel, "the document"), o.Document, "")
}

// isFolder reports whether a source, a path or a URL, is a folder.
func isFolder(source string) bool {
	info, err := os.Stat(source)
	return err == nil && info.IsDir()
}

// accept stores what an order says of a publication, and works for it. The caller numbers the order's document and then
// calls numbered (acceptOrder).
func (p *Publisher) accept(ctx context.Context, o view.PublishOrder, channel string, key keyring.Key) (
	c *publication, kept published.Publication, numbered func(), err error,
) {
	p.ordering.Lock()
	defer p.ordering.Unlock()
	want, err := p.wanted(ctx, o, channel, key)
	if err != nil {
		return nil, kept, nil, err
	}
	if kept, err = p.store.Publish(ctx, want); err != nil {
		return nil, kept, nil, err
	}
	c, numbered = p.acceptOrder(kept)
	return c, kept, numbered, nil
}

// wanted returns a publication as an order says that it is to be. What the order leaves open stays as it is in the
// store: after a start an order may come before Run has resumed the publication.
func (p *Publisher) wanted(ctx context.Context, o view.PublishOrder, channel string,
	key keyring.Key) (published.Publication, error) {
	silence, err := silenceOf(o.MaxSilence)
	if err != nil {
		return published.Publication{}, err
	}
	want := publicationOf(channel, key, silence)
	want.ThirdParty = o.ThirdParty
	switch now, err := p.store.Publication(ctx, channel, key.Name); {
	case errors.Is(err, tidings.ErrNotFound):
	case err != nil:
		return published.Publication{}, err
	case now.Stopped.IsZero():
		want.Watched, want.Contents, want.ThirdParty = now.Watched, now.Contents, now.ThirdParty || o.ThirdParty
		if o.MaxSilence == 0 {
			want.Silence = now.Silence
		}
	}
	if o.FullContent != "" {
		want.Contents = o.FullContent
		contents, err := openContents(o.FullContent) // before it is kept
		if err = errors.Join(err, contents.close()); err != nil {
			return published.Publication{}, err
		}
	}
	if o.Watch {
		want.Watched = o.Source
	}
	return want, nil
}

// PublishEntry publishes an entry that a content system has. Errors: those of Publish.
func (p *Publisher) PublishEntry(ctx context.Context, channel, keyName string,
	e tidings.PublishedEntry) (view.Issued, error) {
	channel, err := canonicalOf(channel)
	if err != nil {
		return view.Issued{}, err
	}
	key, err := p.secrets.unlock(keyName, "")
	if err != nil {
		return view.Issued{}, keyTrouble(err)
	}
	doc, err := feed.OfEntry(e, channel, p.config.Feed)
	if err != nil {
		return view.Issued{}, err
	}
	if err := mayPublish(doc, false); err != nil {
		return view.Issued{}, err
	}
	now, numbered := p.find(publicationName{channel, key.Name}), func() {}
	if now == nil {
		if now, _, numbered, err = p.accept(ctx, view.PublishOrder{}, channel, key); err != nil {
			return view.Issued{}, err
		}
	}
	issued, err := now.issue(ctx, doc, false, numbered)
	issued.Announced = true // unchecked
	return issued, err
}

// publicationOf returns a publication of a channel as it is to begin.
func publicationOf(channel string, key keyring.Key, silence time.Duration) published.Publication {
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(channel)), key.Fingerprint)
	return published.Publication{Channel: channel, Key: key.Name, Fingerprint: key.Fingerprint, Topic: topic,
		Silence: silence}
}

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
	if errors.Is(err, fs.ErrPermission) {
		return tidings.WithHint(tidings.Invalidf("%w", err), "the node runs as "+owner.Me().String()+
			", to whom its keys must belong; see: tidings doctor")
	}
	return err
}

// channelOf returns the channel that an order means.
func channelOf(o view.PublishOrder, doc *feed.Document) (string, error) {
	given := o.Channel
	if given == "" && isWeb(o.Source) {
		given = o.Source
	}
	if given = cmp.Or(given, doc.Self); given == "" {
		return "", tidings.WithHint(tidings.Invalidf("the feed does not say at which address it will be"),
			"give that with --feed-url")
	}
	return canonicalOf(given)
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

// announces reports whether a document says by which key it is published.
func announces(doc *feed.Document, p published.Publication) bool {
	return doc.Announcement != nil && doc.Announcement.Fingerprint == p.Fingerprint && doc.Announcement.Topic == p.Topic
}

// Publications lists what is published, and what was, with how it goes on.
func (p *Publisher) Publications(ctx context.Context) ([]view.Publication, error) {
	for _, c := range p.all() {
		if _, err := c.noteArrived(ctx); err != nil { // else what others have would be listed as unsent
			return nil, err
		}
	}
	return list(ctx, p.store, func(kept published.Publication) view.Publication { return p.describe(ctx, kept) })
}

func (p *Publisher) describe(ctx context.Context, kept published.Publication) view.Publication {
	d := describe(kept)
	if now := p.find(publicationName{kept.Channel, kept.Key}); now != nil {
		d.Trouble, d.Waiting = now.trouble(), now.waiting(ctx)
	}
	if why := haltOf(ctx, p.settings, kept.Topic); why != nil && kept.Stopped.IsZero() {
		d.Trouble, d.Halted = tidings.Reason(why), true
	}
	return d
}

func list(ctx context.Context, s *published.Store, describe func(published.Publication) view.Publication) (
	[]view.Publication, error) {
	kept, err := s.Publications(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]view.Publication, len(kept))
	for i := range kept {
		all[i] = describe(kept[i])
	}
	return all, nil
}

func describe(kept published.Publication) view.Publication {
	return view.Publication{
		Channel: kept.Channel, Key: kept.Key, Fingerprint: feedtree.Fingerprint(kept.Fingerprint).String(),
		Topic:      engine.ID(kept.Topic).String(),
		MaxSilence: int64(kept.Silence / time.Second), Watched: kept.Watched, FullContent: kept.Contents,
		ThirdParty: kept.ThirdParty,
		Items:      kept.Next - 1, Last: kept.Last, Unsent: kept.Unsent, Started: kept.Started, Stopped: kept.Stopped,
	}
}

// StopPublishing ends the publications of a channel, and announces to readers that nothing is promised any more.
// Errors: tidings.ErrNotFound, tidings.ErrInvalid.
func (p *Publisher) StopPublishing(ctx context.Context, channel string) error {
	p.ordering.Lock()
	defer p.ordering.Unlock()
	channel, err := stop(ctx, p.store, channel)
	if err != nil {
		return err
	}
	p.dropChannel(channel, func(c *publication) { p.speaker.unauthor(c.topic, c.word(0)) })
	p.config.Files.Unpublished()
	return nil
}

// canonicalOf returns a channel's canonical URL; tidings.ErrInvalid if it is none.
func canonicalOf(channel string) (string, error) {
	canonical, err := feed.Canonical(channel)
	if err != nil {
		return "", tidings.Invalidf("that is no address of a feed: %v", err)
	}
	return canonical, nil
}

// stop has a store note that the publications of a channel have ended, and returns the channel's canonical URL. Errors
// are those of Publisher.StopPublishing.
func stop(ctx context.Context, s *published.Store, channel string) (canonical string, err error) {
	if canonical, err = canonicalOf(channel); err != nil {
		return "", err
	}
	err = s.StopPublishing(ctx, canonical)
	if errors.Is(err, tidings.ErrNotFound) {
		err = fmt.Errorf("%s is not published: %w", canonical, tidings.ErrNotFound)
	}
	return canonical, err
}

// Item is an item of a document, which has neither a number nor a signature.
type Item struct {
	ID, Title string
	Entry     []byte // the item as it travels, at most feedtree.MaxEntry bytes
}

// Items reads what an order names or has with it, and returns its items; nothing is published. Errors:
// tidings.ErrInvalid with a hint.
func (p *Publisher) Items(ctx context.Context, o view.PublishOrder) ([]Item, error) {
	doc, err := p.ordered(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, due := unembargoed(doc, time.Now()); !due.IsZero() {
		return nil, tidings.WithHint(tidings.Invalidf("the document has an item under embargo until %s",
			due.Format(time.RFC3339)), "send it then")
	}
	e := editionOf(doc, nil, nil, false)
	items := make([]Item, len(e.items))
	for i, found := range e.items {
		entry, err := e.entry(i, doc.Title, doc.Site)
		if err != nil {
			return nil, err
		}
		items[i] = Item{found.ID, found.Title, entry}
	}
	return items, nil
}
