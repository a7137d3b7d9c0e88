package campaign

import (
	"fmt"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/sim"
)

// What a run may cost. If the estimated cost of a world is higher, it gets shorter phases, and polls more often so that
// what it waits for is shorter. If it still costs more, it is not judged to its end, and its log says so.
const (
	maxEvents      = 20_000_000 // some two minutes of processor time
	aimedAt        = maxEvents / 2
	leastPhaseStay = 2 * time.Minute
	leastInterval  = 5 * time.Minute
)

// eventsANode is about how many events a node has in a minute, by router. The last entry is for looking after the ring
// with an upkeep of 1.
var eventsANode = map[string]float64{"direct": 10, "scribe": 20, "rappel": 60, "spidercast": 150, "newswire": 200}

const eventsOfUpkeep = 50

// eventsOfDelivery is about how many events an update causes at each of its readers.
const eventsOfDelivery = 3

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

// bound shortens what would run too long, and notes what it has cut.
func (w *World) bound() {
	before := *w
	w.shortenPhases()
	for _, c := range []struct {
		what    string
		was, is any
	}{{"nodes", before.Nodes, w.Nodes}, {"interval", before.Interval.D(), w.Interval.D()},
		{"storm", before.Storm.D(), w.Storm.D()}} {
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
	return minutes * (float64(w.Nodes)*(eventsANode[w.Router]+eventsOfUpkeep/float64(w.Upkeep)) +
		eventsOfDelivery*w.deliveries())
}

// deliveries returns how often an update comes to a reader in a minute, at most: a channel has no more updates than
// changes, and no more than its readers poll.
func (w *World) deliveries() (sum float64) {
	for _, c := range w.Channels {
		readers := float64(c.Readers)
		sum += readers / max(c.Every.D().Minutes(), w.Interval.D().Minutes()/readers)
	}
	return sum
}
