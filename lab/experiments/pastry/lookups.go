package pastry

import (
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// lookup is the payload of the lookups.
type lookup struct {
	Number uint64 `cbor:"1,keyasint"`
}

func (*lookup) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 3) }

var lookupVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(lookup), Class: engine.Update}},
}

// maxLookup is how long a lookup may take to count as right.
const maxLookup = time.Minute

// expectLookups begins to judge lookups anew.
func (r *ring) expectLookups() {
	r.lookups = check.NewLookups(r.World)
	r.lookups.Within, r.lookups.AtLeast, r.lookups.MayRepeat = maxLookup, 0.5, true
	r.lookups.Member = func(n sim.Node) bool { return r.at(n).Active() }
	r.hops = nil
}

// Forward lets every lookup go on.
func (m *member) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

// Deliver ends a lookup.
func (m *member) Deliver(key engine.ID, _ engine.Peer, payload engine.Message, hops int) {
	r := m.ring
	before := r.lookups.Figures().Duplicate
	r.lookups.Observe(r.Now(), m.node, check.Found{Key: key, Number: payload.(*lookup).Number})
	if r.lookups.Figures().Duplicate > before {
		return
	}
	for len(r.hops) <= hops {
		r.hops = append(r.hops, 0)
	}
	r.hops[hops]++
}

// lookUp has a node that is part of the ring look a random key up.
func (r *ring) lookUp() {
	key, from := engine.DrawID(r.Chance), r.Someone()
	r.sought++
	r.lookups.Observe(r.Now(), from, check.Sought{Key: key, Number: r.sought})
	r.at(from).Route(key, &lookup{r.sought})
}

// lookUpDuring makes n lookups, evenly over a time, as the present stage. It returns how many nodes were up on average.
func (r *ring) lookUpDuring(n int, d time.Duration) (up float64) {
	began := r.Now()
	for i := range n {
		r.lookUp()
		up += float64(len(r.Live)) / float64(n)
		until := began + time.Duration(float64(d)*float64(i+1)/float64(n))
		r.Run.Pass(r.World, until-r.Now())
		r.Run.Part(i+1, n)
	}
	return up
}

// judged waits until the last lookups are due and returns how all went.
func (r *ring) judged() check.Figures {
	for range maxLookup / time.Second {
		r.Run.Pass(r.World, time.Second)
	}
	r.lookups.Finish(r.World)
	return r.lookups.Figures()
}

// wrong returns how many lookups did not go right.
func (r *ring) wrong() int {
	f := r.judged()
	return int(f.Wrong + f.Lost)
}
