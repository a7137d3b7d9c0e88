package websub

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tidings"
	"tidings/egress"
)

// Store keeps subscriptions, which are opaque to it.
type Store interface {
	HubStates(ctx context.Context) (map[string][]byte, error) // by the channel's URL
	PutHubState(ctx context.Context, channel string, state []byte) error
	RemoveHubState(ctx context.Context, channel string) error
}

// Scheduler polls channels.
type Scheduler interface {
	// Check has a channel polled out of its turn, and does not wait for that. It returns false if it is not under
	// watch, or its origin wants no poll now.
	Check(url, why string) bool
	// Has reports whether a channel is under watch.
	Has(url string) bool
}

// Config says what a Subscriber works with. All but the optional fields are needed.
type Config struct {
	Callback  string // URL at which callbacks are, with a slash at its end: each has a name of its own behind it
	Store     Store
	Scheduler Scheduler
	Guard     egress.Guard // of connections to hubs
	UserAgent string
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger     // nil: nothing is logged
}

// Bounds on work.
const (
	MaxChannels = 20_000           // with a subscription
	MaxPush     = 16 << 20         // bytes of a push
	pollPause   = 10 * time.Second // between polls of a channel for its pushes
	maxRequests = 4                // to hubs at a time
	maxLeaving  = 1000             // subscriptions that are ended, whose hubs may still ask
	tickEvery   = 5 * time.Second
	storeWithin = 30 * time.Second
	watchEvery  = time.Hour // between looks for channels that are watched no more
	strangers   = 100       // requests in a row to callbacks that there are not
)

// pushWhy is why a channel is polled after a push.
const pushWhy = "its hub says that it has changed"

// Subscriber has subscriptions at hubs. Its methods may be called by many goroutines at once.
type Subscriber struct {
	Config
	client *http.Client
	guests *rate.Limiter // requests to callbacks that there are not

	mu       sync.Mutex
	channels map[string]*subscription
	tokens   map[string]*subscription
	leaving  map[string]*subscription // by token; Due is when they are forgotten
	slots    chan struct{}
	wait     sync.WaitGroup
	removed  []string // channels whose state is to be removed from the store
	looked   time.Time
	kick     chan struct{} // of size 1: there is something to do before the next tick
}

// New returns a Subscriber without subscriptions.
func New(c Config) *Subscriber {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.UserAgent = cmp.Or(c.UserAgent, "Tidings")
	return &Subscriber{
		Config: c, client: egress.Client(c.Guard.Transport(maxHeader)),
		guests:   rate.NewLimiter(rate.Every(100*time.Millisecond), strangers),
		channels: make(map[string]*subscription), tokens: make(map[string]*subscription),
		leaving: make(map[string]*subscription),
		slots:   make(chan struct{}, maxRequests), looked: c.Now(),
		kick: make(chan struct{}, 1),
	}
}

// Recall reads the subscriptions of before. One that cannot be read is made anew when the channel is polled.
func (s *Subscriber) Recall(ctx context.Context) error {
	states, err := s.Store.HubStates(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for channel, state := range states {
		sub := &subscription{channel: channel}
		if err := json.Unmarshal(state, sub); err != nil || sub.Token == "" || sub.Hub == "" {
			s.Log.Warn("a subscription at a hub could not be read, and is made anew", "channel", channel)
			continue
		}
		s.channels[channel], s.tokens[sub.Token] = sub, sub
	}
	return nil
}

// Run keeps the subscriptions until ctx is done.
func (s *Subscriber) Run(ctx context.Context) {
	every := time.NewTicker(tickEvery)
	defer every.Stop()
	for {
		s.Tick(ctx)
		select {
		case <-every.C:
		case <-s.kick:
		case <-ctx.Done():
			s.wait.Wait()
			s.save(context.WithoutCancel(ctx))
			return
		}
	}
}

// Polled notes a poll that has read a channel's document, or found that it is as it was. d is what the document says;
// nil: it was not read. news says that there was news in it, and was not there at the first poll.
func (s *Subscriber) Polled(channel string, d *Discovery, news bool) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.channels[channel]
	if d != nil {
		p, hub, topic, ok := d.without(s.isOwn).Best(channel)
		switch {
		case !ok && sub != nil:
			s.leave(sub, now)
			return
		case !ok:
			return
		case sub == nil:
			s.join(newSubscription(channel, p, hub, topic, now))
			return
		case sub.Protocol != p || sub.Hub != hub || sub.Topic != topic:
			s.leave(sub, now)
			s.join(newSubscription(channel, p, hub, topic, now))
			return
		}
	}
	if sub != nil && news {
		sub.changed(now)
	}
}

// isOwn reports whether a hub is at this node: it would be asked to deliver to itself.
func (s *Subscriber) isOwn(hub string) bool {
	own, err := url.Parse(s.Callback)
	other, err2 := url.Parse(hub)
	return err == nil && err2 == nil && own.Scheme == other.Scheme && strings.EqualFold(own.Host, other.Host)
}

// Forget ends the subscription of a channel, if there is one.
func (s *Subscriber) Forget(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.channels[channel]; sub != nil {
		s.leave(sub, s.Now())
	}
}

