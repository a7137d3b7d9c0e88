package channels

// Facts are all that decides what a node does about a channel.
type Facts struct {
	// Followed says that accounts here follow the channel, and that other nodes may know it.
	Followed bool
	// Private says that people here follow it, or have followed it, in a way of their own. That is with a password,
	// unlisted, or by rules that change its content. No other node gets to know what this one sees of it.
	Private bool
	// Alone says that there is no network, or that it has stopped.
	Alone bool
	// Assigned says that the network's plan makes this node poll the channel. Relayed says that this node makes the
	// network's versions of it and keeps its content for that.
	Assigned, Relayed bool
	// Pushed says that its publisher pushes what is new and keeps its promises.
	Pushed bool
	// Volunteers says that in this network the followers of a channel poll it in turns. NoTurn says that there is no
	// room for this channel in that.
	Volunteers, NoTurn bool
	// Acknowledged says that the channel's owners hold this node's subscription.
	Acknowledged bool
	// Trust is how far the owners are relied on.
	Trust Reliance
}

// Reliance is how far a node relies on the owners of a channel.
type Reliance uint8

// The degrees of reliance.
const (
	Relied Reliance = iota // they bring what is new
	Denied                 // they deny what this node sees: either they lie, or it is shown something else than others
	Silent                 // they do not answer
)

// Plan is what a node does about a channel.
type Plan struct {
	// Subscribe says that the owners are asked to have the channel polled for the readers here. Turns says that this
	// node polls in turns with the other followers.
	Subscribe, Turns bool
	// Keep says that the store keeps the content for other nodes. Guest says that it has no followers here. Shared says
	// that findings are compared with what other nodes see.
	Keep, Guest, Shared bool
	// Poll says when this node polls.
	Poll Cadence
}

// Cadence is what decides when a node polls a channel.
type Cadence uint8

// The cadences.
const (
	Own        Cadence = iota // once an interval, as a node without others would
	Assigned                  // at the slot of the network's plan
	PushBackup                // rarely, in case the publisher has not pushed everything
	TurnBackup                // rarely, besides its turns
	Backup                    // rarely, in case the network has missed something
	Doubtful                  // more often than that, as the owners deny what it sees
	OnRequest                 // only when the network asks for it
)

// String returns the cadence in a word.
func (c Cadence) String() string {
	return [...]string{"own", "assigned", "push backup", "turn backup", "backup", "doubtful", "on request"}[c]
}

// Decide returns what a node does about a channel of which this is known. It is a pure function: after any change, the
// new plan follows from the new facts alone.
func Decide(f Facts) Plan {
	p := Plan{
		Keep:  (f.Assigned || f.Relayed) && !f.Private,
		Turns: f.Followed && f.Volunteers && !f.Pushed && !f.Alone && !f.NoTurn,
	}
	p.Subscribe = f.Followed && !f.Pushed && !f.Alone && !f.Volunteers
	p.Guest, p.Shared = p.Keep && !f.Followed, p.Keep || f.Followed
	switch {
	case f.Assigned && !f.Private:
		p.Poll = Assigned
	case f.Followed && f.Pushed && !f.Alone: // where there is no network, nothing is pushed
		p.Poll = PushBackup
	case p.Turns:
		p.Poll = TurnBackup
	case f.Followed && f.Acknowledged && f.Trust == Denied:
		p.Poll = Doubtful
	case f.Followed && f.Acknowledged && f.Trust == Relied:
		p.Poll = Backup
	case p.Guest:
		p.Poll = OnRequest
	}
	return p
}
