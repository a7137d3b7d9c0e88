package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/node/broadcast"
	"tidings/node/workerpool"
	"tidings/store"
)

// piecing fetches the larger files that items carry from other nodes, keeps them within Config.FilesQuota, and lends
// them and what was published here. It stands between pieces, which lives in the host's loop and must not wait, and
// the store, which makes it wait.
type piecing struct {
	node *Node

	// Set before the loop starts, and used in it alone.
	pieces *pieces.Node

	workers *workerpool.Pool     // reads and writes pieces; others that the network waits for do not wait behind them
	more    *broadcast.Broadcast // rings when there may be something to fetch

	mu       sync.Mutex
	contents map[pieces.Ref]*held
	carried  map[string]map[string]store.ItemFile // by channel and URL
	hashed   map[publishedFile]pieces.Ref         // files that were read to be published, as they were then
	came     int                                  // pieces that others have sent since the start
	lies     int                                  // false ones
	// While anything is being published, what nobody publishes is not looked for: a file is kept before the store
	// knows whose it is.
	publishing int    // how many are at it
	published  uint64 // how often somebody began, so that a check notices it
	untidy     bool   // a check was put off until they are done
	// manifests are those of contents of which pieces were sent of late.
	manifests map[pieces.Ref]*pieces.Manifest
}

// held is a file's bytes: here, in part or not so far. piecing.mu guards it.
type held struct {
	ref      pieces.Ref
	length   int64 // as published; once it is begun, as its manifest says
	have, of int   // pieces; of is 0 as long as it is not begun
	own      bool  // it was published here
	since    time.Time

	wanted   bool // by readers here, and not given up
	fetching bool
	tries    int       // in vain, since the start
	next     time.Time // when it is tried again
}

func (c *held) begun() bool { return c.of > 0 }
func (c *held) whole() bool { return c.of > 0 && c.have == c.of }

// piecers is how many workers there are. They wait for the disk.
const piecers = 4

func newPiecing(n *Node) *piecing {
	return &piecing{
		node: n, workers: workerpool.New(piecers), more: broadcast.New(), contents: make(map[pieces.Ref]*held),
		carried: make(map[string]map[string]store.ItemFile), hashed: make(map[publishedFile]pieces.Ref),
		manifests: make(map[pieces.Ref]*pieces.Manifest),
	}
}

// start makes the node's pieces on a ring; it is called in the host's loop.
func (p *piecing) start(env engine.Env, ring *pastry.Node, stack *engine.Stack) {
	p.pieces = pieces.New(env, ring, p, p.node.config.pieces())
	p.pieces.OnCame(p.hasCome)
	p.pieces.OnLied(p.lied)
	ring.Handle(engine.Pieces, p.pieces.Routed())
	stack.Add(engine.Pieces, p.pieces)
}

// pieces returns how much the node fetches and lends.
func (c Config) pieces() pieces.Config {
	own := pieces.Default()
	own.MaxLength = max(1, min(own.MaxLength, c.FilesQuota))
	own.ServeRate, own.ServeBurst = int(c.FilesRate), int(min(4*c.FilesRate, maxFilesBurst))
	own.MaxFetches = maxFetching
	return own
}

// maxFilesBurst bounds what is lent at once, in bytes.
const maxFilesBurst = 64 << 20

// run fetches what is wanted until ctx ends.
func (p *piecing) run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { p.workers.Run(ctx) })
	p.recall(ctx)
	again := time.NewTicker(piecingEvery)
	defer again.Stop()
	tidy := time.NewTicker(piecingTidy)
	defer tidy.Stop()
	for ctx.Err() == nil {
		more := p.more.Wait() // before the check
		p.fetchSome(ctx)
		select {
		case <-ctx.Done():
		case <-more:
		case <-again.C:
		case <-tidy.C:
			p.recall(ctx)
		}
	}
}

const (
	// piecingEvery is how often contents are looked for whose time has come to be tried again.
	piecingEvery = 5 * time.Second
	// piecingTidy is how often what nobody wants any more is removed.
	piecingTidy = time.Hour
)

// recall takes in what is kept and what is wanted, and removes what nobody wants any more, or there is no more room
// for.
func (p *piecing) recall(ctx context.Context) {
	err := p.recallKept(ctx)
	if err == nil {
		err = p.recallCarried(ctx)
	}
	if err == nil {
		err = p.tidy(ctx)
	}
	if err != nil && ctx.Err() == nil {
		p.node.log.Error("files of items are not known", "error", err)
	}
}

