package tidings

import (
	"strings"
	"time"
)

// TargetKind is the protocol by which a target is reached.
type TargetKind string

const (
	Webhook  TargetKind = "webhook"  // a JSON body, signed as Standard Webhooks has it
	Ntfy     TargetKind = "ntfy"     // a topic of an ntfy server
	Gotify   TargetKind = "gotify"   // an application of a Gotify server
	Matrix   TargetKind = "matrix"   // a room of a Matrix homeserver
	Telegram TargetKind = "telegram" // a chat, by the Bot API
	Discord  TargetKind = "discord"  // a channel's incoming webhook
	Slack    TargetKind = "slack"    // a channel's incoming webhook
	Pushover TargetKind = "pushover" // a user or group
	Generic  TargetKind = "generic"  // a request that its Form describes

	Mail        TargetKind = "mail"   // an address of mail
	BrowserPush TargetKind = "push"   // a browser or a phone, by its push service (RFC 8030)
	XMPP        TargetKind = "xmpp"   // an address of the chat network (RFC 7622)
	WebSub      TargetKind = "websub" // the callback of a subscriber of the node's hub; nobody adds one by hand
)

// Whole reports whether a target of the kind is sent all items of an update in one message, however few they are.
func (k TargetKind) Whole() bool { return k == Webhook || k == WebSub }

// Personal reports whether a target of the kind notifies one person: it is not sent what that person has read already.
// Programs get everything, and so do rooms that others may read, too.
func (k TargetKind) Personal() bool {
	switch k {
	case Ntfy, Mail, BrowserPush, XMPP, Gotify, Pushover:
		return true
	}
	return false
}

// Retractable is how many of the last messages to a target of the kind can be retracted. They are when their person
// reads their content elsewhere. 0: its protocol knows no retraction.
func (k TargetKind) Retractable() int {
	switch k {
	case BrowserPush:
		return 50
	case Ntfy:
		return 20 // each is a request, of which ntfy.sh accepts 60 at once
	}
	return 0
}

// TargetKinds are all kinds, in the order in which people are offered them.
var TargetKinds = []TargetKind{Ntfy, Mail, BrowserPush, XMPP, Gotify, Matrix, Telegram, Discord, Slack, Pushover, Webhook, Generic}

// ParseTargetKind returns a kind by its name.
func ParseTargetKind(text string) (TargetKind, error) {
	var names []string
	for _, k := range TargetKinds {
		if string(k) == strings.ToLower(text) {
			return k, nil
		}
		names = append(names, string(k))
	}
	return "", Invalidf("there is no kind of target %s: the kinds are %s", Quote(text), strings.Join(names, ", "))
}

// Target is an address at which a person is notified. Each update of a channel that its Selector selects is delivered
// to it.
type Target struct {
	ID       int64      `json:"id"` // never used twice
	Account  AccountID  `json:"-"`
	Name     string     `json:"name"` // unique among the person's targets
	Kind     TargetKind `json:"kind"`
	URL      string     `json:"url"` // where to exactly depends on Kind; http or https, of Mail mailto, of XMPP xmpp
	Selector Selector   `json:"selector"`
	Secret   string     `json:"-"`              // that Kind needs: a signing key or an access token; never shown
	Form     *Form      `json:"form,omitempty"` // of the request; only of Generic
	Text     Text       `json:"text,omitzero"`  // the wording; empty parts: that of the node
	Schedule Schedule   `json:"schedule,omitzero"`
	Expires  time.Time  `json:"expires,omitzero"` // nothing is sent from then on; zero: it never expires
	Created  time.Time  `json:"created"`
	Standing Standing   `json:"standing"`
}

