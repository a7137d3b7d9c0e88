package feedtree

import (
	"time"

	"tidings/network/engine"
)

// Status is how a channel that is followed is.
type Status struct {
	Topic   engine.ID   // the present one
	Pin     Fingerprint // of the key that is accepted now
	Have    uint64      // up to here all items are kept, or given up
	Later   int         // items above that are kept, or here
	Last    uint64      // the latest item that is known to exist
	Spoken  int64       // when the publisher has spoken last, as it has signed: in milliseconds since 1970; 0: never
	Silence time.Duration
	Heard   bool // it has spoken in time since Follow
	Overdue bool
	Revoked bool
	Doubled bool // it has given a number twice
}

// Healthy reports whether pushes bring all that there is.
func (s Status) Healthy() bool {
	return s.Heard && !s.Overdue && !s.Revoked && !s.Doubled && s.Silence > 0 && s.Have == s.Last
}

// Status returns how a channel is, by any of its topics, and whether it is followed.
func (n *Node) Status(topic engine.ID) (s Status, ok bool) {
	f := n.followings.index[topic]
	if f == nil {
		return s, false
	}
	now := f.present()
	return Status{
		Topic: now.topic, Pin: now.pin, Have: f.have, Later: len(f.later), Last: f.last,
		Spoken: f.voice.lastTime, Silence: f.voice.silence, Heard: f.voice.heard, Overdue: f.voice.overdue,
		Revoked: f.void,
		Doubled: n.convictions.on(now.topic) != nil,
	}, true
}

// Checking reports whether the network is still being asked which items exist of a publisher at this node. Nothing is
// sent before it has answered.
func (n *Node) Checking(topic engine.ID) bool {
	return n.authors.isChecking(topic)
}

// Load is what a node keeps.
type Load struct {
	Followings, Authored int
	Pending, Bytes       int // items that wait for others or the Library, and their entries
	Verified, Topics     int
}

// Load returns what this node keeps.
func (n *Node) Load() Load {
	return Load{
		Followings: len(n.followings.list), Authored: len(n.authors.index),
		Pending: n.pending.items, Bytes: n.pending.bytes, Verified: len(n.record.verified.order),
		Topics: len(n.record.marks.order),
	}
}