// recallKept takes in the contents that are kept, and lends them.
func (p *piecing) recallKept(ctx context.Context) error {
	var after *store.Ref
	for {
		page, err := p.node.store.LargeContents(ctx, after, 256)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, l := range page {
			if err := p.recallOne(ctx, l); err != nil {
				return err
			}
		}
		after = &page[len(page)-1].Ref
	}
}

func (p *piecing) recallOne(ctx context.Context, l store.Large) error {
	p.mu.Lock()
	known := p.contents[l.Ref] != nil && p.contents[l.Ref].begun()
	p.mu.Unlock()
	if known {
		return nil
	}
	manifest, places, err := p.node.store.OpenLarge(ctx, l.Ref)
	if err != nil {
		return err
	}
	m, err := pieces.ParseManifest(manifest)
	if err != nil {
		return p.node.store.DropLarge(ctx, l.Ref)
	}
	p.mu.Lock()
	c := p.of(l.Ref, l.Since)
	c.length, c.have, c.of, c.own = m.Length, len(places), m.Count(), l.Own
	p.mu.Unlock()
	if len(places) > 0 {
		p.inLoop(ctx, func() { p.pieces.Announce(l.Ref) })
	}
	return nil
}

// recallCarried takes in what readers here want.
func (p *piecing) recallCarried(ctx context.Context) error {
	files, err := p.node.store.ItemFiles(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.carried)
	for _, c := range p.contents {
		c.wanted = false
	}
	for _, f := range files {
		p.carry(f)
	}
	return nil
}

// carry takes in a file of a channel. The caller holds p.mu.
func (p *piecing) carry(f store.ItemFile) {
	if p.carried[f.Channel] == nil {
		p.carried[f.Channel] = make(map[string]store.ItemFile)
	}
	p.carried[f.Channel][f.URL] = f
	c := p.of(f.Ref, f.Since)
	if !c.begun() {
		c.length = f.Length
	}
	if f.Since.After(c.since) {
		c.since = f.Since
	}
	c.wanted = c.wanted || !f.GivenUp && p.node.config.FilesQuota > 0
}

// of returns a content, from now on if it was not known before. The caller holds p.mu.
func (p *piecing) of(ref pieces.Ref, since time.Time) *held {
	c := p.contents[ref]
	if c == nil {
		c = &held{ref: ref, since: since}
		p.contents[ref] = c
	}
	return c
}

// pushed takes in the files of an item that was just stored.
func (p *piecing) pushed(channel string, files []tidings.File) {
	if len(files) == 0 {
		return
	}
	p.mu.Lock()
	for _, f := range files {
		if was, ok := p.carried[channel][f.URL]; !ok || was.Ref != f.Ref {
			p.carry(store.ItemFile{File: f, Channel: channel, Since: time.Now()})
		}
	}
	p.mu.Unlock()
	p.more.Ring()
}

// hasCome counts a piece that has come; it is called in the loop.
func (p *piecing) hasCome(e pieces.Came) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.came++
	if c := p.contents[e.Ref]; c != nil {
		c.have, c.of = e.Have, e.Of
	}
}

// lied counts a source that has sent something false, and cuts it off where that is proven; it is called in the loop.
func (p *piecing) lied(e pieces.Lied) {
	p.mu.Lock()
	p.lies++
	p.mu.Unlock()
	if e.Proven {
		p.node.refuse(e.From, "it gave a false piece of a file")
	}
}

// keeping tells how much is kept.
func (p *piecing) keeping() (k tidings.StorageUse) {
	if p == nil {
		return k
	}
	k.Quota = p.node.config.FilesQuota
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.contents {
		if c.begun() {
			k.Items++
			k.Bytes += c.length
		}
	}
	return k
}

func (p *piecing) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrNoRoom) && !errors.Is(err, tidings.ErrNotFound) {
		p.node.log.Error("files of items do not get on", "error", err)
	}
}

// inLoop runs f where pieces live. After the network has stopped nothing runs.
func (p *piecing) inLoop(ctx context.Context, f func()) { p.node.coop.InLoop(ctx, f) }

// sorted returns contents, those of the latest items first. The caller holds p.mu.
func (p *piecing) sorted(want func(*held) bool) (list []*held) {
	for _, c := range p.contents {
		if want(c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *held) int {
		return cmp.Or(b.since.Compare(a.since), slices.Compare(a.ref[:], b.ref[:]))
	})
	return list
}
