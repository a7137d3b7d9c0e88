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

// Health sums a channel's looks up in a word.
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
