package deliver

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// record is what this machine knows of a channel that is owned here, for as long as the roster knows it.
type record struct {
	Owned
	hash     update.Hash // of the version; zero without one
	size     uint32      // of the document, in bytes; 0: unknown
	unsent   unsent      // whether the latest may not have reached all subscribers
	previous update.Hash // of the version before the latest; zero: unknown
	// numberedAt is when the latest was numbered, by Env.Now.
	numberedAt time.Duration
	now        *numbered // or nil
	tree       tree
}

// unsent is what is known of a version that this node has not sent to all.
type unsent uint8

const (
	nothing   unsent = iota // all were sent it, or the version was numbered too long ago
	byAnother               // the primary was to send it: this node does if it becomes the primary meanwhile
	lacked                  // a node lacks it: this node sends it, also in the primary's place
)

// ID returns the channel's ID.
func (o *record) ID() engine.ID { return o.Channel().ID }

// raise makes a version the channel's latest.
func (o *record) raise(version uint64, h update.Hash, size uint32, at time.Duration) {
	if o.hash != h {
		o.previous = o.hash
	}
	o.SetState(version, o.Stamp())
	o.hash = h
	if size > 0 {
		o.size = size
	}
	o.numberedAt = at
}

// numbered is an accepted content that has its number.
type numbered struct {
	update  update.Update
	stage   stage
	timer   engine.Timer
	waitFor []engine.ID // other owners that have not noted it
	again   bool        // it was sent to them twice

	lacking []lacking // deferred requests for the version; at most maxLacking

	complete  *update.Update // with what leads to the content; nil: unknown
	lookingUp bool           // the library is asked for that
	published bool           // and the version waits for it
}

// stage is what a numbered content waits for; see the package's diagram.
type stage uint8

const (
	keeping    stage = iota // for the library to store it
	committing              // for the other owners to note its number
	witnessing              // for witnesses to poll the origin
)

// current reports whether a numbered content is the channel's, in stage s. Late answers and timers find that it is not.
func (o *record) current(c *numbered, s stage) bool { return !o.Gone() && o.now == c && c.stage == s }

// sendable returns the update, with what leads to it if that is known.
func (c *numbered) sendable() *update.Update {
	if c.complete != nil {
		return c.complete
	}
	return &c.update
}

// lacking is a request for a version that has its number, and is not published yet.
type lacking struct {
	from    engine.Peer
	request *Missing
}

// maxLacking is how many such requests wait. Only other owners learn of a number before it is published.
const maxLacking = 8