// Standing is how deliveries to a target fare.
type Standing struct {
	Pending   int       `json:"pending"`
	Failed    int       `json:"failed"`              // given up; kept until they are retried or dropped
	Dropped   int64     `json:"dropped,omitempty"`   // since it was made: beyond MaxPending, or of updates not kept any more
	Delivered time.Time `json:"delivered,omitzero"`  // the last; zero: none so far
	Problem   string    `json:"problem,omitempty"`   // why the last attempt failed; "": it did not
	Suspended bool      `json:"suspended,omitempty"` // the target said that it is gone; nothing is sent until its owner resumes it

	// Unconfirmed says of a mail address that its recipient has not confirmed it, or has stopped the mails. Nothing is
	// sent until he or she confirms it.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
}

// Selector selects updates among those of the channels that a person follows; one field at most is set. The zero
// Selector selects all.
type Selector struct {
	Channel string `json:"channel,omitempty"` // URL; a followed query or zone has one, too
	Folder  string `json:"folder,omitempty"`
}

// Form describes a request. In URL, headers and body, names in braces stand for parts of the message: {title},
// {link}, {text}, {channel}, {channel_url}, {id}, {time}. They are escaped as what they stand in: in a URL, and in a
// body as its Content-Type has it (JSON, a form, XML or HTML, else plain text).
type Form struct {
	Method  string            `json:"method,omitempty"` // POST if empty, PUT, PATCH or GET
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// Text is the wording of a message, with the same names in braces as a Form.
type Text struct {
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
}

// Bounds on targets and deliveries.
const (
	MaxTargets      = 100  // of a person
	MaxTargetName   = 80   // bytes
	MaxTargetURL    = 2048 // bytes
	MaxTargetSecret = 1024 // bytes
	MaxTemplate     = 8192 // bytes of a Form with all its parts, and of a Text
	MaxFormHeaders  = 20

	// MaxPending is how many deliveries may be pending of a target. Beyond it the oldest is dropped, and counted.
	MaxPending = 1000

	// MaxDigest is how many deliveries a digest has at most. What is beyond comes in another.
	MaxDigest = 200

	// MaxBurst is how many items of an update are delivered one by one; more are one message.
	MaxBurst = 5
)

// Delivery is one message for one target that has not been delivered.
type Delivery struct {
	ID      int64     `json:"id"` // rising in the order of delivery to a target; never used twice
	Target  int64     `json:"target"`
	Name    string    `json:"name"`              // the target's
	Update  int64     `json:"update"`            // whose items it brings
	Whole   bool      `json:"whole"`             // it brings all of them, in one message; else one
	Channel string    `json:"channel,omitempty"` // URL of the update's; "": the update is not kept any more
	Title   string    `json:"title,omitempty"`   // the item's, else the channel's
	Made    time.Time `json:"made"`
	Failed  bool      `json:"failed"` // it was given up
	Tries   int       `json:"tries"`
	Due     time.Time `json:"due,omitzero"`      // before which nothing is sent to the target; zero: at once, or Failed
	Stopped bool      `json:"stopped,omitempty"` // nothing is sent to the target until its owner retries
	Problem string    `json:"problem,omitempty"`
}

// DeliverySelection selects deliveries of a person. A number that is 0 selects all.
type DeliverySelection struct {
	Target   int64
	Delivery int64
	Failed   bool // only those that were given up
}

// DeliveryJob is what is to be sent to a target next, with all that its message is made of.
type DeliveryJob struct {
	Target     Target
	Deliveries []int64        // that the message delivers, ascending; at least one
	Parts      []DeliveryPart // of the message: one, or in a digest up to MaxDigest; none: no update is kept any more
	Retracts   []int64        // deliveries whose messages were sent, and are to be retracted now, ascending; then there are no others
	Digest     bool           // what waited for the target's time of day is sent in one message
	Made       time.Time      // when the first delivery entered the outbox
	Ready      time.Time      // from when on it might have been sent: Made, or what the target's schedule makes of it
	Tries      int            // attempts so far
	Failures   int            // attempts in a row that failed, at the target
	Due        time.Time      // not to be tried before; if that is later than now, Parts are not read
}

// DeliveryPart is an update in a message, or one of its items.
type DeliveryPart struct {
	Update Update
	Item   *Item // of Update; nil: all of them

	Revision int64 // its number where the part is one item; 0: the whole update
}
