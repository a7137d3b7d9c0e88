package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/believe"
	"tidings/network/engine"
	"tidings/network/table"
)

// core is shared by all parts.
type core struct {
	machine.Base
	Seams
	parts
	config  Config
	records table.Index[*record] // of the channels that are owned here
}

// parts are what the machine consists of. Each calls those before it. There are three exceptions: events that Machine
// passes on, a proof that makes this node a primary (seals to numbering), and the end of a candidate (numbering to
// verifier).
type parts struct {
	believe      *believe.Machine
	trust        *trust        // whether owners are relied on
	duties       *duties       // the channels that this node makes versions of
	origins      *origins      // polls out of turn, and origins' wishes
	intake       *intake       // updates that arrive
	gaps         *gaps         // missing versions, and lending versions to others
	distribution *distribution // sends versions to subscribers
	numbering    *numbering    // agrees with other owners on numbers
	verifier     *verifier     // decides which reports are true
	reports      *reports      // changes found here
}

// maxUnderWay bounds each table of updates under way. Beyond it reports, updates and gaps are dropped; the next poll
// brings them up again.
const maxUnderWay = 1 << 14

// find returns the record of a channel, or nil if it is not owned here.
func (c *core) find(channel engine.ID) *record { return c.records.Get(channel) }

// channelOf returns a channel that this node polls, owns or subscribes to, else one without a URL.
func (c *core) channelOf(channel engine.ID) Channel {
	if passed, _ := c.Plan.Polled(channel); passed.URL != "" {
		return passed
	}
	if o := c.find(channel); o != nil {
		return o.Channel()
	}
	if wanted, ok := c.Roster.Wanted(channel); ok {
		return wanted
	}
	return Channel{ID: channel}
}

// reads reports whether this node subscribes to a channel.
func (c *core) reads(channel engine.ID) bool { return c.Roster.Readers(channel) > 0 }

// held returns the number of the latest version that the library has.
func (c *core) held(channel engine.ID) uint64 {
	version, _ := c.Library.Held(channel)
	return version
}

// pollers returns how many nodes poll a channel that this node leads.
func (c *core) pollers(o *record) int {
	pollers, _ := c.Plan.Pollers(o.ID())
	return int(pollers)
}

// lacksLatest reports whether the library does not have the latest version of a channel that is owned here.
func (c *core) lacksLatest(o *record) bool { return c.held(o.ID()) < o.Version() }

// fits reports whether an update leads on from what is held here.
func (c *core) fits(u *Update) bool { return u.Fits(c.Library) }

// room reports whether a table has the channel, or room for it.
func room[V any](c *core, of map[engine.ID]V, channel engine.ID, what string, most int) bool {
	_, known := of[channel]
	return known || len(of) < most || c.LimitHit(what, most)
}

// inSeconds returns a duration in whole seconds, rounded up and bounded by what a message can hold.
func inSeconds(d time.Duration) uint32 {
	return uint32(min(max(0, (d+time.Second-1)/time.Second), 1<<31))
}
