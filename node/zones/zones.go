package zones

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"sync/atomic"

	router "tidings/network"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/broadcast"
	"tidings/store/db"
	"tidings/store/shared"
	"tidings/view"
)

// Host is what the package asks of the node that it is a part of.
type Host interface {
	// Do runs f where the protocols live, and returns when it has. It returns an error if the network has stopped, or
	// ctx has ended, before.
	Do(ctx context.Context, f func()) error
	// Work has a worker run a job, and does not wait for it.
	Work(job func(context.Context))
	// Router returns by which router the network carries updates of channels. If that is not agreed yet, it is the one
	// with which the node was started.
	Router() (name router.RouterName, agreed bool)
	// Items reads the document of an order, and returns its items. Its errors say what is wrong with the document.
	Items(ctx context.Context, o view.ZoneSending) ([]Item, error)
	// Topics returns the topics of the items of a changeset of a channel, at most so many. It is called by workers.
	Topics(channel string, changeset []byte, most int) ([]string, error)
	// Published returns what a node without any of a topic's items may know of an item that this node publishes there.
	// That is the channel's URL, and topics of the item as Topics returns them. Of a channel that is not public it is
	// nothing. It is called by workers.
	Published(ctx context.Context, topic engine.ID, item *feedtree.Item, most int) (url string, topics []string)
	// Wants reports whether queries here may select from an event. The event is an update of a channel, an item that
	// was published, or one that was sent to a zone. It is called in the loop.
	Wants(event engine.Message) bool
	// Distrusts reports whether people here do not believe a node.
	Distrusts(id engine.ID) bool
	// Brought receives an update of a channel for which Wants returned true. It is called in the loop.
	Brought(u *corona.Update)
	// BroughtPush receives an item that its publisher has pushed, with its channel's URL. The host finds out the holder
	// of the key. It is called in the loop.
	BroughtPush(url string, item *feedtree.Item)
	// BroughtToZone receives an item that a node has sent to one of this node's zones, and signed. It is called in the
	// loop.
	BroughtToZone(to zone.Path, sender engine.ID, item *feedtree.Item)
}

// Item is an item of a document that is to be sent to a zone.
type Item struct {
	ID, Title string
	Entry     []byte // a changeset with the item alone
}

// Config is the node's identity, and its settings at its start. All but Order is needed.
type Config struct {
	Key   ed25519.PrivateKey // the node's; what it sends to zones is signed with that
	Codec *engine.Codec      // of newswire's messages
	Order view.ZoneOrder     // the zone that was set at its start; it has precedence over a saved one, and is not saved

	Changed  *broadcast.Broadcast // is rung when Membership differs; rings when Router may
	Shared   *shared.Store
	Settings *db.DB
	Log      *slog.Logger
}

// Zones is the node's place in the zones. Its methods are safe for concurrent use, but for those that are called in the
// loop.
type Zones struct {
	host   Host
	config Config
	log    *slog.Logger
	self   engine.ID

	told       told
	forwarding *forwarding
	times      sendTimes
	topics     atomic.Pointer[[]engine.ID] // that queries need, for the router; nil: not set yet

	router *Router // touched in the loop alone
}

// New returns the node's place as it was set and saved. The log of what it forwards goes on.
func New(ctx context.Context, host Host, c Config) (*Zones, error) {
	z := &Zones{host: host, config: c, log: c.Log, self: live.NodeID(c.Key.Public().(ed25519.PublicKey))}
	if err := z.recall(ctx); err != nil {
		return nil, err
	}
	z.forwarding = recallForwarding(ctx, host, c)
	return z, nil
}

// Parts are what the router needs of the rest of the node.
type Parts struct {
	Ring        *pastry.Node
	Keys        engine.Keys
	Coordinates astrolabe.Coordinates
	Updates     corona.TreeMember // receives the updates of channels that come
	Others      router.Member     // receives the other events of topics, from publishers and volunteers
	// Taken is called with nodes that have what this one has published.
	Taken func(topic engine.ID, event engine.Message, by engine.Peer)
}

// Start makes the router on a ring, with the zones under it, and puts both on the node's stack.
func (z *Zones) Start(env engine.Env, p Parts, stack *engine.Stack) *Router {
	z.router = z.newRouter(env, p)
	z.router.addTo(stack)
	return z.router
}

// Want requests from the network, from now on, events with any of the topics, and no others. It does not wait for that.
func (z *Zones) Want(topics []string) {
	ids := make([]engine.ID, len(topics))
	for i, topic := range topics {
		ids[i] = topicID(topic)
	}
	z.topics.Store(&ids)
	z.host.Work(func(ctx context.Context) { // workers may change places: each sends the latest
		z.do(ctx, func() { z.router.selectTopics(*z.topics.Load()) })
	})
}

// Agreed notes by which router the network carries updates; it is called in the loop.
func (z *Zones) Agreed(by router.RouterName) { z.router.agreed(by == router.NewsWire) }

// Path returns the node's zone. Not placed: it is looking for one, or has no part in zones. It is called in the loop.
func (z *Zones) Path() (p zone.Path, placed bool) {
	if z.router.zones == nil {
		return "", false
	}
	return z.router.zones.Path()
}

// do runs f in the loop; after the network has stopped it runs nothing.
func (z *Zones) do(ctx context.Context, f func()) {
	if err := z.host.Do(ctx, f); err != nil && ctx.Err() == nil {
		z.log.Debug("the network did not answer", "error", err)
	}
}

// ask is Do with an error that says what was being done.
func (z *Zones) ask(ctx context.Context, f func()) error {
	if err := z.host.Do(ctx, f); err != nil {
		return fmt.Errorf("asking the network: %w", err)
	}
	return nil
}

// order is ask for changes in the network.
func (z *Zones) order(ctx context.Context, f func()) error {
	if err := z.host.Do(ctx, f); err != nil {
		return fmt.Errorf("telling the network: %w", err)
	}
	return nil
}

// topicID is the topic of news items among the router's topics. Those of channels are hashes of their URLs, which do
// not begin so.
func topicID(topic string) engine.ID { return engine.IDOf([]byte("tidings news topic\x00" + topic)) }
