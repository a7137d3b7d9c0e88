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
	// Take is given what another node has found; it says whether that was news here.
	Take(channel engine.ID, found *Looked) (news bool)
}

// Found is what a poll gave.
type Found struct {
	Hash    Hash   // of the content; zero: the poll failed, and counts as none
	Payload []byte // what leads to it; empty: it was here before
}
