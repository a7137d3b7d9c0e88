package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/node/broadcast"
	"tidings/store"
)

// archiving is the node's part in the network's archive of published items. It stands between the archive,
// which lives in the host's loop and must not wait, and the store, which makes it wait. Its work is done by
// the workers of sharing.
type archiving struct {
	node *Node

	// Set before the loop starts, and used in it alone.
	archive *archive.Node
	ring    *pastry.Node
	tree    *scribe.Node

	fresh *broadcast.Broadcast // rings when there is something to be put into the archive

	mu sync.Mutex
	// writes are what the store is to do, in this order but for puts that follow each other: what has to go for an item
	// goes before it comes. The archive bounds the bytes of items among them.
	writes []archiveWrite
}

// archiveWrite is something that the store is to do.
type archiveWrite struct {
	do  func(context.Context)
	put bool // it keeps an item
}

// maxPutting is how many items are kept at a time: they share the store's transactions.
const maxPutting = 64

func newArchiving(n *Node) *archiving { return &archiving{node: n, fresh: broadcast.New()} }

// start makes the node's archive on a ring; it is called in the host's loop.
func (a *archiving) start(env engine.Env, ring *pastry.Node, stack *engine.Stack) {
	a.ring = ring
	a.archive = archive.New(env, ring, judge{}, a, a.node.config.archive())
	a.archive.OnLied(a.lied)
	ring.Handle(engine.Archive, a.archive)
	stack.Add(engine.Archive, a.archive)
}

// lied cuts off a peer that has given what only a liar can have.
func (a *archiving) lied(e archive.Lied) {
	if e.Proven {
		host{a.node}.Refuse(e.From, "it gave an item out of the archive that its publisher has not signed")
	}
}

// use has the archive take from a tree what has just come down it; it is called in the host's loop, after start.
func (a *archiving) use(tree *scribe.Node) {
	a.tree = tree
	a.archive.Use(a)
}

// Local implements archive.LocalSource; it is called in the loop. What a tree keeps FeedTree has verified.
func (a *archiving) Local(name archive.Name) []byte {
	item, ok := a.tree.Kept(name.Topic, func(event engine.Message) bool {
		item, ok := event.(*feedtree.Item)
		return ok && item.Number == name.Number
	}).(*feedtree.Item)
	if !ok {
		return nil
	}
	bytes, err := item.MarshalBinary()
	if err != nil {
		return nil
	}
	return bytes
}

// archive returns how much the node keeps for others.
func (c Config) archive() archive.Config {
	own := archive.Default()
	own.MaxBytes = c.ArchiveQuota
	own.MaxTopicBytes = min(own.MaxTopicBytes, own.MaxBytes)
	return own
}

func (a *archiving) limits() store.ArchiveLimits {
	own := a.node.config.archive()
	return store.ArchiveLimits{Bytes: own.MaxBytes, TopicBytes: own.MaxTopicBytes, Items: own.MaxItems}
}

// judge tells which items are genuine: those that the holder of a key of the topic has signed, for that number.
type judge struct{}

// Genuine implements archive.Verifier. What an item says of the time is not held against any clock: all nodes
// must judge alike. Readers do that.
func (judge) Genuine(name archive.Name, bytes []byte) bool {
	var item feedtree.Item
	if item.UnmarshalBinary(bytes) != nil || item.Number != name.Number {
		return false
	}
	return item.Verify(name.Topic, time.UnixMilli(item.Time), 0) == nil
}

// Forged implements archive.Verifier: an item that can be read, of that number, which the topic's key has not signed.
func (judge) Forged(name archive.Name, bytes []byte) bool {
	var item feedtree.Item
	if item.UnmarshalBinary(bytes) != nil || item.Number != name.Number {
		return false
	}
	err := item.Verify(name.Topic, time.UnixMilli(item.Time), 0)
	return errors.Is(err, feedtree.Forged) || errors.Is(err, feedtree.WrongKey)
}

// write has the store do something, after all that it was to do before.
func (a *archiving) write(w archiveWrite) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.writes = append(a.writes, w); len(a.writes) == 1 {
		a.node.coop.Work(a.writeAll)
	}
}

func (a *archiving) writeAll(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		some := a.next()
		var writing sync.WaitGroup
		for _, w := range some {
			writing.Go(func() { w.do(ctx) })
		}
		writing.Wait()
		a.mu.Lock()
		a.writes = slices.Delete(a.writes, 0, len(some))
		more = len(a.writes) > 0
		a.mu.Unlock()
	}
}

