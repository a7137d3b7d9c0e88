package tidings

import "time"

// Outcome is how one poll of an origin ended.
type Outcome string

const (
	OutcomeNone        Outcome = ""             // never polled
	OutcomeChanged     Outcome = "changed"      // a new version was found
	OutcomeUnchanged   Outcome = "unchanged"    // a whole document came and says nothing new
	OutcomeNotModified Outcome = "not modified" // the origin says so (304)
	OutcomeLimited     Outcome = "limited"      // 429 or 503, or still waiting for what an earlier one asked
	OutcomeChallenged  Outcome = "challenged"   // the origin wants to see a person or a browser
	OutcomeMissing     Outcome = "missing"      // 404: not dead until it has lasted
	OutcomeGone        Outcome = "gone"         // 410: the channel has ended
	OutcomeRefused     Outcome = "refused"      // this node's own rules forbid the address
	OutcomeUnreadable  Outcome = "unreadable"   // a document came that cannot be read
	OutcomeFailed      Outcome = "failed"       // anything else: network, TLS, 4xx, 5xx
)

// Read reports whether the poll had the origin's present content before it.
func (o Outcome) Read() bool {
	return o == OutcomeChanged || o == OutcomeUnchanged || o == OutcomeNotModified
}

// Poll describes one poll of a channel's origin, and answers "why then, and when is the next".
// Every text in it is one line of plain words, fit to be shown.
type Poll struct {
	At      time.Time     `json:"at,omitzero"`
	Why     string        `json:"why,omitempty"` // why it was polled then
	Outcome Outcome       `json:"outcome,omitempty"`
	Status  int           `json:"status,omitempty"` // of the last HTTP response; 0: there was none
	Bytes   int64         `json:"bytes,omitempty"`  // received from the origin, before decompression
	Took    time.Duration `json:"took,omitempty"`   // nanoseconds
	Error   string        `json:"error,omitempty"`  // the reason, where there is one
	Next    time.Time     `json:"next,omitzero"`    // zero: never again by itself
	NextWhy string        `json:"next_why,omitempty"`
}

// Health sums up a channel's polls in a word.
type Health string

const (
	HealthNew        Health = "new"        // not polled so far
	HealthGood       Health = "good"       // the latest poll read it
	HealthFailing    Health = "failing"    // the latest polls failed; backing off
	HealthLimited    Health = "limited"    // the origin asked for patience
	HealthChallenged Health = "challenged" // the origin wants to see a person or a browser
	HealthNoisy      Health = "noisy"      // it differs at every poll, without end
	HealthEnded      Health = "ended"      // 410, or expired: not polled any more
)

// PollingStats says how the nodes of the network poll a public channel, by the word of the channel's primary; or, of
// one that is polled in turns, as the nodes that polled have reported to this one. Of such a channel nobody knows what
// is zero.
type PollingStats struct {
	// that poll of it, at least 1; in turns: that have polled within the last interval
	Nodes    int           `json:"nodes"`
	Readers  int           `json:"readers,omitempty"`         // that the channel's owners count, of all nodes
	Interval time.Duration `json:"interval"`                  // between two polls of one of the nodes; nanoseconds
	Update   time.Duration `json:"update_interval,omitempty"` // between two updates, as estimated; nanoseconds
	// mean time from a change until it is a version; nanoseconds
	Expected time.Duration `json:"expected,omitempty"`
	// when the primary said so; in turns: when this node was asked
	Told  time.Time `json:"told"`
	Turns bool      `json:"turns,omitempty"` // it is polled in turns
	// by which its updates come to this node: direct, from the channel's owner itself, or scribe, rappel, spidercast:
	// down a tree
	Router string `json:"router,omitempty"`
}

// Every returns the mean time between two polls of all nodes together.
func (t PollingStats) Every() time.Duration { return t.Interval / time.Duration(max(1, t.Nodes)) }

// PerHour returns how often all nodes together poll in an hour.
func (t PollingStats) PerHour() float64 {
	if t.Every() <= 0 {
		return 0
	}
	return float64(time.Hour) / float64(t.Every())
}

// Detection is how soon changes were detected: the time between the change, as the origin states it, and a node's
// finding of it. Only changes that the origin dates believably count (see Update.OriginChanged). A channel's first
// version does not. Last-Modified counts seconds. The clocks of the origin and of the finder are not corrected.
type Detection struct {
	Changes int           `json:"changes"` // that were measured
	Median  time.Duration `json:"median"`  // nanoseconds
	Mean    time.Duration `json:"mean"`    // nanoseconds

	// Bins is how the times are distributed, where that was asked for: as many as
	// DetectionEdges, and one more for longer times.
	Bins []int `json:"bins,omitempty"`
}

// DetectionEdges are the upper ends of the bins of Detection; an edge itself belongs to the bin above.
// Each is about twice the one before.
func DetectionEdges() []time.Duration {
	const s, m, h = time.Second, time.Minute, time.Hour
	return []time.Duration{
		1 * s, 2 * s, 4 * s, 8 * s, 15 * s, 30 * s, 1 * m, 2 * m, 4 * m, 8 * m, 15 * m, 30 * m, 1 * h, 2 * h, 4 * h,
		8 * h, 16 * h,
	}
}

