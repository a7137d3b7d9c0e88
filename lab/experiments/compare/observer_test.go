package compare

import (
	"math"
	"testing"

	"tidings/lab"
	"tidings/lab/experiments/compare/fan"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/sim"
)

// watching returns an observer of a world in which nothing happens.
func watching(t *testing.T) (o *observer) {
	t.Helper()
	e := lab.Experiment[struct{}]{
		Name: "watched", Title: "A watched world", Source: "none", About: "For a test.",
		Expect: func(struct{}) []lab.Expected { return []lab.Expected{{Name: "one", Within: lab.Exactly(1)}} },
		Run: func(run *lab.Run, _ struct{}) error {
			sites := testnet.Locate(run.Seed(), testnet.PlanetLab(run.Seed()), small.nodes, false)
			work := newWorkload(run.Seed(), zipf05, small.size, trial{}, small.times)
			w := newWorld(run, contestants[0], work, small.times, sites)
			o = w.observer
			run.Figure("one", 1)
			return nil
		},
	}
	if _, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: 1}); err != nil {
		t.Fatal(err)
	}
	return o
}

// An observer that has seen nothing is as right as one that guesses; one that has seen all is right; one that was lied
// to is wrong.
func TestObserverIsJudged(t *testing.T) {
	o := watching(t)
	w := o.world
	nothing := o.judge()
	if nothing.right != nothing.guessed || nothing.guessed <= 0 || nothing.guessed >= 1 || nothing.seen != 0 {
		t.Errorf("who has seen nothing: %+v", nothing)
	}
	for n, follows := range w.interests.Follows {
		for _, topic := range follows {
			o.claim(sim.Node(n), w.topicIDs[topic])
		}
	}
	if f := o.judge(); f.right != 1 || f.seen != 1 || f.mistaken != 0 || f.guessed != nothing.guessed {
		t.Errorf("who has seen all: %+v", f)
	}
	clear(o.claims)
	for n := range sim.Node(w.nodes) {
		for topic := range int32(w.topics) {
			if _, is := find(w.interests.Followers[topic], n); !is {
				o.claim(n, w.topicIDs[topic])
			}
		}
	}
	if f := o.judge(); f.seen != 0 || f.mistaken != 1 || f.right >= nothing.right {
		t.Errorf("who was lied to: %+v", f)
	}
}

// A guess by popularity is right as often as nodes follow the most popular topics.
func TestGuesses(t *testing.T) {
	o := watching(t)
	clear(o.holds)
	most := 0
	for _, followers := range o.world.interests.Followers {
		most = max(most, len(followers))
	}
	none := func(membership) bool { return false }
	if right := o.guess(o.world.nodes, none); math.Abs(right-float64(most)) > 1e-9 {
		t.Errorf("%v of as many guesses as nodes are right, not %d", right, most)
	}
	if right := o.guess(10, none); math.Abs(right-10*float64(most)/float64(o.world.nodes)) > 1e-9 {
		t.Errorf("%v of 10 guesses are right", right)
	}
}

// An observer learns from what comes to its own nodes, and from nothing else. What it believes of whom it holds does
// not count.
func TestObserverSeesItsOwnMessages(t *testing.T) {
	o := watching(t)
	w, own, other := o.world, sim.Node(-1), sim.Node(-1)
	for n := range sim.Node(w.nodes) {
		if o.holds[n] {
			own = n
		} else {
			other = n
		}
	}
	subscribe := &fan.Subscribe{Topic: w.topicIDs[2]}
	see := func(from, to sim.Node, fate sim.Fate, m engine.Message) int {
		clear(o.claims)
		o.tap(sim.Delivery{From: from, To: to, Fate: fate, Message: m})
		return len(o.claims)
	}
	if see(other, own, sim.Received, subscribe) != 1 || !o.claims[membership{other, 2}] {
		t.Errorf("of a subscription it has seen %v", o.claims)
	}
	if n := see(other, other, sim.Received, subscribe); n != 0 {
		t.Errorf("of a message between others it has seen %d memberships", n)
	}
	if n := see(other, own, sim.Sent, subscribe); n != 0 {
		t.Errorf("of a message that may be lost it has seen %d memberships", n)
	}
	if n := see(own, own, sim.Received, subscribe); n != 0 {
		t.Errorf("of itself it has seen %d memberships", n)
	}
}

// Of each router's messages an observer of some nodes learns something true, but where every node carries everything.
func TestObserverReadsAllRouters(t *testing.T) {
	for _, c := range contestants {
		o := measured(t, c, row{kind: zipf05})
		if learns := c.name != "plumtree" && c.name != "central"; learns != (o.found.seen > 0) {
			t.Errorf("%s: an observer sees %+v", c.name, o.found)
		}
		if len(o.state) == 0 || o.state[0] < 500 || o.state[0] > 5e6 {
			t.Errorf("%s: nodes keep %v bytes", c.name, o.state)
		}
	}
}
