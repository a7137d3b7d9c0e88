package trees

import (
	"fmt"
	"slices"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
)

// feedNote is an update of a feed, and its fate at each seat: the place of a reader among those of the feed.
type feedNote struct {
	feed  int
	at    time.Duration
	seats []seatNote
}

type seatNote struct {
	due    bool          // the reader was a member when the update was published
	life   uint16        // which life it lived then
	came   time.Duration // after how long, in some life; 0: it has not
	in     uint16        // which life that was
	path   time.Duration // the way that it came, in coordinates
	pulled bool
}

// lateAtMostPull is how long a reader that stays up may lack an update before it is lost.
const lateAtMostPull = 5 * time.Minute

func (w *feedsWorld) publish(feed int) *feedNote {
	p := &feedNote{feed: feed, at: w.Now()}
	for i, n := range w.readers[feed] {
		p.seats = append(p.seats, seatNote{due: w.member[feed][i], life: w.lives[n]})
	}
	w.notes, w.byFeed[feed] = append(w.notes, p), append(w.byFeed[feed], p)
	m := testnet.NewNote(len(w.notes))
	w.Do(sim.Node(feed), func(engine.Protocol) { w.at(sim.Node(feed)).Publish(w.topics[feed], m) })
	return p
}

// every publishes an update of a feed again and again, from some time from now on for a time.
func (w *feedsWorld) every(feed int, period, from, until time.Duration) {
	for at := from; at < until; at += period {
		w.After(at, func() { w.publish(feed) })
	}
}

// came notes the way of an update: it goes before its delivery.
func (w *feedsWorld) came(n, from sim.Node, e rappel.Came) {
	p := w.byFeed[w.number[e.Topic]][e.Number-1] // publishers stay up, so that none begins another epoch
	seat := &p.seats[w.seat[n][p.feed]]
	if seat.came > 0 {
		return
	}
	seat.path, seat.pulled = w.Distance(from, n), e.Pulled
	if int(from) != p.feed {
		seat.path += p.seats[w.seat[from][p.feed]].path
	}
}

func (w *feedsWorld) delivered(at time.Duration, n sim.Node, number uint64) {
	p := w.notes[number-1]
	seat := &p.seats[w.seat[n][p.feed]]
	switch {
	case seat.came == 0:
		seat.came, seat.in = at-p.at, w.lives[n]
	case seat.in == w.lives[n]:
		w.twice++
	}
}

// delivery is the fate of some updates, at readers that have been members since before they were published and have
// stayed up until they had them.
type delivery struct {
	outcome
	lost         int
	twice, noise int       // in all, at whatever reader; see total
	pulled       []float64 // ascending: those of the delays that were not pushed
	stretch      []float64 // ascending; of the time, against half of the direct round trip
	ways         []float64 // ascending; of the way in coordinates, against the direct one
}

// total returns the fate of all updates, with those that came twice or were not requested.
func (w *feedsWorld) total() delivery {
	d := w.outcome(w.notes, nil)
	d.twice, d.noise = w.twice, w.noises()
	return d
}

// outcome returns the fate of updates at those readers that only selects; nil: all.
func (w *feedsWorld) outcome(notes []*feedNote, only func(n sim.Node) bool) (d delivery) {
	for _, p := range notes {
		for i, n := range w.readers[p.feed] {
			seat := p.seats[i]
			if !seat.due || only != nil && !only(n) {
				continue
			}
			if came := seat.came.Seconds(); came > 0 && seat.in == seat.life {
				d.due++
				d.delays = append(d.delays, came)
				d.stretch = append(d.stretch, stats.Share(came, w.RTT(sim.Node(p.feed), n).Seconds()/2))
				d.ways = append(d.ways, stats.Share(seat.path.Seconds(), w.Distance(sim.Node(p.feed), n).Seconds()))
				if seat.pulled {
					d.pulled = append(d.pulled, came)
				}
			} else if w.lives[n] == seat.life && w.Now() > p.at+lateAtMostPull {
				d.due++
				d.lost++
				w.run.Remark(fmt.Sprintf(
					"Of %d readers, %d children each, silent %v: reader %d lacks the update of feed %d at %v.",
					len(w.subscriptions), w.config.Children, w.silent, n, p.feed, p.at))
			}
		}
	}
	for _, list := range [][]float64{d.delays, d.pulled, d.stretch, d.ways} {
		slices.Sort(list)
	}
	return d
}
