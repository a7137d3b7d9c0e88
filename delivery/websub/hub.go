package websub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"tidings"
	"tidings/egress"
)

// Store keeps subscriptions.
type Store interface {
	// HubSubscription returns the subscription that is served by a target; [tidings.ErrNotFound] if there is none.
	HubSubscription(ctx context.Context, target int64) (tidings.HubSubscription, error)
	// PutHubSubscription stores a verified subscription in the place of the one of the same keys, if there is one. The
	// error is [tidings.ErrInvalid] if there would be too many.
	PutHubSubscription(
		ctx context.Context, topicKey, callbackKey string, s tidings.HubSubscription, b tidings.HubBounds,
	) error
	// RemoveHubSubscription removes a subscription, if there is one, with what waits for it.
	RemoveHubSubscription(ctx context.Context, topicKey, callbackKey string) error
}

// Topics are what can be subscribed to.
type Topics interface {
	// Admit returns why nobody can subscribe to a topic: [tidings.ErrInvalid], with the reason. It asks no origin.
	Admit(ctx context.Context, topic string) error
	// Follow watches the topic from now on. It returns the topic's channel once the present content is known, or cannot
	// be had soon. The error is that of Admit.
	Follow(ctx context.Context, topic string) (channel string, err error)
	// Document returns the newest content of a topic that is watched as a channel.
	Document(ctx context.Context, topic, channel string) (Document, error)
	// Published has a topic polled at once, if it is watched. It does not wait.
	Published(topic string)
}

// Document is the content of a topic.
type Document struct {
	Body        []byte
	ContentType string
	Version     tidings.Version // of the topic's channel
}

// Config says how a hub works. Store, Topics and URL are needed.
type Config struct {
	Store  Store
	Topics Topics

	// URL is that of the hub, as subscribers know it.
	URL string

	Guard egress.Guard // of connections to callbacks

	// Client names the client that has sent a request, for limits; nil: the address of the connection does.
	Client func(*http.Request) string

	Signature Method // of deliveries; "": SHA256
	UserAgent string // "": Tidings
	Bounds    tidings.HubBounds
	Now       func() time.Time // nil: time.Now
	Logger    *slog.Logger
}

// Bounds on work.
const (
	verifyAtOnce = 64               // verifications under way
	maxQueued    = 1000             // verifications that wait
	maxLine      = 200              // of them for one domain
	queueAfter   = 10 * time.Second // when to try again where there is no room
	followWithin = time.Minute      // for the first content of a topic
	storeWithin  = 30 * time.Second

	// VerifyBurst, and then one in VerifyEvery, are the verifications and denials that a domain gets without confirming
	// one. The same holds for an address, whatever the names that lead there, and for all of an IPv6 /64 together.
	VerifyBurst = 20
	VerifyEvery = 10 * time.Second

	requestBurst, requestEvery = 100, 200 * time.Millisecond // by client
	pingBurst, pingEvery       = 3, 20 * time.Second         // by topic
	hostPingBurst, hostPing    = 30, 2 * time.Second         // by a topic's host
	defaultAll, defaultPerKey  = 100_000, 20_000             // subscriptions
)

// Hub answers requests, verifies them, and delivers. Its methods may be called by many goroutines at once.
type Hub struct {
	Config
	client    *http.Client // for deliveries
	verifier  *http.Client // for verifications and denials
	timeout   time.Duration
	documents *documents

	requests, verifications, pings, hostPings *limiter
	machines                                  *machines
	proven                                    proven

	slots chan struct{}
	mu    sync.Mutex
	ctx   context.Context // nil: it does not run
	wait  sync.WaitGroup
	lines map[string]*line // by domain
	all   int              // jobs in lines
}

