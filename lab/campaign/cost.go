package campaign

import (
	"fmt"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

// What a run may cost. A world that would cost more by the estimate has shorter phases, and polls more often so that what is
// waited for is shorter; one that does all the same is not judged to its end, and its log says so.
const (
	maxEvents      = 20_000_000 // some two minutes of processor time
	aimedAt        = maxEvents / 2
	leastPhaseStay = 2 * time.Minute
	leastInterval  = 5 * time.Minute
)

// eventsANode is about how many events a node has in a minute by router, and those of looking after the ring with an upkeep of 1.
var eventsANode = map[string]float64{"direct": 10, "scribe": 20, "rappel": 60, "spidercast": 150, "newswire": 200}

const eventsOfUpkeep = 50

// mostInZone is how many members or zones a zone has at most: each node keeps the tables of its zones whole.
const mostInZone = 64

// home returns the zone of a node: neighbours by number are in different ones.
func (w *World) home(n sim.Node) zone.Path {
	if w.Zoned == 0 {
		return zone.Root
	}
	zones := (w.Nodes + w.Zoned - 1) / w.Zoned
	i := int(n) % zones
	if zones <= mostInZone {
		return zone.Path(fmt.Sprintf("/z%d", i))
	}
	return zone.Path(fmt.Sprintf("/y%d/z%d", i%mostInZone, i/mostInZone))
}

// bound shortens what would take too long, and notes what it has cut.
func (w *World) bound() {
	before := *w
	w.shortenPhases()
	for _, c := range []struct {
		what    string
		was, is any
	}{{"nodes", before.Nodes, w.Nodes}, {"interval", before.Interval.D(), w.Interval.D()}, {"storm", before.Storm.D(), w.Storm.D()}} {
		if c.was != c.is {
			w.Cut = append(w.Cut, fmt.Sprintf("%s from %v to %v", c.what, c.was, c.is))
		}
	}
}

func (w *World) shortenPhases() {
	for w.estimate() > aimedAt && w.Interval.D() > leastInterval {
		w.Interval = max(w.Interval/2, Seconds(leastInterval))
		w.Calm = w.Interval
	}
	for w.estimate() > aimedAt && w.Storm.D() > leastPhaseStay {
		w.Storm = max(w.Storm/2, Seconds(leastPhaseStay))
	}
	for w.estimate() > aimedAt && w.Nodes > 2*MinNodes {
		w.keep(w.Nodes * 3 / 4)
	}
}

// estimate returns about how many events a run has.
func (w *World) estimate() float64 {
	minutes := (w.before() + w.Storm.D() + quietLasts + w.recovery() + w.Calm.D() + w.arrival()).Minutes()
	return minutes * float64(w.Nodes) * (eventsANode[w.Router] + eventsOfUpkeep/float64(w.Upkeep))
}
