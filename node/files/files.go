package files

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/node/broadcast"
	"tidings/node/workerpool"
	"tidings/store/large"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/view"
)

// Host is what file transfer needs of its node.
type Host interface {
	// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
	InLoop(ctx context.Context, f func())
	// Refuse cuts off a peer that has been proven to lie. It is called in the loop.
	Refuse(liar engine.Peer, why string)
}

// Config says what is transferred, and where it is kept.
type Config struct {
	// Quota is how many bytes are kept, of what is fetched and of what is published here; 0: nothing is.
	Quota int64
	// Rate is how many bytes a second other nodes are sent, on average.
	Rate int64
	// Path returns where people download a file on the node's page.
	Path func(ref, name string) string

	Large     *large.Store     // the contents
	Pushed    *pushed.Store    // which items carry them
	Published *published.Store // which are this node's
	Logger    *slog.Logger
}

// maxBurst bounds what is lent at once, in bytes.
const maxBurst = 64 << 20

// pieces returns how much the node fetches and lends.
func (c Config) pieces() pieces.Config {
	own := pieces.Default()
	own.MaxLength = max(1, min(own.MaxLength, c.Quota))
	own.ServeRate, own.ServeBurst = int(c.Rate), int(min(4*c.Rate, maxBurst))
	own.MaxFetches = maxFetching
	return own
}

// Files are the files of items at a node. They stand between pieces.Node and the store. pieces.Node lives in the host's
// loop and must not wait; the store makes it wait.
//
//	a file beside a feed ──▶ store: pieces ──▶ pieces.Announce ──▶ owners: the nodes closest to the Ref know who has it
//	      │ its Ref, signed with the item                             │ Providers
//	      ▼                                                           ▼
//	an item is stored ──▶ catalog: which files are wanted ──▶ pieces.Fetch: from several nodes, each piece checked
//	                                                                  │
//	readers ◀── described when an item is read, downloaded ◀── store: pieces, within the quota
//
// Nothing that lenders or owners say has to be believed, as the Ref is signed. The state of a file is kept beside the
// items, and added when a person reads. So an item that a poll has found first has its file nevertheless.
type Files struct {
	host      Host
	config    Config
	large     *large.Store
	pushed    *pushed.Store
	published *published.Store

	pieces *pieces.Node // set by Start, and used in the loop alone

	workers    *workerpool.Pool     // read and write pieces; others that the network waits for do not wait behind them
	more       *broadcast.Broadcast // rings when there may be something to fetch
	catalog    *catalog
	publishing publishing
	hashed     hashes
}

// workerCount is how many workers there are. They wait for the disk.
const workerCount = 4

// New returns the files of a node. Nothing is fetched or lent before Start and Run.
func New(host Host, c Config) *Files {
	return &Files{
		host: host, config: c, large: c.Large, pushed: c.Pushed, published: c.Published,
		workers: workerpool.New(workerCount), more: broadcast.New(),
		catalog: newCatalog(c.Quota, c.Path), hashed: hashes{of: make(map[version]pieces.Ref)},
	}
}

// Start makes the node's part of the protocol on a ring; it is called in the host's loop.
func (f *Files) Start(env engine.Env, ring *pastry.Node, stack *engine.Stack) {
	f.pieces = pieces.New(env, ring, &blockStore{files: f, manifests: newManifests(f.large)}, f.config.pieces())
	f.pieces.OnCame(func(e pieces.Came) { f.catalog.progress(e.Ref, e.Have, e.Of) })
	f.pieces.OnLied(func(e pieces.Lied) {
		if e.Proven {
			f.host.Refuse(e.From, "it gave a false piece of a file")
		}
	})
	ring.Handle(engine.Pieces, f.pieces.Routed())
	stack.Add(engine.Pieces, f.pieces)
}

const (
	// retryCheck is how often contents that are due for another try are looked for.
	retryCheck = 5 * time.Second
	// tidyEvery is how often unwanted content is removed.
	tidyEvery = time.Hour
)

// Run fetches what is wanted until ctx ends.
func (f *Files) Run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { f.workers.Run(ctx) })
	f.recall(ctx)
	again := time.NewTicker(retryCheck)
	defer again.Stop()
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	for ctx.Err() == nil {
		more := f.more.Wait() // before the check
		f.fetchSome(ctx)
		select {
		case <-ctx.Done():
		case <-more:
		case <-again.C:
		case <-tidy.C:
			f.recall(ctx)
		}
	}
}

// Want has the files of an item of a channel be fetched, which was just stored.
func (f *Files) Want(channel string, files []tidings.File) {
	if len(files) > 0 {
		f.catalog.want(channel, files, time.Now())
		f.more.Ring()
	}
}

// Usage returns how much is kept; nothing where the node works alone.
func (f *Files) Usage() view.StorageUse {
	if f == nil {
		return view.StorageUse{}
	}
	items, bytes := f.catalog.size()
	return view.StorageUse{Items: items, Bytes: bytes, Quota: f.config.Quota}
}

// complain logs what went wrong, unless that is no fault of this node.
func (f *Files) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, large.ErrNoRoom) && !errors.Is(err, tidings.ErrNotFound) {
		f.config.Logger.Error("files of items do not get on", "error", err)
	}
}