// next returns what the store can do next at the same time: one thing, or puts that follow each other.
func (a *archiving) next() []archiveWrite {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 1
	for a.writes[0].put && n < min(len(a.writes), maxPutting) && a.writes[n].put {
		n++
	}
	return slices.Clone(a.writes[:n])
}

// Put implements archive.Store; it is called in the loop.
func (a *archiving) Put(item archive.Held, bytes []byte, kept func(ok bool)) {
	given := store.Archived{Key: item.Name.Key(), Topic: item.Name.Topic, Number: item.Name.Number, Print: item.Print}
	a.write(archiveWrite{put: true, do: func(ctx context.Context) {
		err := a.node.store.PutArchived(ctx, given, bytes, a.limits())
		a.complain(ctx, err)
		a.inLoop(ctx, func() { kept(err == nil) })
	}})
}

// Drop implements archive.Store; it is called in the loop.
func (a *archiving) Drop(names []archive.Name) {
	keys := make([]store.Point, 0, len(names))
	for _, name := range names {
		keys = append(keys, name.Key())
	}
	a.write(archiveWrite{do: func(ctx context.Context) { a.complain(ctx, a.node.store.DropArchived(ctx, keys)) }})
}

// Get implements archive.Store; it is called in the loop. What a disk has damaged is not there: whoever sent it would
// pass for a liar.
func (a *archiving) Get(name archive.Name, got func(bytes []byte)) {
	a.node.coop.Work(func(ctx context.Context) {
		bytes, err := a.node.store.ArchivedItem(ctx, name.Key())
		a.complain(ctx, err)
		if bytes != nil && !(judge{}).Genuine(name, bytes) {
			a.node.log.Error("an item of the archive is damaged", "topic", name.Topic, "number", name.Number)
			bytes = nil
		}
		a.inLoop(ctx, func() { got(bytes) })
	})
}

// List implements archive.Store; it is called in the loop. A store that cannot be read is asked again: what
// is taken for an empty shelf would be filled anew.
func (a *archiving) List(after *engine.ID, most int, listed func(items []archive.Held)) {
	var from *store.Point
	if after != nil {
		from = new(store.Point)
		*from = *after
	}
	a.node.coop.Work(func(ctx context.Context) {
		page, err := a.node.store.Archived(ctx, from, most)
		if err != nil {
			a.complain(ctx, err)
			time.AfterFunc(keepAgain, func() { a.List(after, most, listed) })
			return
		}
		items := make([]archive.Held, 0, len(page))
		for _, i := range page {
			items = append(items, archive.Held{Name: archive.Name{Topic: i.Topic, Number: i.Number}, Size: uint32(i.Size), Print: i.Print})
		}
		a.inLoop(ctx, func() { listed(items) })
	})
}

// Find implements feedtree.Archive; it is called in the loop. Who asks before the node is among others is answered
// that nobody has it.
func (a *archiving) Find(topic engine.ID, number uint64, found func(*feedtree.Item)) {
	a.archive.Find(archive.Name{Topic: topic, Number: number}, func(bytes []byte, err error) {
		item := new(feedtree.Item)
		if err != nil || item.UnmarshalBinary(bytes) != nil {
			item = nil
		}
		found(item)
	})
}

func (a *archiving) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrNoRoom) {
		a.node.log.Error("the archive does not get on", "error", err)
	}
}

// inLoop runs f where the archive lives. After the network has stopped nothing runs.
func (a *archiving) inLoop(ctx context.Context, f func()) { a.node.coop.InLoop(ctx, f) }

// keeping tells what is kept for the network, and how much may be.
func (a *archiving) keeping(ctx context.Context) tidings.StorageUse {
	if a == nil {
		return tidings.StorageUse{}
	}
	l := a.load(ctx)
	return tidings.StorageUse{Items: l.Items, Bytes: l.Bytes, Quota: a.node.config.ArchiveQuota}
}

func (a *archiving) load(ctx context.Context) (l archive.Load) {
	a.inLoop(ctx, func() { l = a.archive.Load() })
	return l
}

var (
	_ archive.Store       = (*archiving)(nil)
	_ archive.Verifier    = judge{}
	_ archive.LocalSource = (*archiving)(nil)
	_ feedtree.Archive    = (*archiving)(nil)
)
