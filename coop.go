package tidings

import "time"

// PollingStats says how the nodes of the network poll a public channel, by the word of the channel's primary; or, of
// one that is polled in turns, as the nodes that polled have reported to this one. Of such a channel nobody knows what
// is zero.
type PollingStats struct {
	Nodes    int           `json:"nodes"`                     // that poll of it, at least 1; in turns: that have polled within the last interval
	Readers  int           `json:"readers,omitempty"`         // that the channel's owners count, of all nodes
	Interval time.Duration `json:"interval"`                  // between two polls of one of the nodes; nanoseconds
	Update   time.Duration `json:"update_interval,omitempty"` // between two updates, as estimated; nanoseconds
	Expected time.Duration `json:"expected,omitempty"`        // mean time from a change until it is a version; nanoseconds
	Told     time.Time     `json:"told"`                      // when the primary said so; in turns: when this node was asked
	Turns    bool          `json:"turns,omitempty"`           // it is polled in turns
	Router   string        `json:"router,omitempty"`          // by which its updates come to this node: direct, from the channel's owner itself, or scribe, rappel, spidercast: down a tree
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
		1 * s, 2 * s, 4 * s, 8 * s, 15 * s, 30 * s, 1 * m, 2 * m, 4 * m, 8 * m, 15 * m, 30 * m, 1 * h, 2 * h, 4 * h, 8 * h, 16 * h,
	}
}

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

// Params are what all nodes of a network agree on to poll together. A node that joins adopts the
// network's.
type Params struct {
	Polling     Polling       `json:"polling"`     // which nodes poll when
	Policy      string        `json:"policy"`      // what Corona's plan is to achieve: lite, fast:30s, fair, fair-sqrt, fair-log
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
	Detection Detection `json:"detection"`

	// ByTrees is how many channels followed here have so many followers that trees of the network's router
	// carry their updates.
	ByTrees int `json:"by_trees"`

	Pushes PushCounts `json:"pushes"`

	Republishers RepublisherCounts `json:"republishers"`

	// Penalties are what the node has against others, the latest first.
	Penalties []Penalty `json:"penalties,omitempty"`
}
