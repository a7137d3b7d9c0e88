package node

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"tidings/delivery/api"
	downloads "tidings/delivery/files"
	"tidings/delivery/metrics"
	"tidings/delivery/xmpp"
	"tidings/network/agreed"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/backup"
	"tidings/node/broadcast"
	"tidings/node/channels"
	"tidings/node/coop"
	"tidings/node/diskspace"
	"tidings/node/files"
	"tidings/node/filters"
	"tidings/node/fulltext"
	"tidings/node/history"
	"tidings/node/hub"
	"tidings/node/identity"
	"tidings/node/keyring"
	"tidings/node/member"
	"tidings/node/origins"
	"tidings/node/owner"
	"tidings/node/phones"
	"tidings/node/publish"
	"tidings/node/push"
	"tidings/node/queries"
	"tidings/node/routing"
	"tidings/node/servers"
	"tidings/node/trust"
	"tidings/node/zones"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/page"
	"tidings/source/websub"
	"tidings/store"
	"tidings/store/db"
	"tidings/view"
)

// Version is the program's, as it stands in the User-Agent and on the page.
const Version = "0.1.0"

// Node is one running Tidings.
type Node struct {
	// The parts that people ask through the node; set by Run.
	*channels.Channels
	*history.Reader
	publishing
	pinning
	querying
	filing
	trusting

	config  Config
	log     *slog.Logger
	started time.Time
	key     ed25519.PrivateKey
	id      string
	miner   *identity.Miner  // makes another key; nil: this one will do, or the node is set to work alone
	keys    *keyring.Keyring // of publishers and zones
	backups *backup.Maker

	store    *store.Store
	poller   *source.Poller
	watcher  *source.Scheduler
	queries  *queries.Queries
	wake     *broadcast.Broadcast
	metrics  *metrics.Metrics
	origins  *origins.Origins
	entrance *channels.Entrance
	coop     *coop.Coop   // polls together with others; nil: it polls alone
	pushes   *push.Pushes // publishers that push; nil: it works alone
	trust    *trust.Trust // in other nodes

	archive     *history.Archive     // keeps published items for the network; nil: it works alone
	files       *files.Files         // fetches and lends larger files; nil: it works alone
	subscriber  *websub.Subscriber   // at the hubs of channels; nil: they cannot reach the node
	hub         *hub.Hub             // delivers to subscribers of WebSub; nil: it does not
	publisher   *publish.Publisher   // what this node publishes; nil: it is set to work alone
	member      *member.Member       // keeps this node among others; nil: it works alone
	connections *live.Host           // to other nodes; nil: there are none yet
	ring        *pastry.Node         // of the nodes; nil: there is none yet; touched in the loop
	carried     *agreed.Router       // by which what is not of polled channels is carried; touched in the loop
	routing     *routing.Routing     // by which routers updates come; nil: it works alone
	zones       *zones.Zones         // the node's place in the zones; nil: it works alone
	changed     *broadcast.Broadcast // rings when Network differs

	disk *diskspace.Gauge

	fullText *fulltext.Reader // of the pages that items link to

	chat *xmpp.Bot // by which people subscribe in chat; nil: there is none

	ready   chan struct{}
	servers *servers.Servers // set before ready is closed
}

// What people request of several parts. For those that a node which works alone does not have, others stand in, or nil
// answers.
type (
	publishing interface{ api.Publisher }
	pinning    interface{ api.Truster }
	querying   interface{ api.Querier }
	filing     interface {
		api.Files
		downloads.Source
	}
	trusting interface {
		api.Republishers
		Republisher(ctx context.Context, node string) (view.Republisher, error)
	}
)

// New returns a node that has not been started, or says what is wrong with c.
func New(c Config) (*Node, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	n := &Node{
		config: c, log: c.Logger, keys: keyring.In(c.Data), wake: broadcast.New(), changed: broadcast.New(),
		disk: diskspace.New(), ready: make(chan struct{}),
	}
	n.backups = backup.New(c.Data, n.disk.Free,
		func(ctx context.Context, file string, noKeys bool) (view.Backup, error) {
			return n.keys.Backup(ctx, n.store.DB, file, noKeys)
		})
	n.metrics = metrics.New(n, c.Logger)
	return n, nil
}

