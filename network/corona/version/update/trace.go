package update

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Refused is traced if a message from another node was not accepted, because it cannot be true.
type Refused struct {
	Channel engine.ID
	Version uint64
	From    engine.ID
	Why     Why
}

// Why is the reason in a trace event.
type Why string

// The reasons.
const (
	Known         Why = "the content is that of the latest version"
	Old           Why = "the content is that of an earlier version"
	Noise         Why = "the content differs from request to request"
	FalseReporter Why = "the finder has made false reports before"
	Unconfirmed   Why = "nobody else sees it"
	Replaced      Why = "the origin has changed again since"
	Unfit         Why = "what was sent does not make the content"
	Overtaken     Why = "another owner has given a higher number"
	Unowned       Why = "this node does not own the channel"
	Impossible    Why = "the content cannot have this number"
	Equivocal     Why = "the number belongs to another content"
	Stranger      Why = "it does not come from an owner"
	Forged        Why = "it is not signed as it should be"
	Unsound       Why = "it is not signed by its finder"
	Unproved      Why = "the channel's readers are not proved"
)

// Refuse traces that a message was not accepted.
func Refuse(b *machine.Base, channel engine.ID, version uint64, from engine.Peer, why Why) {
	b.Env.Trace(Refused{channel, version, from.ID, why})
}
