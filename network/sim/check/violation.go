package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Violation is something that must not happen and did.
type Violation struct {
	What  string // which promise was broken, and how
	Seed  uint64 // of the world
	At    time.Duration
	Node  sim.Node  // below zero: no node in particular
	ID    engine.ID // the node's
	Topic engine.ID // zero: no topic in particular
	Story []string  // the last events of the topic, the oldest first
	More  int       // how many violations of the same kind came after this one

	Command string // that repeats the run; empty: not known
}

// Error describes the violation on one line, and its story below.
func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, at %v", v.Seed, v.At)
	if v.Node >= 0 {
		fmt.Fprintf(&b, ", node %d (%s)", v.Node, v.ID.Short())
	}
	if v.Topic != (engine.ID{}) {
		fmt.Fprintf(&b, ", topic %s", v.Topic.Short())
	}
	fmt.Fprintf(&b, ": %s", v.What)
	if v.More > 0 {
		fmt.Fprintf(&b, " (and %d more)", v.More)
	}
	for _, line := range v.Story {
		b.WriteString("\n\t" + line)
	}
	if v.Command != "" {
		b.WriteString("\n\trepeat it by: " + v.Command)
	}
	return b.String()
}

// Bounds of what is remembered for stories.
const (
	journalLength = 1 << 14 // events of the whole run
	storyLength   = 20      // events of one story
)

// journal is the last events of a run.
type journal struct {
	entries []entry // a ring once it is full
	next    int     // where the next is written
}

type entry struct {
	at    time.Duration
	node  sim.Node
	event Event
}

func (j *journal) add(at time.Duration, n sim.Node, e Event) {
	if len(j.entries) < journalLength {
		j.entries = append(j.entries, entry{at, n, e})
		return
	}
	j.entries[j.next] = entry{at, n, e}
	j.next = (j.next + 1) % journalLength
}

// about returns the last events of a topic, the oldest first; of no topic, the last events.
func (j *journal) about(topic engine.ID) []string {
	var story []string
	for i := len(j.entries) - 1; i >= 0 && len(story) < storyLength; i-- {
		e := j.entries[(j.next+i)%len(j.entries)]
		if topic == (engine.ID{}) || e.event.about() == topic {
			story = append(story, e.String())
		}
	}
	slices.Reverse(story)
	return story
}

func (e entry) String() string {
	place := fmt.Sprintf("node %d", e.node)
	if e.node < 0 {
		place = "the world"
	}
	return fmt.Sprintf("%v %s %s", e.at, place, e.event)
}
