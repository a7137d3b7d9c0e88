package view

import (
	"time"

	"tidings"
)

// CoopStatus says how a node polls together with others. The zero CoopStatus, but for Detection, is of a
// node that works alone.
type CoopStatus struct {
	Params  Params `json:"params"`            // by which it goes
	Own     Params `json:"own_params"`        // that it was started with
	Agreed  bool   `json:"agreed"`            // with the others, or there are none; else it is about to ask
	Refused string `json:"refused,omitempty"` // why it does not adopt what most others go by

	Day   PollCounts `json:"day"` // the last 24 hours, to the hour
	All   PollCounts `json:"all"`
	Since time.Time  `json:"since"` // when counting began

	// Detection is of the changes of all channels followed here that are kept.
	Detection tidings.Detection `json:"detection"`

	// ByTrees is how many channels followed here have so many followers that trees of the network's router
	// carry their updates.
	ByTrees int `json:"by_trees"`

	Pushes PushCounts `json:"pushes"`

	Republishers RepublisherCounts `json:"republishers"`

	// Penalties are what the node has against others, the latest first.
	Penalties []Penalty `json:"penalties,omitempty"`
}

// Params are what all nodes of a network agree on to poll together. A node that joins adopts the
// network's.
type Params struct {
	Polling Polling `json:"polling"` // which nodes poll when
	// what Corona's plan is to achieve: lite, fast:30s, fair, fair-sqrt, fair-log
	Policy      string        `json:"policy"`
	Interval    time.Duration `json:"interval"`    // between two polls of one node at a channel; nanoseconds
	Maintenance time.Duration `json:"maintenance"` // between two choices of how many nodes poll; nanoseconds
	// HostCeiling is how many polls in turn one origin host gets in an interval at most, from all nodes together;
	// 0: there is no bound.
	HostCeiling int `json:"host_ceiling"`
	// Router carries the updates of channels that many follow: direct (the channel's primary owner sends
	// them to all itself), scribe, rappel, spidercast.
	Router string `json:"router"`
}

// Polling is which nodes poll public channels, and when.
type Polling string

// The ways of polling.
const (
	PollingCorona    Polling = "corona"    // by the plan that the nodes of the network make together
	PollingVolunteer Polling = "volunteer" // in turns, by the nodes that follow a channel
)

// PollCounts counts polls of public channels, which nodes make for each other.
type PollCounts struct {
	// Own is how many polls this node made at channels that are followed here, whichever node else
	// follows them; ForOthers, at channels that other nodes alone follow.
	Own       int64 `json:"own"`
	ForOthers int64 `json:"for_others"`

	// ByOthers is how many polls other nodes made at channels that are followed here. It is estimated from the number
	// of polling nodes and their intervals, as the primaries report them.
	ByOthers int64 `json:"by_others"`

	// Readers is how many polls the readers here would have made, had each polled its
	// channels by itself, once an interval.
	Readers int64 `json:"readers"`
}

// Sent returns how many polls this node made, for whomever: all that reached an origin, also those that verify a
// change.
func (w PollCounts) Sent() int64 { return w.Own + w.ForOthers }

// Saved returns how many requests origins were saved by what readers here leave to the network: what they would have
// asked, less what this node asked, for others too. It is below zero where this node gives more than it receives: then
// it is not to be shown as saved. All nodes' together is what the network saves. A policy that may ask as often as
// readers would have, as lite, saves none and is sooner instead.
func (w PollCounts) Saved() int64 { return w.Readers - w.Sent() }

// PushCounts counts what publishers push of the channels that are followed here.
type PushCounts struct {
	Channels int `json:"channels"` // that are trusted to a publisher's key
	Good     int `json:"good"`     // of them, that pushes bring and polls are rare at
	Alarms   int `json:"alarms"`   // of them, whose key a person should decide about

	// channels that a third party pushes whose key a person trusts; they are no others' part
	ThirdParties int `json:"third_parties,omitempty"`

	Pushed  int64 `json:"pushed"`  // items that pushes have brought
	Missed  int64 `json:"missed"`  // items that polls have found and pushes should have brought
	Refused int64 `json:"refused"` // false or altered ones since the node started
}

// AllNodes stands in place of a node's ID for all of which nothing else is said.
const AllNodes = "all"

// Republisher is a node that finds changes for people here, and what they think of it.
type Republisher struct {
	Node  string             `json:"node"` // ID: 40 hexadecimal digits; or AllNodes
	Trust tidings.TrustLevel `json:"trust"`
	Since time.Time          `json:"since,omitzero"`

	// Counts since the node started. Waited is contents that this node alone has reported and that were not accepted on
	// its word. Seen is how many of them a poll here has seen since.
	Waited int64 `json:"waited"`
	Seen   int64 `json:"seen"`
}

// RepublisherCounts counts the nodes that people here prefer and distrust, and what came of it.
type RepublisherCounts struct {
	Preferred  int   `json:"preferred"`
	Distrusted int   `json:"distrusted"` // AllNodes counts as one
	Waited     int64 `json:"waited"`     // as in Republisher
	Seen       int64 `json:"seen"`
}

// Bounds of the penalties that a node remembers. Of more nodes, those go that were penalized longest ago.
const (
	MaxPenalized      = 1024               // nodes
	MaxPenaltyReasons = 3                  // of a node, the latest
	PenaltyAge        = 7 * 24 * time.Hour // a node without a new one for so long has none
)

// Penalty is what a node has against another: versions of channels for which that has vouched, and which their origins
// did not show. It may be an origin that shows everybody something else: nothing follows from a penalty by itself.
type Penalty struct {
	Node    string          `json:"node"`    // ID
	Times   int64           `json:"times"`   // how many versions
	Reasons []PenaltyReason `json:"reasons"` // of the latest, the last first
}

// PenaltyReason is a version for which a node has vouched.
type PenaltyReason struct {
	Time    time.Time `json:"time"`              // when the origin did not show it
	Channel string    `json:"channel,omitempty"` // canonical URL; empty: of a channel that is not known here any more
	Reason  string    `json:"reason"`            // plain words: what the node had to do with it
}