// Ready is closed when the node serves all its interfaces.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// URL returns the address of the page. It is known once Ready is closed.
func (n *Node) URL() string { return n.servers.Address }

// Wake returns a channel that is closed when the next update has been stored. To miss none, call it before reading the
// store.
func (n *Node) Wake() <-chan struct{} { return n.wake.Wait() }

// Backup copies everything while the node goes on. The publishers' keys are included unless others could read them
// there. The caller reads and closes it.
func (n *Node) Backup(ctx context.Context, o view.BackupOrder) (view.Backup, io.ReadCloser, error) {
	return n.backups.Make(ctx, o)
}

// Run starts the node. It returns when ctx has ended and everything is saved, or when an essential part failed;
// [ErrNewIdentity] if the node is to be restarted. A node runs once.
func (n *Node) Run(ctx context.Context) (err error) {
	n.started = time.Now()
	if err := n.serving().Try(ctx); err != nil {
		return err
	}
	if err := n.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	n.publishing, n.pinning, n.filing, n.querying, n.trusting = publish.Alone{Store: n.store.Published,
		Settings: n.store.DB}, push.Alone{}, n.files, n.queries, n.trust
	if !n.worksAlone() {
		n.coop, n.pushes, n.archive, n.files = n.newCoop(), n.newPushes(),
			history.NewArchive(host{n}, historyConfig(n)), n.newFiles()
		if n.publisher, err = n.newPublisher(n.files); err != nil {
			return err
		}
		n.publishing, n.pinning, n.filing = n.publisher, n.pushes, n.files
		if err := n.openZones(ctx); err != nil {
			return err
		}
	}
	if n.miner != nil {
		if n.publisher, err = n.newPublisher(n.newFiles()); err != nil {
			return err
		}
		n.publishing = n.publisher
	}
	n.Reader = history.NewReader(host{n}, n.archive, historyConfig(n))
	n.Channels = n.newChannels()
	if err := errors.Join(n.openHub(ctx), n.openSubscriber(ctx), n.openChat()); err != nil {
		return err
	}
	if err := n.recall(ctx); err != nil {
		return err
	}
	if err := n.joinOthers(ctx); err != nil {
		return err
	}
	if n.fullText, err = n.newFullText(); err != nil {
		return err
	}
	serving := n.serving()
	serving.Store = files.NewLibrary(n.store, n.files)
	serving.Users = n.store.Identities
	notifications, err := n.newNotifications(ctx)
	if err != nil {
		return err
	}
	serving.Notify = notifications
	serving.Poster, serving.Filters = n.newPosts(), filters.New(n.store.Filters, n.store)
	serving.Marks = store.NewMarks(n.store)
	library := phones.New(store.NewArticles(n.store), n.Channels, n.fullText, time.Now)
	serving.Library = library
	pictures, endPictures, err := n.openPictures()
	if err != nil {
		return err
	}
	defer endPictures()
	if serving.Pictures = pictures; pictures != nil {
		library.ShowIcons(pictures, n.store.Chosen)
	}
	if serving.Media, err = n.newMedia(); err != nil {
		return err
	}
	if n.servers, err = servers.Open(ctx, serving); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var parts sync.WaitGroup
	defer n.awaitParts(&parts)
	defer cancel(nil)
	parts.Go(func() { n.watcher.Run(ctx) })
	parts.Go(func() { n.housekeep(ctx) })
	parts.Go(func() { n.rest(ctx) })
	parts.Go(func() { n.fullText.Run(ctx) })
	parts.Go(func() { n.queries.Run(ctx) })
	parts.Go(func() { n.Channels.ReleaseEmbargoed(ctx) })
	parts.Go(func() { n.Channels.FollowUp(ctx) })
	parts.Go(func() { n.deliver(ctx, notifications) })
	if n.hub != nil {
		parts.Go(func() { n.hub.Run(ctx) })
	}
	if n.subscriber != nil {
		parts.Go(func() { n.subscriber.Run(ctx) })
	}
	if n.member != nil {
		parts.Go(func() { n.coop.Run(ctx) })
		parts.Go(func() { n.publisher.Run(ctx) })
		parts.Go(func() { n.archive.Run(ctx) })
		parts.Go(func() { n.files.Run(ctx) })
		n.coop.Begin()
		n.pushes.Begin()
		parts.Go(func() {
			n.member.Run(ctx)
			n.member.Close() // while the interfaces wait for answers under way: each may need seconds
		})
	}
	if n.miner != nil {
		parts.Go(func() { n.mine(ctx, cancel) })
	}
	close(n.ready)
	if err = n.servers.Serve(ctx); err == nil && errors.Is(context.Cause(ctx), ErrNewIdentity) {
		err = ErrNewIdentity
	}
	return err
}

