package notify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
	"tidings/egress"
)

const (
	// DefaultTimeout bounds an attempt: Standard Webhooks recommends 15 to 30 s.
	DefaultTimeout = 15 * time.Second

	MaxAnswer = 64 << 10       // bytes of an answer's body that are read, and of its header
	MaxBody   = 256 << 10      // bytes of a request's body
	MaxAfter  = 24 * time.Hour // the longest wait that a server can ask for
)

// Config says how a Notifier sends.
type Config struct {
	Guard     egress.Guard // of all connections
	UserAgent string       // "": Tidings

	// PushKeys are those by which push services know the node. Without them nothing is sent to targets of kind
	// tidings.BrowserPush.
	PushKeys webpush.Keys
	// Contact is an https or mailto URL by which the operator of a push service can reach the node's (RFC 8292, section
	// 2.1). "": https://example.org.
	Contact string

	Timeout time.Duration // of an attempt as a whole; 0: DefaultTimeout
}

// Notifier is an outbox.Sender. Its methods may be called by many goroutines at once.
type Notifier struct {
	c      Config
	client *http.Client
	rooms  rooms
	now    func() time.Time
}

// New returns a Notifier. It starts nothing.
func New(c Config) *Notifier {
	if c.UserAgent == "" {
		c.UserAgent = "Tidings"
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Contact == "" {
		c.Contact = "https://example.org"
	}
	return &Notifier{c: c, client: egress.Client(c.Guard.Transport(MaxAnswer)), now: time.Now}
}

var _ outbox.Sender = (*Notifier)(nil)

// job is a message for a target, with all that makes a request of it.
type job struct {
	target  tidings.Target
	url     *url.URL // the target's; nil for Generic, which has a template
	message outbox.Message
	note    note
	now     time.Time // of the attempt
	room    string    // Matrix: ID of the room

	vapid   webpush.Keys
	contact string
}

// request is what is sent.
type request struct {
	method string
	url    string
	header http.Header
	body   []byte
	shown  string // what a preview shows in the place of the body; "": the body
}

// Send makes one attempt to deliver a message. See the package's comment for its errors.
func (n *Notifier) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	p, j, err := n.prepare(t, m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, n.c.Timeout, errSlow)
	defer cancel()
	hidden := secretsOf(t)
	if t.Kind == tidings.Matrix {
		if j.room, err = n.room(ctx, j.url, hidden); err != nil {
			return n.failure(ctx, j.url.Hostname(), err, hidden)
		}
	}
	build := p.build
	if len(m.Retracts) > 0 {
		if build = p.retract; build == nil {
			return nil // the target's kind was another as it was sent them
		}
	}
	r, err := build(j)
	if err != nil {
		return redactedError(err, hidden)
	}
	a, err := n.exchange(ctx, r, p.reads)
	if err != nil {
		return n.failure(ctx, hostOf(r.url), err, hidden)
	}
	err = n.judge(a, p.judge, hidden)
	if refusal := (*outbox.Refusal)(nil); len(m.Retracts) > 0 && unknown(a.status) && !errors.As(err, &refusal) {
		err = &outbox.Refusal{Err: err, Final: true}
	}
	if err != nil && t.Kind == tidings.Matrix {
		n.rooms.forget(j.url)
	}
	return redactedError(err, hidden)
}

// unknown reports whether a status says that a server knows no such request: it is older than retractions.
func unknown(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// prepare returns what is known of a message before anything is sent.
func (n *Notifier) prepare(t tidings.Target, m outbox.Message) (protocol, job, error) {
	if err := Validate(t); err != nil {
		return protocol{}, job{}, err
	}
	j := job{target: t, message: m, note: compose(t, m), now: n.now(),
		vapid: n.c.PushKeys, contact: n.c.Contact}
	if t.Kind != tidings.Generic {
		u, err := url.Parse(t.URL)
		if err != nil {
			return protocol{}, job{}, fmt.Errorf("reading the target's URL: %w", unwrapURL(err))
		}
		j.url = u
	}
	return protocols[t.Kind], j, nil
}

// Validate is the function of that name.
func (*Notifier) Validate(t tidings.Target) error { return Validate(t) }

// Kinds are those that a Notifier sends to.
func Kinds() []tidings.TargetKind { return slices.Sorted(maps.Keys(protocols)) }
