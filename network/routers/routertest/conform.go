package routertest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/sim/simtest"
)

// Promises are what a router says of itself beyond what all have to do.
type Promises struct {
	// Noiseless: no note comes to a node that has not joined its topic, except the root.
	Noiseless bool

	// MembersOnly: only a node that has joined a topic publishes on it.
	MembersOnly bool

	// Kept is how many notes of a topic a subscriber that was cut off can get afterwards: no more are published in a
	// run. At least 8.
	Kept int

	// Recovery is how long the network can fall in parts. Afterwards each part's subscribers get what was published in
	// the others. 0: nothing is promised for such times, and none are tested.
	Recovery time.Duration

	// Joining is how long after Join, or after it has started again, a node may still miss notes.
	Joining time.Duration

	// Settling is how long after the end of faults, or after many nodes joined, everything is back to normal: all notes
	// are delivered, and nodes send as few messages as before.
	Settling time.Duration

	// Survives, if not nil, switches off of the faults of a run those that the router promises nothing
	// about.
	Survives func(*simtest.Plan)
}

// Conform tests a router in runs of several kinds, each with many seeds. All subscribers that are up get all notes,
// each once and as it was published, and no other node does. Afterwards it is quiet.
func Conform[R network.Router](t *testing.T, p Protocol[R], promises Promises) {
	for _, s := range scenes[R]() {
		t.Run(s.name, func(t *testing.T) {
			if s.cuts && promises.Recovery == 0 {
				t.Skip("nothing is promised for when the network falls in parts")
			}
			simtest.Run(t, s.seeds, func(t *simtest.T) {
				c := p.SimConfig()
				c.Latency = Space(t.Seed())
				if err := play(t.World(c), p, promises, s); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// play makes one run and returns what was wrong in it.
func play[R network.Router](w *sim.World, p Protocol[R], promises Promises, s scene[R]) error {
	trial := newTrial(w, p, promises)
	s.play(trial)
	trial.finish()
	err := errors.Join(trial.wrong...)
	if err != nil && trial.plan != (simtest.Plan{}) {
		err = fmt.Errorf("with %v: %w", trial.plan, err)
	}
	return err
}

// trial is one run: nodes at rest, a part of them subscribers.
type trial[R network.Router] struct {
	*World[R]
	promises Promises
	topics   []engine.ID
	rest     float64 // messages that were sent by a node in a minute before anything happened
	busy     bool    // other nodes subscribe than at rest
	plan     simtest.Plan
	wrong    []error
}

// What trials are like. The publishers are the first nodes, of which one has joined all topics and the other none. They
// stay up, as no other node has a note before it has been forwarded.
const (
	trialNodes  = 20
	trialTopics = 3
	member      = sim.Node(0)
	stranger    = sim.Node(1)
	publishers  = 2
	noteBytes   = 200
)

func newTrial[R network.Router](w *sim.World, p Protocol[R], promises Promises) *trial[R] {
	c := &trial[R]{promises: promises}
	checkers := []check.Checker{&check.Complete{Grace: promises.Joining}, &check.Queues{}}
	if promises.Noiseless {
		checkers = append(checkers, &check.Noiseless{Grace: lately,
			Except: func(n sim.Node, topic engine.ID) bool { return c.isRoot(n, topic) }})
	}
	c.World = New(w, p, Settings{Nodes: trialNodes, Checkers: checkers})
	for i := range trialTopics {
		c.topics = append(c.topics, Topic(i))
		c.Join(member, Topic(i))
		for n := sim.Node(publishers); n < trialNodes; n++ {
			if c.Rand().IntN(2) == 0 {
				c.Join(n, Topic(i))
			}
		}
	}
	c.Run(promises.Joining + promises.Settling)
	c.rest = c.load()
	return c
}

// measuring is how long messages are counted to report whether it is quiet.
const measuring = 5 * time.Minute

// load returns how many messages a node sends in a minute on average.
func (c *trial[R]) load() float64 {
	before := c.sent()
	c.Run(measuring)
	return float64(c.sent()-before) / float64(len(c.Live())) / measuring.Minutes()
}

func (c *trial[R]) sent() (messages uint64) {
	for _, k := range c.Counters().Kinds {
		messages += k.Sent
	}
	return messages
}

// publish has a topic's next note published by one of the publishers.
func (c *trial[R]) publish() {
	n := member
	if !c.promises.MembersOnly && c.Rand().IntN(2) == 0 {
		n = stranger
	}
	c.Publish(n, c.topics[c.Rand().IntN(len(c.topics))], noteBytes)
}

// notes returns how many notes may be published in a run.
func (c *trial[R]) notes() int { return min(c.promises.Kept, 30) }

// pause lets a random time pass, up to most.
func (c *trial[R]) pause(most time.Duration) { c.Run(time.Duration(c.Rand().Int64N(int64(most)))) }

// finish lets all settle, and asks the oracles.
func (c *trial[R]) finish() {
	c.Settle()
	c.Run(c.promises.Joining + c.promises.Settling)
	after := c.load()
	if most := c.rest*noisier + 1; after > most && !c.busy {
		c.wrong = append(c.wrong,
			fmt.Errorf("seed %d: a node sends %.1f messages a minute in the end, where %.1f were sent before and "+
				"%.1f are allowed",
				c.Seed(), after, c.rest, most))
	}
	if err := c.Watch.Finish(); err != nil {
		c.wrong = append(c.wrong, err)
	}
}

// noisier is how many times as much as at rest may be sent when all is over: rings know more of each other then.
const noisier = 1.5