// Preview is what a poll of an address finds, without storing anything.
type Preview struct {
	Asked   string    `json:"asked"`   // the address as it was given, without credentials
	Channel string    `json:"channel"` // canonical URL of what would be followed
	Kind    Kind      `json:"kind"`
	Title   string    `json:"title,omitempty"`
	Site    string    `json:"site,omitempty"`
	Icon    string    `json:"icon,omitempty"` // as Channel.Icon
	Privacy Privacy   `json:"privacy"`
	Count   int       `json:"count"`           // of items, or of lines, in the document
	Items   []Item    `json:"items,omitempty"` // the first of them
	Lines   []string  `json:"lines,omitempty"`
	Choices []Choice  `json:"choices,omitempty"` // all feeds that the page offers, best first
	Fetched []Fetched `json:"fetched"`           // every request made for it, in order
	Notes   []string  `json:"notes,omitempty"`   // how it was read, and what was repaired, in plain words
	Poll    Poll      `json:"poll"`              // with the next poll as it would be
}

// Choice is a feed that a page offers.
type Choice struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Type  string `json:"type,omitempty"` // media type as claimed
}

// Fetched describes one request.
type Fetched struct {
	URL    string        `json:"url"`
	Status int           `json:"status,omitempty"`
	Type   string        `json:"type,omitempty"` // media type as claimed
	Bytes  int64         `json:"bytes"`          // received, before decompression
	Size   int64         `json:"size"`           // after decompression
	Took   time.Duration `json:"took"`           // nanoseconds
	Error  string        `json:"error,omitempty"`
}

// PushState is how a channel is pushed by its publisher.
type PushState string

// The states of a Push. In all but the first two the channel is polled as if nobody pushed it.
const (
	PushJoining PushState = "joining" // nothing has come from the publisher so far; polls go on
	PushGood    PushState = "good"    // items come by pushes, and polls are rare
	PushOverdue PushState = "overdue" // the publisher is silent for longer than it promised
	PushEnded   PushState = "ended"   // the publisher promises nothing any more; what it pushes is still accepted
	// polls have found what pushes should have brought; what is pushed is still accepted
	PushUnreliable PushState = "unreliable"
	PushAlarm      PushState = "alarm"      // the document names another key, and the trusted one has not signed it
	PushRevoked    PushState = "revoked"    // the key was declared void
	PushDoubled    PushState = "doubled"    // the publisher has signed two items for one number
	PushDistrusted PushState = "distrusted" // a person does not want the publisher's pushes

	// PushUnprotected: the document announces pushes, and came over a connection on which anybody could have put that
	// in. No key is trusted, and the other fields of Push are empty.
	PushUnprotected PushState = "unprotected"
)

// Alarming reports whether a person should decide what becomes of the publisher's key.
func (s PushState) Alarming() bool { return s == PushAlarm || s == PushRevoked || s == PushDoubled }

// Push says how a channel is pushed. Its publisher does so, under a key that this node has read in the channel's
// document and trusts since. Or a third party does, whose key a person trusts.
type Push struct {
	State       PushState `json:"state"`
	Fingerprint string    `json:"fingerprint,omitempty"` // of the trusted key: 64 hexadecimal digits
	// a person trusts it, and the feed does not name it: polls go on whatever State is
	ThirdParty bool      `json:"third_party,omitempty"`
	Since      time.Time `json:"since,omitzero"` // when it came to be trusted
	// within which the publisher promises its next word; nanoseconds, 0: nothing
	MaxSilence time.Duration `json:"max_silence"`
	Heard      time.Time     `json:"heard,omitzero"`
	Number     uint64        `json:"number"` // of the published item up to which all are here

	// Offered is the fingerprint of another key that the document names, since OfferedSince; empty: none.
	Offered      string    `json:"offered,omitempty"`
	OfferedSince time.Time `json:"offered_since,omitzero"`

	// Replaced is the fingerprint of a third party's key that was trusted until the document named one of its own. It
	// is shown as a warning. Empty: there was none, or a person has trusted the document's key since.
	Replaced string `json:"replaced,omitempty"`

	Pushed  int64 `json:"pushed"`            // items that pushes have brought
	Missed  int64 `json:"missed"`            // items that polls have found and pushes should have brought
	Refused int64 `json:"refused,omitempty"` // false, altered or repeated ones since the node started
}

// HubState is how this node's subscription at the hub of a channel is.
type HubState string

// The states of a HubPush. In all but HubGood the channel is polled as if it had no hub.
const (
	HubWanted     HubState = "wanted"     // the hub was not asked so far
	HubAsked      HubState = "asked"      // it was, and has not confirmed the subscription
	HubActive     HubState = "active"     // it has, and no push has brought news so far
	HubGood       HubState = "good"       // pushes bring what is new, and polls are rare
	HubUnreliable HubState = "unreliable" // polls have found what the hub should have pushed
	HubDenied     HubState = "denied"     // the hub wants no subscription
	HubFailed     HubState = "failed"     // the request came to nothing; it is repeated
)

// HubPush is how a channel's hub announces to this node what is new, by WebSub or rssCloud.
type HubPush struct {
	Protocol string    `json:"protocol"` // websub or rsscloud
	Hub      string    `json:"hub"`      // URL
	State    HubState  `json:"state"`
	Since    time.Time `json:"since"`            // when the channel's document named the hub
	Expires  time.Time `json:"expires,omitzero"` // when the subscription ends unless it is renewed
	LastPush time.Time `json:"last_push,omitzero"`
	Pushes   int64     `json:"pushes"`            // that came
	Brought  int64     `json:"brought"`           // of them, after which there was news
	Missed   int64     `json:"missed"`            // changes that polls found and nothing announced
	Problem  string    `json:"problem,omitempty"` // why the last request came to nothing
}
