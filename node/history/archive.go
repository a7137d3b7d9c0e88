package history

import (
	"context"
	"errors"
	"log/slog"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/node/broadcast"
	"tidings/store/published"
	"tidings/store/shared"
	"tidings/view"
)

// Archive is the node's part in the network's archive of published items. It stands between archive.Node and the store.
// archive.Node lives in the host's loop and must not wait; the store makes it wait.
type Archive struct {
	host      Host
	config    Config
	shared    *shared.Store
	published *published.Store
	log       *slog.Logger

	// Set by Start, and used in the loop alone.
	archive *archive.Node
	ring    *pastry.Node

	fresh *broadcast.Broadcast // rings when something was published here
}

// NewArchive returns a node's part in the archive. Nothing is kept, found or inserted before Start.
func NewArchive(host Host, c Config) *Archive {
	return &Archive{host: host, config: c, shared: c.Shared, published: c.Published, log: c.Logger,
		fresh: broadcast.New()}
}

// Start makes the node's part of the protocol on a ring; it is called in the host's loop.
func (a *Archive) Start(env engine.Env, ring *pastry.Node, stack *engine.Stack) {
	c := a.config.archive()
	limits := shared.ArchiveLimits{Bytes: c.MaxBytes, TopicBytes: c.MaxTopicBytes, Items: c.MaxItems}
	items := &itemStore{Archive: a, limits: limits, writes: writes{work: a.host.Work}}
	a.ring = ring
	a.archive = archive.New(env, ring, verifier{}, items, c)
	a.archive.OnLied(func(e archive.Lied) {
		if e.Proven {
			a.host.Refuse(e.From, "it gave an item out of the archive that its publisher has not signed")
		}
	})
	ring.Handle(engine.Archive, a.archive)
	stack.Add(engine.Archive, a.archive)
}

// archive returns how much the node keeps for others.
func (c Config) archive() archive.Config {
	own := archive.Default()
	own.MaxBytes = c.Quota
	own.MaxTopicBytes = min(own.MaxTopicBytes, own.MaxBytes)
	return own
}

// Use lets the archive use items of FeedTree that have just gone through this node. It is called in the host's
// loop, after Start.
func (a *Archive) Use(trees *feedtree.Node) { a.archive.Use(passed{trees}) }

// passed has the items that went through FeedTree of late.
type passed struct{ trees *feedtree.Node }

// Local implements archive.LocalSource; it is called in the loop. What went through FeedTree that has verified.
func (s passed) Local(name archive.Name) []byte {
	item := s.trees.Passed(name.Topic, name.Number)
	if item == nil {
		return nil
	}
	bytes, err := item.MarshalBinary()
	if err != nil {
		return nil
	}
	return bytes
}

// Find implements feedtree.Archive; it is called in the loop. Before the node has joined others, the answer is that no
// node has it.
func (a *Archive) Find(topic engine.ID, number uint64, found func(*feedtree.Item, *feedtree.Withdrawal)) {
	a.archive.Find(archive.Name{Topic: topic, Number: number}, func(bytes []byte, err error) {
		item, back := new(feedtree.Item), new(feedtree.Withdrawal)
		switch {
		case err != nil:
			found(nil, nil)
		case archive.IsVoid(bytes) && back.UnmarshalBinary(bytes[len(archive.VoidMark):]) == nil:
			found(nil, back)
		case !archive.IsVoid(bytes) && item.UnmarshalBinary(bytes) == nil:
			found(item, nil)
		default:
			found(nil, nil)
		}
	})
}

var errStopped = errors.New("the network has stopped")

// find looks an item up, and waits for the answer, which others have given: it proves nothing.
func (a *Archive) find(ctx context.Context, name archive.Name) ([]byte, error) {
	type answer struct {
		bytes []byte
		err   error
	}
	answers, asked := make(chan answer, 1), false
	a.host.InLoop(ctx, func() {
		asked = true
		a.archive.Find(name, func(bytes []byte, err error) { answers <- answer{bytes, err} })
	})
	if !asked {
		return nil, errStopped
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case found := <-answers:
		return found.bytes, found.err
	}
}

// Usage returns what is kept for the network, and how much may be; nothing where there is no archive.
func (a *Archive) Usage(ctx context.Context) view.StorageUse {
	if a == nil {
		return view.StorageUse{}
	}
	use := view.StorageUse{Quota: a.config.Quota}
	a.host.InLoop(ctx, func() {
		l := a.archive.Load()
		use.Items, use.Bytes = l.Items, l.Bytes
	})
	return use
}

func (a *Archive) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, shared.ErrNoRoom) {
		a.log.Error("the archive does not get on", "error", err)
	}
}

var (
	_ archive.Store       = (*itemStore)(nil)
	_ archive.Verifier    = verifier{}
	_ archive.LocalSource = passed{}
	_ feedtree.Archive    = (*Archive)(nil)
)
