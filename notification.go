package tidings

import (
	"fmt"
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
var TargetKinds = []TargetKind{Ntfy, Mail, BrowserPush, XMPP, Gotify, Matrix, Telegram, Discord, Slack, Pushover,
	Webhook, Generic}

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
	Pending int `json:"pending"`
	Failed  int `json:"failed"` // given up; kept until they are retried or dropped
	// since it was made: beyond MaxPending, or of updates not kept any more
	Dropped   int64     `json:"dropped,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"` // the last; zero: none so far
	Problem   string    `json:"problem,omitempty"`  // why the last attempt failed; "": it did not
	// the target said that it is gone; nothing is sent until its owner resumes it
	Suspended bool `json:"suspended,omitempty"`

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
	// deliveries whose messages were sent, and are to be retracted now, ascending; then there are no others
	Retracts []int64
	Digest   bool      // what waited for the target's time of day is sent in one message
	Made     time.Time // when the first delivery entered the outbox
	Ready    time.Time // from when on it might have been sent: Made, or what the target's schedule makes of it
	Tries    int       // attempts so far
	Failures int       // attempts in a row that failed, at the target
	Due      time.Time // not to be tried before; if that is later than now, Parts are not read
}

// DeliveryPart is an update in a message, or one of its items.
type DeliveryPart struct {
	Update Update
	Item   *Item // of Update; nil: all of them

	Revision int64 // its number where the part is one item; 0: the whole update
}

// Schedule says when something may be sent to a target. The zero Schedule: each update at once, at any time.
type Schedule struct {
	Zone   string     `json:"zone,omitempty"`   // IANA name of the time zone of Quiet and Digest; "": UTC
	Quiet  *Hours     `json:"quiet,omitempty"`  // of each day, in which nothing is sent; nil: none
	Digest *TimeOfDay `json:"digest,omitempty"` // when all of a day is sent in one message; nil: each update for itself
	Paused time.Time  `json:"paused,omitzero"`  // nothing is sent before
}

// Hours are a part of each day, from a time up to another, which may be that of the next day.
type Hours struct {
	From TimeOfDay `json:"from"`
	To   TimeOfDay `json:"to"` // not From
}

// TimeOfDay is a time of a day, in minutes since midnight: 0 to 1439. Its text is that of a clock, such as 07:30.
type TimeOfDay int

const minutesOfDay = 24 * 60

// ParseTimeOfDay reads a time of day such as 7:30 or 07:30.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	for _, layout := range []string{"15:04", "3:04pm", "3pm"} {
		if t, err := time.Parse(layout, text); err == nil {
			return TimeOfDay(t.Hour()*60 + t.Minute()), nil
		}
	}
	return 0, Invalidf("%s is no time of day: write it as 07:30", Quote(text))
}

// ParseHours reads a part of each day such as 22:00-07:00.
func ParseHours(text string) (h Hours, err error) {
	from, to, found := strings.Cut(text, "-")
	if !found {
		return h, Invalidf("%s are no hours of a day: write them as 22:00-07:00", Quote(text))
	}
	if h.From, err = ParseTimeOfDay(strings.TrimSpace(from)); err != nil {
		return h, err
	}
	h.To, err = ParseTimeOfDay(strings.TrimSpace(to))
	return h, err
}

func (h Hours) String() string { return h.From.String() + "-" + h.To.String() }

func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", t/60, t%60) }

// MarshalText returns the time as a clock shows it.
func (t TimeOfDay) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is ParseTimeOfDay.
func (t *TimeOfDay) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTimeOfDay(string(text))
	return err
}

// Validate reports why a schedule cannot be kept: its zone is not known, or its quiet hours are none or the whole day.
func (s Schedule) Validate() error {
	if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" {
		return Invalidf("there is no time zone %s: write one as Europe/Berlin", Quote(s.Zone))
	}
	if q := s.Quiet; q != nil && (q.From == q.To || !q.From.valid() || !q.To.valid()) {
		return Invalidf("quiet hours begin at one time of day and end at another")
	}
	if s.Digest != nil && !s.Digest.valid() {
		return Invalidf("a digest comes at a time of day")
	}
	return nil
}

