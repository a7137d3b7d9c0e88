package overlay

import (
	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// Task is one of the two neighbour maintenance tasks. Each has a neighbour set, a K and an L of its own (section 2.3).
type Task uint8

// The tasks.
const (
	Greedy Task = iota // chooses the one that covers the most topics that lack cover
	Random             // chooses any that covers one of them
	tasks  = iota
)

func (t Task) String() string {
	if t == Greedy {
		return "greedy"
	}
	return "random"
}

// bit stands for a task in messages.
func (t Task) bit() uint8 { return 1 << t }

// Candidates are the nodes that this node may connect to: its interest view (Figure 1), asked for the next one as in
// Figure 5. The overlay reports what has changed, so that a choice need not look at all: see [Index]. An experiment can
// have one table for all nodes instead.
type Candidates interface {
	// Need reports that a task lacks cover of a topic, or no longer does. At first nothing is needed.
	Need(task Task, topic engine.ID, on bool)
	// Forget reports that the node has nothing more to do with a topic, which is not needed any more.
	Forget(topic engine.ID)
	// Exclude has a node not chosen for a task, or chosen again: a neighbour, or one that was asked lately. It may be
	// called with what it knows already, and of nodes that it does not know.
	Exclude(task Task, id engine.ID, on bool)
	// Best returns a candidate that follows as many of the topics that the task lacks as any, at least one: the argmax
	// of Figure 5, line 8.
	Best(task Task) (engine.Peer, bool)
	// Any returns a random candidate that follows at least one of them (Figure 5, line 18).
	Any(task Task) (engine.Peer, bool)
	// Alike returns a random one of the candidates that follow most of this node's topics, whatever the task lacks. It
	// also returns which of the topics that candidate follows. It may find none although there are matching ones.
	Alike(task Task) (p engine.Peer, shared []interest.Name, ok bool)
}

// MostAlike is how many of those that share most topics Alike draws from.
const MostAlike = 60

// Links is called with links as they come and go: the dissemination. shared are the topics that both ends follow, and
// those that this end publishes on and the other follows. No slice is changed afterwards. It must not call back before
// it returns.
type Links interface {
	LinkUp(p engine.Peer, shared []engine.ID)
	LinkChanged(p engine.Peer, shared []engine.ID)
	LinkDown(p engine.Peer)
}