// Pushed returns until when a channel need not be polled, and why; zero: it is polled by plan.
func (s *Subscriber) Pushed(channel string) (until time.Time, why string) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.channels[channel]
	if sub == nil || !sub.covers(now) {
		return time.Time{}, ""
	}
	until = now.Add(BackupEvery)
	if sub.Expires.Before(until) {
		until = sub.Expires
	}
	return until, "a check in case its hub has not pushed everything"
}

// Describe returns how a channel's hub announces what is new; nil if it has none.
func (s *Subscriber) Describe(channel string) *tidings.HubPush {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.channels[channel]
	if sub == nil {
		return nil
	}
	shown := sub.shown(s.Now())
	return &shown
}

// join begins a subscription. The caller holds s.mu.
func (s *Subscriber) join(sub *subscription) {
	if len(s.channels) >= MaxChannels {
		return
	}
	s.channels[sub.channel], s.tokens[sub.Token] = sub, sub
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// leave ends a subscription, and has its hub asked to end it. The caller holds s.mu.
func (s *Subscriber) leave(sub *subscription, now time.Time) {
	delete(s.channels, sub.channel)
	delete(s.tokens, sub.Token)
	s.removed = append(s.removed, sub.channel)
	if sub.Protocol == WebSub && sub.State == tidings.HubActive && len(s.leaving) < maxLeaving {
		sub.Due, sub.asking = now.Add(verifyWithin), false
		s.leaving[sub.Token] = sub
	}
}

// Tick does what is due. Run calls it.
func (s *Subscriber) Tick(ctx context.Context) {
	now := s.Now()
	s.mu.Lock()
	if now.Sub(s.looked) >= watchEvery {
		s.looked = now
		for _, sub := range s.all() {
			if !s.Scheduler.Has(sub.channel) {
				s.leave(sub, now)
			}
		}
	}
	for _, sub := range s.all() {
		s.tick(ctx, sub, now)
	}
	for token, sub := range s.leaving {
		switch {
		case !now.Before(sub.Due):
			delete(s.leaving, token)
		case !sub.asking:
			s.request(ctx, sub, "unsubscribe")
		}
	}
	s.mu.Unlock()
	s.save(ctx)
}

// all returns the subscriptions in the order of their channels. The caller holds s.mu.
func (s *Subscriber) all() []*subscription {
	all := make([]*subscription, 0, len(s.channels))
	for _, sub := range s.channels {
		all = append(all, sub)
	}
	slices.SortFunc(all, func(a, b *subscription) int { return cmp.Compare(a.channel, b.channel) })
	return all
}

// tick does what is due of a subscription. The caller holds s.mu.
func (s *Subscriber) tick(ctx context.Context, sub *subscription, now time.Time) {
	sub.miss(now)
	due := len(sub.again)
	sub.again = slices.DeleteFunc(sub.again, func(at time.Time) bool { return !now.Before(at) })
	if len(sub.again) < due {
		sub.polled = now
		s.Scheduler.Check(sub.channel, pushWhy)
	}
	if sub.State == tidings.HubActive && !now.Before(sub.Expires) {
		// The plan that counted on pushes ends with the lease: Pushed has seen to that.
		sub.State, sub.Proved, sub.dirty = tidings.HubFailed, false, true
		sub.Problem = cmp.Or(sub.Problem, "the hub did not renew the subscription")
	}
	if now.Before(sub.Due) || sub.asking {
		return
	}
	switch {
	case sub.State == tidings.HubAsked:
		sub.failed(now, "the hub has accepted the request, and not confirmed it")
	case sub.State == tidings.HubActive && !sub.checked:
		sub.checked, sub.Due = true, now.Add(checkBefore)
		s.Scheduler.Check(sub.channel, "its subscription at the hub is about to be renewed")
	default:
		s.request(ctx, sub, "subscribe")
	}
}

// save writes what differs from what is stored. What cannot be written is tried again with the next Tick.
func (s *Subscriber) save(ctx context.Context) {
	s.mu.Lock()
	removed := s.removed
	s.removed = nil
	states := make(map[string][]byte)
	for channel, sub := range s.channels {
		if !sub.dirty {
			continue
		}
		state, err := json.Marshal(sub)
		if err == nil {
			states[channel], sub.dirty = state, false
		}
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for _, channel := range removed {
		if _, again := states[channel]; again {
			continue
		}
		if err := s.Store.RemoveHubState(ctx, channel); err != nil {
			s.saveFailed(ctx, fmt.Errorf("removing a subscription at a hub: %w", err), channel)
		}
	}
	for channel, state := range states {
		if err := s.Store.PutHubState(ctx, channel, state); err != nil {
			s.saveFailed(ctx, fmt.Errorf("storing a subscription at a hub: %w", err), channel)
		}
	}
}

// saveFailed has the state of a channel written again.
func (s *Subscriber) saveFailed(ctx context.Context, err error, channel string) {
	if ctx.Err() == nil {
		s.Log.Error("subscriptions at hubs are not stored; trying again", "channel", channel, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.channels[channel]; sub != nil {
		sub.dirty = true
	} else {
		s.removed = append(s.removed, channel)
	}
}