func (t TimeOfDay) valid() bool { return t >= 0 && t < minutesOfDay }

// Next returns the earliest time, not before now, at which an update may be sent that came at a time made. A schedule
// that is not valid is kept as if its zone were UTC.
func (s Schedule) Next(now, made time.Time) time.Time {
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		zone = time.UTC
	}
	next := now
	if s.Digest != nil {
		next = later(next, s.Digest.after(made.In(zone)))
	}
	next = later(next, s.Paused)
	if s.Quiet != nil {
		next = later(next, s.Quiet.end(next.In(zone)))
	}
	return next
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// after returns the first time after another at which it is this time of day. Where a clock is put forward past it,
// that is as much later.
func (t TimeOfDay) after(at time.Time) time.Time {
	for day := at.Day(); ; day++ {
		next := time.Date(at.Year(), at.Month(), day, int(t)/60, int(t)%60, 0, 0, at.Location())
		if next.After(at) {
			return next
		}
	}
}

// end returns when the quiet hours end that a time lies in; the zero time if it lies in none.
func (h Hours) end(at time.Time) time.Time {
	clock := TimeOfDay(at.Hour()*60 + at.Minute())
	quiet := h.From <= clock && clock < h.To
	if h.To < h.From {
		quiet = clock >= h.From || clock < h.To
	}
	if !quiet {
		return time.Time{}
	}
	return h.To.after(at)
}

// Following is the last change of what an address of chat follows, or of when it is sent messages. Nodes that share an
// account exchange it.
type Following struct {
	Address  string    // bare; "": Forgotten says which
	Channel  string    // URL, or FollowingSchedule
	Ended    bool      // the channel is not followed any more
	Schedule *Schedule // of FollowingSchedule; nil of others
	Changed  time.Time // in whole milliseconds; of two for the same, the later is true

	// Forgotten is a hash of an address that wished that nothing is kept of it: all of it that was changed before is
	// void. "" for others.
	Forgotten string
}

// FollowingSchedule stands for the channel where a Following is of an address's schedule. It is behind all URLs in
// their order, so that an address follows something when its schedule is learned.
const FollowingSchedule = "~"

// FollowingCursor is a place in the order of all Following of a node: by address and channel. The forgotten come first,
// by their hashes in the place of the channel.
type FollowingCursor struct{ Address, Channel string }

// HubSubscriber is the name of the account that follows the topics of this node's WebSub hub.
const HubSubscriber = "websub:"

// HubSubscription is a subscription to a topic at this node's WebSub hub. There is one of a topic and a callback, as
// they are after escapes of unreserved characters are decoded.
type HubSubscription struct {
	Target   int64 // of its deliveries; 0: it is not stored
	Topic    string
	Callback string
	Channel  string // whose updates are delivered
	Domain   string // registered domain of the callback, or its host where that has none
	Secret   string // by which deliveries are signed; empty: they are not
	Expires  time.Time
}

// HubStatus is what a node's WebSub hub does.
type HubStatus struct {
	Mode          string `json:"mode"`                // listed or open
	URL           string `json:"url"`                 // of the hub
	Topics        int    `json:"topics"`              // channels that somebody subscribes to
	Subscriptions int    `json:"subscriptions"`       // to all of them
	Failing       int    `json:"failing,omitempty"`   // of them, whose last delivery failed
	Suspended     int    `json:"suspended,omitempty"` // of them, whose callbacks said that they are gone
}

// HubBounds bound the subscriptions at a hub.
type HubBounds struct {
	All       int // subscriptions
	PerTopic  int // of one topic
	PerDomain int // whose callbacks are below one registered domain
}
