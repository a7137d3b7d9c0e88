package corona

import (
	"errors"
	"fmt"
	"time"

	"tidings/network"
	"tidings/network/corona/plan"
	"tidings/network/corona/version"
	"tidings/network/honeycomb"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. All nodes of a network should use the
// same. Start from Default.
type Config struct {
	// Owners is how many nodes own a channel: the paper's F+1. A subscription survives the simultaneous failure of all
	// but one of them. 1 to 9.
	Owners int

	// Interval is the polling interval, tau: how often each poller of a channel polls it.
	Interval time.Duration

	// Maintenance is how often levels are chosen anew and assignments repeated. The paper has twice the polling
	// interval.
	Maintenance time.Duration

	// AssignmentsLast is how many maintenance intervals a poller continues without an assignment.
	AssignmentsLast int

	// Policy is the goal of the network's polling.
	Policy honeycomb.Policy

	// Volunteers makes the network's subscribers poll its channels in turns (network/volunteer), instead of Corona's
	// plan. All nodes agree on that, as on Policy. The user of Corona then subscribes to nothing.
	Volunteers bool

	// Router carries versions to the subscribers of channels with more than DirectUpTo of them. To fewer the primary
	// sends itself, one message each. All nodes agree on Router, as on Policy. If it is network.Direct, or Use was not
	// called for it, the primary sends to all. A smaller DirectUpTo saves primaries messages and costs subscribers the
	// upkeep of trees; 0: always a tree.
	Router     network.RouterName
	DirectUpTo int

	// LeastInterval is the shortest Interval that this node adopts from others: see Agreement.
	LeastInterval time.Duration

	// LoadInPolls counts the load that Policy bounds in polls, whatever a document's length. The paper's tables count
	// polls; its formulas count bytes.
	LoadInPolls bool

	// Digit is how many bits of an ID a row of the ring's routing table covers: Pastry's Config.Digit.
	Digit int

	// Optimizer replaces package plan's choice of sizes, in experiments; nil: it does not.
	Optimizer func(*plan.Plan) plan.Optimizer

	// AggregateEvery is how often each contact is asked for its Aggregate.
	AggregateEvery time.Duration

	// Believe makes a primary accept others' reports without a poll of its own: for simulations in which nobody lies.
	// Otherwise each report costs the origin one more request.
	Believe bool

	// Renew is how often a subscriber's node renews a subscription. Owners forget one that was not renewed for Forget.
	// If all owners of a channel are lost at once, its subscriptions are back after 9/8 of Renew. By default that is
	// less than three maintenance intervals. A renewal costs some three messages for all of a node's subscriptions with
	// one primary.
	Renew, Forget time.Duration

	// Witnesses is how many nodes, at places that cannot be chosen, must have seen a new content at the origin before
	// others believe it. In rings too small for that each reader's node polls for itself. 0 to 8. If it is zero, or
	// nothing is signed, an owner is believed.
	Witnesses int

	// HostCeiling is how many turns all nodes together take at a host in a polling interval, at most, but one for each
	// node; see HostOf. Each node keeps to its share of it. A channel also gets no more pollers than readers. If it is
	// zero, or nothing is signed, neither bound holds.
	HostCeiling int

	// MaxHostReaders is the most readers that the subscriptions of one node to all channels of one host prove.
	MaxHostReaders int

	// Bounds of what a node keeps; anything beyond is refused and traced.
	MaxChannels      int // owned here
	MaxPolled        int // polled here
	MaxSubscriptions int // of one channel
	MaxEntries       int // subscriptions of all channels owned here
	MaxPerNode       int // of these, for which one node speaks
	MaxCount         int // readers that one subscription counts for
	MaxUnacked       int // own subscriptions under way at a time
}

// Default returns the settings of an ordinary network.
func Default() Config {
	return Config{
		Router: network.Scribe, DirectUpTo: 16,
		Owners: 3, Interval: 30 * time.Minute, Maintenance: time.Hour, AssignmentsLast: 3,
		Digit: 4, AggregateEvery: 10 * time.Minute,
		Renew: 150 * time.Minute, Forget: 8 * time.Hour, LeastInterval: 10 * time.Second,
		MaxChannels: 1 << 20, MaxPolled: 1 << 20, MaxSubscriptions: 1 << 20, MaxEntries: 1 << 24, MaxPerNode: 1 << 16,
		MaxCount: 64, MaxUnacked: 64, HostCeiling: 18_000, MaxHostReaders: 64, Witnesses: 4,
	}
}

// Validate returns the first fault of c, or nil.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"Interval", c.Interval}, {"Maintenance", c.Maintenance}, {"AggregateEvery", c.AggregateEvery},
		{"Renew", c.Renew}, {"LeastInterval", c.LeastInterval},
	} {
		if d.d <= 0 {
			return fmt.Errorf("corona: %s is %v, not above zero", d.name, d.d)
		}
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Owners", c.Owners, 1, 9}, {"AssignmentsLast", c.AssignmentsLast, 1, 100},
		{"MaxChannels", c.MaxChannels, 1, 1 << 30}, {"MaxPolled", c.MaxPolled, 1, 1 << 30},
		{"MaxSubscriptions", c.MaxSubscriptions, 1, 1 << 30},
		{"MaxEntries", c.MaxEntries, 1, 1 << 30}, {"MaxPerNode", c.MaxPerNode, 1, 1 << 30},
		{"MaxCount", c.MaxCount, 1, 1 << 20}, {"MaxUnacked", c.MaxUnacked, 1, 1 << 16},
		{"DirectUpTo", c.DirectUpTo, 0, 1 << 20},
		{"Witnesses", c.Witnesses, 0, 8}, {"HostCeiling", c.HostCeiling, 0, 1 << 30},
		{"MaxHostReaders", c.MaxHostReaders, 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("corona: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	switch {
	case c.Digit != 1 && c.Digit != 2 && c.Digit != 4 && c.Digit != 8:
		return fmt.Errorf("corona: a digit of %d bits, not 1, 2, 4 or 8", c.Digit)
	case c.Forget <= c.Renew:
		return errors.New("corona: subscriptions would be forgotten before they are renewed")
	}
	if err := c.Router.Validate(); err != nil {
		return fmt.Errorf("corona: %w", err)
	}
	model := honeycomb.Model{Policy: c.Policy, Interval: c.Interval}
	if err := model.Validate(); err != nil {
		return fmt.Errorf("corona: %w", err)
	}
	return nil
}

// plan returns the configuration of package plan.
func (c Config) plan() plan.Config {
	return plan.Config{
		Interval: c.Interval, Maintenance: c.Maintenance, AggregateEvery: c.AggregateEvery,
		AssignmentsLast: c.AssignmentsLast, Policy: c.Policy, LoadInPolls: c.LoadInPolls, Digit: c.Digit,
		MaxPolled: c.MaxPolled, Optimizer: c.Optimizer,
	}
}

// version returns the configuration of package version.
func (c Config) version() version.Config {
	return version.Config{
		Owners: c.Owners, Interval: c.Interval, Maintenance: c.Maintenance, Believe: c.Believe, Witnesses: c.Witnesses,
		Router: c.Router, DirectUpTo: c.DirectUpTo,
	}
}
