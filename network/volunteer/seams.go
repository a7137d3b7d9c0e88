package volunteer

import "tidings/network/engine"

// Tree carries what volunteers tell to all that follow a channel; Scribe does.
type Tree interface {
	Join(topic engine.ID)
	Leave(topic engine.ID)
	Publish(topic engine.ID, event engine.Message)
}

// Poller polls channels. Its methods return at once and call nothing back before they do.
type Poller interface {
	// Poll polls a channel once, now. What comes of it is told by Node.Polled.
	Poll(channel engine.ID)
	// Take is given what another node has found. What becomes of it is told by Node.Taken: a
	// channel's next is not given before.
	Take(found *PollReport)
	// Opinion tells what this node thinks of one that says that it has polled.
	Opinion(finder engine.ID) Opinion
}

// Opinion is what a node thinks of another that looks for it. Whom to believe is for each node to say.
type Opinion uint8

// The opinions.
const (
	Neutral Opinion = iota
	// Preferred has its polls count as this node's own: Config.Trust begins anew with each.
	Preferred
	// Distrusted has nothing taken from it, nor its polls counted. A content that it alone tells of has
	// this node poll by itself.
	Distrusted
)

// Found is what a poll gave.
type Found struct {
	Base     Hash   // what Payload is to be applied to; zero: nothing
	Hash     Hash   // of the content; zero: the poll failed, and counts as none
	Modified int64  // as in PollReport
	Payload  []byte // what leads to it; empty: it was here before, or that is too long
}