// open locks the data directory and makes what polls need.
func (n *Node) open(ctx context.Context) (err error) {
	settings := store.Default(n.config.Data)
	settings.Logger, settings.Retention = n.log, n.config.Keep
	settings.ReaderSubscriptions, settings.ReaderStarred = n.config.ReaderSubscriptions, n.config.ReaderStarred
	settings.Conditions = filters.Language{}
	settings.Retention.Guests = 2 * n.config.corona().Maintenance
	if !n.config.New {
		if err := db.Emptied(n.config.Data, identity.KeyFile); err != nil {
			return err
		}
	}
	if n.store, err = store.Open(ctx, settings); err != nil {
		return owner.WithOwner(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.store.Close())
		}
	}()
	if err := n.backups.Clean(); err != nil {
		n.log.Warn("what is left of a backup could not be removed", "error", err)
	}
	if err = n.keys.Restore(ctx, n.store.DB, n.log); err != nil {
		return err
	}
	if err = n.identify(ctx); err != nil {
		return owner.WithOwner(err)
	}
	n.startMiner()
	if n.trust, err = trust.Load(ctx, n, n.store.Content, n.store.Pushed, n.id); err != nil {
		return err
	}
	if n.origins, err = origins.Open(ctx, n.store.DB, n.config.fetching()); err != nil {
		return err
	}
	feeds := feed.Default()
	feeds.MaxBytes = max(feeds.MaxBytes, int(n.config.BodyLimit))
	n.poller = &source.Poller{
		Fetch: n.origins.Fetch, FetchGuest: n.origins.FetchGuest, Library: n.store.Content, Plan: n.config.plan(),
		NodeID: n.id,
		Feed:   feeds, Page: page.Default(), Again: n.config.again(),
	}
	n.queries = queries.New(queriesHost{n}, n.store.Content, n.store.DB, feeds, n.log)
	n.watcher = source.NewScheduler(n.poller.Poll, n, n.config.schedule(), n.log)
	n.entrance = &channels.Entrance{Store: n.store, Scheduler: n.watcher, Stored: n.wake.Ring}
	return nil
}

// awaitParts waits until all parts have ended. Where the disk does not answer it goes on without those that wait for
// it.
func (n *Node) awaitParts(parts *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() { parts.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return
		case <-time.After(partsPatience):
			if errors.Is(n.store.DB.Trouble(), db.ErrHung) {
				n.log.Error("the disk does not answer; the node stops without what waits for it")
				return
			}
		}
	}
}

func (n *Node) close() error {
	if n.member != nil {
		n.member.Close()
	}
	saving, cancel := context.WithTimeout(context.Background(), saveWithin)
	defer cancel()
	if n.publisher != nil {
		_ = n.publisher.Close() // no more has it
	}
	return errors.Join(n.origins.Save(saving), n.saveCoop(saving), n.origins.Close(), n.store.Close())
}

// joinOthers starts the node's part among other nodes, unless it is to work alone.
func (n *Node) joinOthers(ctx context.Context) (err error) {
	if n.worksAlone() {
		return nil
	}
	return n.joinNetwork(ctx)
}

// recall loads the followed channels, and what is known of them.
func (n *Node) recall(ctx context.Context) error {
	watches, err := n.store.Content.Watches(ctx)
	if err != nil {
		return err
	}
	if n.coop != nil {
		if err := n.coop.Recall(ctx, watches); err != nil {
			return err
		}
		if err := n.pushes.Recall(ctx); err != nil {
			return err
		}
	}
	n.Recall(watches)
	return n.queries.Refresh(ctx)
}

var _ source.Sink = (*Node)(nil)
