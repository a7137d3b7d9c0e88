package tidings

import "time"

// PushState is how a channel is pushed by its publisher.
type PushState string

// The states of a Push. In all but the first two the channel is polled as if nobody pushed it.
const (
	PushJoining    PushState = "joining"    // nothing has come from the publisher so far; polls go on
	PushGood       PushState = "good"       // items come by pushes, and polls are rare
	PushOverdue    PushState = "overdue"    // the publisher is silent for longer than it promised
	PushEnded      PushState = "ended"      // the publisher promises nothing any more; what it pushes is still accepted
	PushUnreliable PushState = "unreliable" // polls have found what pushes should have brought; what is pushed is still accepted
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
	State       PushState     `json:"state"`
	Fingerprint string        `json:"fingerprint,omitempty"` // of the trusted key: 64 hexadecimal digits
	ThirdParty  bool          `json:"third_party,omitempty"` // a person trusts it, and the feed does not name it: polls go on whatever State is
	Since       time.Time     `json:"since,omitzero"`        // when it came to be trusted
	MaxSilence  time.Duration `json:"max_silence"`           // within which the publisher promises its next word; nanoseconds, 0: nothing
	Heard       time.Time     `json:"heard,omitzero"`
	Number      uint64        `json:"number"` // of the published item up to which all are here

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

// PushCounts counts what publishers push of the channels that are followed here.
type PushCounts struct {
	Channels int `json:"channels"` // that are trusted to a publisher's key
	Good     int `json:"good"`     // of them, that pushes bring and polls are rare at
	Alarms   int `json:"alarms"`   // of them, whose key a person should decide about

	ThirdParties int `json:"third_parties,omitempty"` // channels that a third party pushes whose key a person trusts; they are no others' part

	Pushed  int64 `json:"pushed"`  // items that pushes have brought
	Missed  int64 `json:"missed"`  // items that polls have found and pushes should have brought
	Refused int64 `json:"refused"` // false or altered ones since the node started
}