// New returns a hub. It verifies nothing before Run.
func New(c Config) *Hub {
	c.Signature, c.UserAgent = cmp.Or(c.Signature, SHA256), cmp.Or(c.UserAgent, "Tidings")
	c.Bounds.All = cmp.Or(c.Bounds.All, defaultAll)
	c.Bounds.PerTopic = cmp.Or(c.Bounds.PerTopic, defaultPerKey)
	c.Bounds.PerDomain = cmp.Or(c.Bounds.PerDomain, defaultPerKey)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Client == nil {
		c.Client = func(r *http.Request) string {
			host, _, err := net.SplitHostPort(r.RemoteAddr)
			if err != nil {
				return r.RemoteAddr
			}
			return host
		}
	}
	h := &Hub{
		Config: c, timeout: Timeout, documents: newDocuments(),
		requests:      newLimiter(requestBurst, requestEvery),
		verifications: newLimiter(VerifyBurst, VerifyEvery),
		machines:      newMachines(newLimiter(VerifyBurst, VerifyEvery), c.Now),
		pings:         newLimiter(pingBurst, pingEvery),
		hostPings:     newLimiter(hostPingBurst, hostPing),
		slots:         make(chan struct{}, verifyAtOnce),
		lines:         make(map[string]*line),
	}
	h.client, h.verifier = h.newClient(c.Guard), h.newVerifier(c.Guard)
	return h
}

// Run verifies what is requested until ctx is done.
func (h *Hub) Run(ctx context.Context) {
	h.mu.Lock()
	h.ctx = ctx
	h.mu.Unlock()
	<-ctx.Done()
	h.mu.Lock()
	h.ctx = nil
	h.mu.Unlock()
	h.wait.Wait()
}

// ServeHTTP answers a request to the hub.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	if no := h.answer(w, r); no != nil {
		if no.after > 0 {
			header.Set("Retry-After", strconv.Itoa(int((no.after+time.Second-1)/time.Second)))
		}
		if no.status == http.StatusMethodNotAllowed {
			header.Set("Allow", http.MethodPost)
		}
		w.WriteHeader(no.status)
		_, _ = fmt.Fprintln(w, no.text) // a client that went away is its own affair
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// answer does what a request asks for; nil is 202.
func (h *Hub) answer(w http.ResponseWriter, r *http.Request) *refusal {
	if wait := h.requests.allow(h.Client(r), h.Now()); wait > 0 {
		return tooMany(wait, "too many requests from your address")
	}
	form, no := readForm(w, r)
	if no != nil {
		return no
	}
	q, no := parse(form)
	if no != nil {
		return no
	}
	if q.mode == publish {
		return h.publish(q.topics)
	}
	if err := h.checkCallback(q); err != nil {
		return badRequest("hub.callback cannot be: %v", err)
	}
	return h.accept(domainOf(q.host), q)
}

func tooMany(wait time.Duration, text string) *refusal {
	no := refuse(http.StatusTooManyRequests, "%s", text)
	no.after = wait
	return no
}

var errSelf = errors.New("it is at this node")

// checkCallback reports why nothing can be sent to a callback, as far as that is known without asking anybody.
func (h *Hub) checkCallback(q request) error {
	if u, err := url.Parse(q.callback); err == nil && h.isOwn(u) {
		return errSelf
	}
	return h.checkLiteral(q.callback)
}

// isOwn reports whether a URL is at this node.
func (h *Hub) isOwn(u *url.URL) bool {
	own, err := url.Parse(h.URL)
	return err == nil && strings.EqualFold(own.Hostname(), u.Hostname()) && portOf(own) == portOf(u)
}

func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// domainOf returns the registered domain of a host; the host itself if it has none.
func domainOf(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// publish has topics polled.
func (h *Hub) publish(topics []string) (no *refusal) {
	now := h.Now()
	for _, topic := range topics {
		u, err := url.Parse(topic)
		if err != nil {
			continue
		}
		wait := h.hostPings.allow(strings.ToLower(u.Host), now)
		if wait == 0 {
			wait = h.pings.allow(Key(topic), now)
		}
		if wait > 0 {
			no = tooMany(wait, "too many notices that this was published")
			continue
		}
		h.Topics.Published(topic)
	}
	return no
}
