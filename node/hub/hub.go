// Package hub makes the node a WebSub hub for the public channels that it watches, or may watch.
//
// The account tidings.HubSubscriber follows the topics that have subscriptions, so that they are polled. A topic
// without subscribers is no longer followed. A subscriber gets the document as received. Without one, it gets the feed
// that package delivery/proxy makes. That is so if another node found the change, its publisher pushed it, or an item
// is under embargo. It is also so for the node's own feeds of channels.
package hub

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/delivery/proxy"
	"tidings/delivery/websub"
	"tidings/egress"
	"tidings/source"
	"tidings/store/content"
	store "tidings/store/outbox"
)

// Mode says what can be subscribed to.
type Mode string

const (
	Off    Mode = "off"    // there is no hub
	Listed Mode = "listed" // to the public channels that people at this node follow
	Open   Mode = "open"   // to any public feed or page
)

// Path is where the hub is, below the node's public address.
const Path = "/hub"

// Bounds on the hub's topics and on a sweep.
const (
	// MaxTopics is how many channels the hub's account follows.
	MaxTopics = 5000

	sweepEvery = time.Minute
	sweepSize  = 500              // subscriptions that a step removes
	graceTime  = 10 * time.Minute // before a topic without subscriptions is left: a request may be under way
	firstPoll  = 50 * time.Second // within which the first poll of a topic is waited for
)

// Store keeps subscriptions.
type Store interface {
	websub.Store
	HubSubscriptions(ctx context.Context, url string, after int64, limit int) ([]tidings.HubSubscription, error)
	ExpireHub(ctx context.Context, limit int) (int, error)
	HubChannels(ctx context.Context) ([]store.HubChannel, error)
	HubCounts(ctx context.Context) (tidings.HubStatus, error)
	HubFollowers(ctx context.Context, url string) (hub bool, others int, err error)
}

// Content is what is known of channels.
type Content interface {
	Watch(ctx context.Context, url string) (content.Watch, error)
	Document(ctx context.Context, url string) (document []byte, contentType string, err error)
}

// Channels are what people here follow, and the hub's account.
type Channels interface {
	SubscribeLater(ctx context.Context, account tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error
}

// Scheduler polls.
type Scheduler interface {
	Now(ctx context.Context, url, why string) (source.Result, error)
	Check(url, why string) bool
}

// Config says what a hub works with.
type Config struct {
	Mode      Mode // not Off
	PublicURL string
	Account   tidings.AccountID // that of tidings.HubSubscriber
	Signature websub.Method
	Lab       bool // private addresses count as public

	Store     Store
	Content   Content
	Channels  Channels
	Scheduler Scheduler
	Feeds     proxy.Store

	Guard     egress.Guard // of connections to callbacks
	UserAgent string
	Log       *slog.Logger
}

// Hub is a node's hub. Its methods may be called by many goroutines at once.
type Hub struct {
	config   Config
	protocol *websub.Hub

	mu   sync.Mutex
	kept map[string]bool // channels with kept documents
}

// New returns a hub that does nothing before Run.
func New(c Config) *Hub {
	h := &Hub{config: c, kept: make(map[string]bool)}
	h.protocol = websub.New(websub.Config{
		Store: keeping{c.Store, h}, Topics: h, URL: c.PublicURL + Path,
		Guard: c.Guard, Signature: c.Signature, UserAgent: c.UserAgent, Logger: c.Log,
	})
	return h
}

// Handler answers requests at Path.
func (h *Hub) Handler() http.Handler { return h.protocol }

// Status returns what the hub does.
func (h *Hub) Status(ctx context.Context) (tidings.HubStatus, error) {
	s, err := h.config.Store.HubCounts(ctx)
	s.Mode, s.URL = string(h.config.Mode), h.config.PublicURL+Path
	return s, err
}

// Send delivers to a subscription; it is an [outbox.Sender].
func (h *Hub) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	return h.protocol.Send(ctx, t, m)
}

var errByHand = tidings.Invalidf("the subscribers of the hub are added by their own requests, and by nobody else")

// Validate refuses all: subscribers ask the hub itself.
func (h *Hub) Validate(tidings.Target) error { return errByHand }

// Preview refuses all.
func (h *Hub) Preview(tidings.Target, outbox.Message) (notify.Sample, error) {
	return notify.Sample{}, errByHand
}

// KeepsDocument reports whether the documents of a channel are delivered.
func (h *Hub) KeepsDocument(url string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept[url]
}

func (h *Hub) keep(url string, keeps bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if keeps {
		h.kept[url] = true
	} else {
		delete(h.kept, url)
	}
}

// Recall reads which channels have subscriptions, before the first poll.
func (h *Hub) Recall(ctx context.Context) error {
	all, err := h.config.Store.HubChannels(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		h.keep(c.URL, c.Subscriptions > 0)
	}
	return nil
}

// Run verifies requests, and removes what has ended, until ctx is done.
func (h *Hub) Run(ctx context.Context) {
	var protocol sync.WaitGroup
	defer protocol.Wait()
	protocol.Go(func() { h.protocol.Run(ctx) })
	every := time.NewTicker(sweepEvery)
	defer every.Stop()
	for {
		if err := h.Sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			h.config.Log.Error("ended subscriptions at the hub were not removed; trying again in a minute", "error",
				err)
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes subscriptions with ended leases, and ends those to topics that no longer accept any. Then it makes the
// hub's account follow exactly the topics that are left. Run calls it each minute.
func (h *Hub) Sweep(ctx context.Context, now time.Time) error {
	for removed := sweepSize; removed == sweepSize; {
		var err error
		if removed, err = h.config.Store.ExpireHub(ctx, sweepSize); err != nil {
			return err
		}
	}
	all, err := h.config.Store.HubChannels(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		switch {
		case c.Subscriptions == 0:
			h.keep(c.URL, false)
			if c.Since.IsZero() || now.Sub(c.Since) < graceTime {
				continue
			}
			err = h.config.Channels.Unsubscribe(ctx, h.config.Account, c.URL)
		case c.Since.IsZero(): // it is not followed: a subscription came while it was left
			err = h.follow(ctx, c.URL)
		case c.Ended:
			err = h.end(ctx, c.URL, "the topic has ended: its server says that it is gone")
		case c.Others == 0 && h.config.Mode == Listed:
			err = h.end(ctx, c.URL, "nobody at this node follows the topic any more")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// end denies subscriptions to a channel, and removes them: as many as there is room for. The next sweep goes on.
func (h *Hub) end(ctx context.Context, url, reason string) error {
	all, err := h.config.Store.HubSubscriptions(ctx, url, 0, sweepSize)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !h.protocol.End(s, reason) {
			return nil
		}
		if err := h.config.Store.RemoveHubSubscription(ctx, websub.Key(s.Topic), websub.Key(s.Callback)); err != nil {
			return err
		}
	}
	return nil
}

// keeping is a store that has the documents of channels kept once they have subscriptions.
type keeping struct {
	Store
	hub *Hub
}

// PutHubSubscription implements [websub.Store].
func (k keeping) PutHubSubscription(
	ctx context.Context, topic, callback string, s tidings.HubSubscription, b tidings.HubBounds,
) error {
	err := k.Store.PutHubSubscription(ctx, topic, callback, s, b)
	if err == nil {
		k.hub.keep(s.Channel, true)
	}
	return err
}
