package volunteer

import "tidings/network/engine"

// Tree carries volunteers' reports to all that follow a channel; Scribe does.
type Tree interface {
	Join(topic engine.ID)
	Leave(topic engine.ID)
	Publish(topic engine.ID, event engine.Message)
}

// Poller polls channels. Its methods return at once and call nothing back before they do.
type Poller interface {
	// Poll polls a channel once, now. The caller reports the result by Node.Polled.
	Poll(channel engine.ID)
	// Take stores what another node has found. The caller reports the result by Node.Taken: a channel's next is not
	// passed before.
	Take(found *PollReport)
	// Opinion returns what this node thinks of one that claims to have polled.
	Opinion(finder engine.ID) Opinion
}

// Opinion is what a node thinks of another that polls for it. Each node decides which others to believe.
type Opinion uint8

// The opinions.
const (
	Neutral Opinion = iota
	// Preferred has its polls count as this node's own: Config.Trust begins anew with each.
	Preferred
	// Distrusted nodes' findings are not accepted, nor their polls counted. A content that such a node alone reports
	// makes this node poll by itself.
	Distrusted
)

// Found is what a poll gave.
type Found struct {
	Base     Hash   // what Payload is to be applied to; zero: nothing
	Hash     Hash   // of the content; zero: the poll failed, and counts as none
	Modified int64  // as in PollReport
	Payload  []byte // what leads to it; empty: it was here before, or that is too long
}
