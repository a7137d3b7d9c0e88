package overlay

import (
	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// Profile is what a node says of itself to its neighbours.
type Profile struct {
	// Version is drawn when the node starts and rises by 1 with each change of what follows. It is never 0.
	Version uint32 `cbor:"1,keyasint"`
	// Follows is the topics that the node has joined.
	Follows interest.Set `cbor:"2,keyasint" max:"2049"`
	// Publishes is the topics that the node publishes on without having joined them. It wants neighbours that follow
	// them, and covers them for nobody.
	Publishes interest.Set `cbor:"3,keyasint" max:"2049"`
}

// Standing is the size of one of the sender's neighbour sets and the size that it aims at: |neighbors| and L of
// Figure 1.
type Standing struct {
	Degree uint16 `cbor:"1,keyasint"`
	Target uint16 `cbor:"2,keyasint"`
}

// Connect asks the receiver to become a neighbour (Figure 2, line 20). A node sends it to cover topics, to return to a
// neighbour that it lost, or because it was redirected. The receiver owes a ConnectOK or a Redirect.
type Connect struct {
	Task     Task     `cbor:"1,keyasint"`
	Standing Standing `cbor:"2,keyasint"`
	Profile  Profile  `cbor:"3,keyasint"`
	// Tasks is as in Heartbeat. If the receiver has had the sender in another set for a while, it knows that the sender
	// has started anew.
	Tasks uint8 `cbor:"4,keyasint"`
}

// ConnectOK accepts a Connect: the sender has the receiver in its neighbour set (Figure 4, line 33). The receiver adds
// the sender to its own, or owes a Leave.
type ConnectOK struct {
	Task     Task     `cbor:"1,keyasint"`
	Standing Standing `cbor:"2,keyasint"`
	Profile  Profile  `cbor:"3,keyasint"`
}

// Redirect refuses a Connect because the sender has neighbours enough. It names one of them that has not and shares
// most with the receiver (Figure 4, line 9). To is zero if there is none; also a node that shares no topic answers so.
type Redirect struct {
	Task Task        `cbor:"1,keyasint"`
	To   engine.Peer `cbor:"2,keyasint"` // hearsay
}

// Disconnect asks a neighbour for leave to go: the sender is covered without it (Figure 2, lines 25 and 29). The
// receiver answers with a DisconnectOK if it can do without the sender too, else not at all.
type Disconnect struct {
	Task Task `cbor:"1,keyasint"`
}

// DisconnectOK grants a Disconnect: the sender has removed the receiver, which does the same (Figure 4, line 24).
type DisconnectOK struct {
	Task Task `cbor:"1,keyasint"`
}

// Leave says that the receiver is in none of the named neighbour sets of the sender. The sender stops, has no room for
// a node that accepted it, or knows nothing of a link that the receiver believes in. Tasks has a bit for each task.
type Leave struct {
	Tasks uint8 `cbor:"1,keyasint"`
}

// Heartbeat goes to each neighbour every Config.Heartbeat (section 2.3). The receiver stores its contents. It sends a
// Leave for sets in which it does not have the sender. It sends a ProfileChanged if Known is not its version.
type Heartbeat struct {
	// Tasks has a bit for each of the sender's neighbour sets that the receiver is in.
	Tasks uint8 `cbor:"1,keyasint"`
	// Known is the version of the receiver's profile that the sender knows in full; 0: none.
	Known  uint32   `cbor:"2,keyasint"`
	Greedy Standing `cbor:"3,keyasint"`
	Random Standing `cbor:"4,keyasint"`
	// Idle has a bit for each of the sender's sets that could do without the receiver, and all others of which this
	// round of heartbeats says so.
	Idle uint8 `cbor:"5,keyasint"`
}

// ProfileChanged sends a neighbour the sender's profile, when it has changed or a Heartbeat shows that it is not known
// (section 2.4).
type ProfileChanged struct {
	Profile Profile `cbor:"1,keyasint"`
}

// Topics says which topics the sender really follows of those in the receiver's profile. A neighbour with a filter as
// its set owes it whenever either profile has changed: until it comes no event is carried on the link.
type Topics struct {
	Version uint32       `cbor:"1,keyasint"`             // of the sender's profile
	Of      uint32       `cbor:"2,keyasint"`             // the version of the receiver's that was compared
	Names   interest.Set `cbor:"3,keyasint" max:"32768"` // exact
}

// Messages is what the overlay says: kinds 16 to 47 of SpiderCast.
var Messages = []engine.MessageType{
	{Message: new(Connect), Class: engine.Control},
	{Message: new(ConnectOK), Class: engine.Control},
	{Message: new(Redirect), Class: engine.Control},
	{Message: new(Disconnect), Class: engine.Control},
	{Message: new(DisconnectOK), Class: engine.Control},
	{Message: new(Leave), Class: engine.Control},
	{Message: new(Heartbeat), Class: engine.Control},
	{Message: new(ProfileChanged), Class: engine.Control},
	{Message: new(Topics), Class: engine.Control},
}

func kind(n byte) engine.Kind { return engine.KindOf(engine.SpiderCast, n) }

// Kind returns the number of Connect.
func (*Connect) Kind() engine.Kind { return kind(16) }

// Kind returns the number of ConnectOK.
func (*ConnectOK) Kind() engine.Kind { return kind(17) }

// Kind returns the number of Redirect.
func (*Redirect) Kind() engine.Kind { return kind(18) }

// Kind returns the number of Disconnect.
func (*Disconnect) Kind() engine.Kind { return kind(19) }

// Kind returns the number of DisconnectOK.
func (*DisconnectOK) Kind() engine.Kind { return kind(20) }

// Kind returns the number of Leave.
func (*Leave) Kind() engine.Kind { return kind(21) }

// Kind returns the number of Heartbeat.
func (*Heartbeat) Kind() engine.Kind { return kind(22) }

// Kind returns the number of ProfileChanged.
func (*ProfileChanged) Kind() engine.Kind { return kind(23) }

// Kind returns the number of Topics.
func (*Topics) Kind() engine.Kind { return kind(24) }
