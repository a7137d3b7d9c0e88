package compare

import (
	"slices"
	"time"

	"tidings/lab/stats"
	"tidings/network/sim"
)

// outcome is what was measured of one system with one workload.
type outcome struct {
	due, lost     int       // deliveries of events that were published without trouble; see trouble
	troubledDue   int       // of those that were published in the trouble
	troubledLost  int       //
	twice         int       // deliveries
	noise         int       // events at nodes that do not follow the topic
	came          int       // events at nodes, all counted
	repeated      int       // of these, not for the first time
	delays        []float64 // seconds, ascending; of the counted part, without those of entries
	stretch       []float64 // of these, over direct sends; ascending
	stretchMean   float64   // mean delay over the mean of direct sends
	data, control []float64 // bytes a second of each node, sent and received
	subscriptions []float64 // of each node
	entry         []float64 // events that the entry sent, by event
	busiest       float64   // events that the busiest node sent, for each event that was published
	links         []float64 // of each node: others with which it exchanged messages
	joins         []float64 // seconds until the next event came, by join
	joinsFailed   int
	forged        int       // events that a liar had changed, as they came to nodes
	believed      int       // of these, as they were delivered
	messages      []float64 // a second, sent and received, of each node
	state         []float64 // bytes, of some nodes; none in trouble
	processor     float64   // seconds a second of each node, the simulator included; of the machine; 0 in trouble
	found         found     // by an observer; nothing in trouble
	heal          float64   // seconds after the trouble began until events came soon again
}

// soon is within what time an event comes everywhere where nothing is broken.
const soon = 5 * time.Second

// outcome returns what was measured. Counted is the part of the time of which delays and loads are.
func (m *meter) outcome(counted part, length time.Duration) *outcome {
	w := m.world
	o := &outcome{twice: m.twice, noise: m.noise, came: m.came, repeated: m.repeated,
		forged: m.forged, believed: m.believed, state: m.state, found: m.found,
		processor: m.processor.Seconds() / length.Seconds() / float64(m.world.nodes)}
	direct, sum := 0.0, 0.0
	published := 0
	for _, t := range m.events {
		if t.part == counted {
			published++
			o.entry = append(o.entry, float64(t.copies))
		}
		for i, n := range t.to {
			s, n := &t.seats[i], sim.Node(n)
			if !m.counts(s, n) || t.part == warm {
				continue
			}
			lacks := m.lacks(s, n)
			o.add(t.part, lacks)
			if t.part == trouble && (lacks || s.delay > soon) {
				o.heal = max(o.heal, (t.event.at + w.step()).Seconds())
			}
			if t.part != counted || lacks || n == t.entry {
				continue
			}
			straight := w.sites.Between(nil, t.entry, n).Seconds()
			o.delays = append(o.delays, s.delay.Seconds())
			o.stretch = append(o.stretch, stats.Share(s.delay.Seconds(), straight))
			sum, direct = sum+s.delay.Seconds(), direct+straight
		}
	}
	slices.Sort(o.delays)
	slices.Sort(o.stretch)
	o.stretchMean = stats.Share(sum, direct)
	o.loads(m, length, published)
	for _, j := range m.newcomer {
		if j.after == 0 {
			o.joinsFailed++
		} else {
			o.joins = append(o.joins, j.after.Seconds())
		}
	}
	return o
}

func (o *outcome) add(p part, lacks bool) {
	due, lost := &o.due, &o.lost
	if p == trouble {
		due, lost = &o.troubledDue, &o.troubledLost
	}
	*due++
	if lacks {
		*lost++
	}
}

// loads adds what nodes sent and received that were up at the end.
func (o *outcome) loads(m *meter, length time.Duration, published int) {
	for n := range sim.Node(m.world.nodes) {
		l := m.loads[n]
		o.busiest = max(o.busiest, stats.Share(float64(l.copies), float64(published)))
		if !m.world.Up(n) || m.world.Left[n] > 0 {
			continue
		}
		o.data = append(o.data, float64(l.data)/length.Seconds())
		o.control = append(o.control, float64(l.control)/length.Seconds())
		o.messages = append(o.messages, float64(l.messages)/length.Seconds())
		o.subscriptions = append(o.subscriptions, float64(len(m.world.interests.Follows[n])))
		o.links = append(o.links, float64(len(l.peers)))
	}
}

// step is the mean time between two events of the trouble.
func (w *world) step() time.Duration { return w.times.trouble / time.Duration(max(w.size.events, 1)) }

// delivered returns which share of all that was due came.
func (o *outcome) delivered() float64 {
	return 1 - stats.Share(float64(o.lost+o.troubledLost), float64(o.due+o.troubledDue))
}

// bytes returns what each node sent and received a second.
func (o *outcome) bytes() (all []float64) {
	for i := range o.data {
		all = append(all, o.data[i]+o.control[i])
	}
	return all
}

// unfair returns the Gini coefficient of bytes a subscription: 0 where all nodes pay as much for each, near 1 where one
// pays all.
func (o *outcome) unfair() float64 {
	var each []float64
	for i, bytes := range o.bytes() {
		each = append(each, stats.Share(bytes, o.subscriptions[i]))
	}
	return stats.Gini(each)
}
