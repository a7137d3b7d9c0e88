package compare

import (
	"cmp"
	"slices"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// meter measures a world by what every system has in common: the messages, and what members are handed.
type meter struct {
	world    *world
	events   []*tracked // by number, from 1
	counting bool
	loads    []load          // by node, while it counts
	former   []formerEntries // by topic
	newcomer []*joined

	twice      int
	noise      int // events that came to nodes that do not follow the topic
	repeated   int // events that came to a node once more
	came       int // events that came to a node, all counted
	deliveries int
	forged     int // events with a content that a liar has changed, as they came to nodes
	believed   int // of these, as they were delivered

	// What was measured once, in worlds without trouble.
	state     []float64     // bytes, of some nodes
	processor time.Duration // of all nodes and the simulator, while it counted
	found     found
}

// tracked is an event, and what became of it.
type tracked struct {
	event
	number    int
	at        time.Duration
	entry     sim.Node
	to        []int32          // the nodes that followed the topic, ascending
	seats     []seat           // of these
	strangers map[sim.Node]int // by other node: the life in which it came, from 1
	copies    int              // that the entry has sent
}

// seat is what became of an event at a node that follows the topic. Lives count from 1.
type seat struct {
	due       int           // the life in which it was due; 0: it was not
	got       int           // the latest life in which it came in a message; 0: none
	delivered int           // the latest life in which it was delivered; 0: none
	delay     time.Duration // of the first delivery in the life in which it was due
}

// load is what a node has sent and received.
type load struct {
	data, control int // bytes
	messages      int // sent and received
	copies        int // events sent
	peers         map[sim.Node]bool
}

// formerEntries are nodes that were the entry of a topic, and until when.
type formerEntries map[sim.Node]time.Duration

// parting is for how long events may be under way to a node that was an entry.
const parting = time.Minute

// joined is a node that has joined a topic.
type joined struct {
	join
	at    time.Duration
	after time.Duration // until the first event that was published since came; 0: none has
}

func newMeter(w *world) *meter {
	m := &meter{world: w, loads: make([]load, w.nodes), former: make([]formerEntries, w.topics)}
	w.Tap(m.tap)
	return m
}

func (m *meter) count(on bool) { m.counting = on }

func (m *meter) entryChanges(topic int32, from sim.Node) {
	if m.former[topic] == nil {
		m.former[topic] = make(formerEntries)
	}
	m.former[topic][from] = m.world.Now()
}

// published notes an event that is about to be published.
func (m *meter) published(e event) *tracked {
	w := m.world
	to := w.interests.Followers[e.topic]
	t := &tracked{event: e, number: len(m.events) + 1, at: w.Now(), entry: w.entries[e.topic], to: to,
		seats: make([]seat, len(to))}
	for i, n := range to {
		if n := sim.Node(n); w.Up(n) && w.Now()-w.upSince[n] >= established {
			t.seats[i].due = w.Left[n] + 1
		}
	}
	for _, j := range m.newcomer {
		if j.topic == e.topic && w.Now()-j.at < established {
			t.seat(j.node).due = 0
		}
	}
	m.events = append(m.events, t)
	return t
}

// seat returns what is known of an event at a node; nil: the node did not follow the topic when it was published.
func (t *tracked) seat(n sim.Node) *seat {
	if i, is := find(t.to, n); is {
		return &t.seats[i]
	}
	return nil
}

// find returns where a node is in an ascending list, and whether it is.
func find(list []int32, n sim.Node) (i int, is bool) { return slices.BinarySearch(list, int32(n)) }

// tap sees every message when it is sent and when it is received.
func (m *meter) tap(p sim.Delivery) {
	switch p.Fate {
	case sim.Sent:
		m.load(p.From, p.To, p)
		eachNote(p.Message, func(n *testnet.Note) {
			t := m.events[n.Number-1]
			if t.entry == p.From {
				t.copies++
			}
			if m.counting {
				m.loads[p.From].copies++
			}
		})
	case sim.Received:
		m.load(p.To, p.From, p)
		if o := m.world.observer; o != nil {
			o.tap(p)
		}
		eachNote(p.Message, func(n *testnet.Note) {
			if isForged(n) {
				m.forged++
				return
			}
			m.received(m.events[n.Number-1], p.To)
		})
	}
}

func (m *meter) load(n, other sim.Node, p sim.Delivery) {
	if !m.counting {
		return
	}
	l := &m.loads[n]
	l.messages++
	if carries(p.Message) {
		l.data += p.Bytes
	} else {
		l.control += p.Bytes
	}
	if l.peers == nil {
		l.peers = make(map[sim.Node]bool)
	}
	if other >= 0 {
		l.peers[other] = true
	}
}

// received notes an event that came to a node in a message.
func (m *meter) received(t *tracked, n sim.Node) {
	life := m.world.Left[n] + 1
	m.came++
	if s := t.seat(n); s != nil {
		if s.got == life {
			m.repeated++
		}
		s.got = life
		return
	}
	if t.strangers[n] == life {
		m.repeated++
	}
	if t.strangers == nil {
		t.strangers = make(map[sim.Node]int)
	}
	t.strangers[n] = life
	if !m.passes(t.topic, n) {
		m.noise++
	}
}

// passes reports whether events of a topic may come to a node that did not follow it when they were published: it has
// joined the topic since, or is where they enter, or was until lately.
func (m *meter) passes(topic int32, n sim.Node) bool {
	w := m.world
	if w.entries[topic] == n {
		return true
	}
	if until, was := m.former[topic][n]; was && w.Now() <= until+parting {
		return true
	}
	_, follows := find(w.interests.Followers[topic], n)
	return follows
}

// member is where a node's router hands events over.
type member struct {
	meter *meter
	node  sim.Node
	testnet.Reader
}

// Admit implements network.Member. It refuses events that were changed on their way, as a node does that checks
// signatures.
func (r member) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	if n, is := event.(*testnet.Note); is && isForged(n) {
		return 0, 0, false
	}
	return r.Reader.Admit(topic, event, from)
}

// Deliver implements network.Member.
func (r member) Deliver(_ engine.ID, event engine.Message, _ engine.Peer) {
	n := event.(*testnet.Note)
	if isForged(n) {
		r.meter.believed++
		return
	}
	r.meter.delivered(r.meter.events[n.Number-1], r.node)
}

// delivered notes an event that a node's member was handed.
func (m *meter) delivered(t *tracked, n sim.Node) {
	m.deliveries++
	life := m.world.Left[n] + 1
	for _, j := range m.newcomer {
		if j.node == n && j.topic == t.topic && t.at >= j.at && j.after == 0 {
			j.after = m.world.Now() - j.at
		}
	}
	s := t.seat(n)
	switch {
	case s == nil:
	case s.delivered == life:
		m.twice++
	default:
		s.delivered = life
		if life == s.due {
			s.delay = m.world.Now() - t.at
		}
	}
}

// joins notes that a node joins a topic now. Events of the topic are due to it once it is established there.
func (m *meter) joins(j join) *joined {
	seen := &joined{join: j, at: m.world.Now()}
	m.newcomer = append(m.newcomer, seen)
	w := m.world.interests
	w.Follows[j.node] = append(w.Follows[j.node], j.topic)
	followers := append(slices.Clone(w.Followers[j.topic]), int32(j.node))
	slices.SortFunc(followers, cmp.Compare[int32])
	w.Followers[j.topic] = followers
	return seen
}

// joined reports whether every node that has joined a topic was delivered an event of it.
func (m *meter) joined() bool {
	return len(m.newcomer) == len(m.world.workload.joins) &&
		!slices.ContainsFunc(m.newcomer, func(j *joined) bool { return j.after == 0 })
}

// outstanding returns how many deliveries are due that have not been made, but for those of nodes that went.
func (m *meter) outstanding() (count int) {
	for _, t := range m.events {
		for i, n := range t.to {
			if m.lacks(&t.seats[i], sim.Node(n)) {
				count++
			}
		}
	}
	return count
}

// lacks reports whether a node that has lived since an event was published lacks it.
func (m *meter) lacks(s *seat, n sim.Node) bool { return m.counts(s, n) && s.delivered != s.due }

// counts reports whether an event was due to a node that has lived since then.
func (m *meter) counts(s *seat, n sim.Node) bool {
	return s.due > 0 && s.due == m.world.Left[n]+1 && m.world.Up(n)
}

// eachNote calls f with the events in a message.
func eachNote(m engine.Message, f func(n *testnet.Note)) {
	switch m := m.(type) {
	case *testnet.Note:
		f(m)
	case *newswire.Missed:
		for _, item := range m.Items {
			eachNote(item, f)
		}
	case engine.Carrier:
		if carried := m.Carried(); carried != nil {
			eachNote(carried, f)
		}
	}
}

// carries reports whether a message has an event in it.
func carries(m engine.Message) (is bool) {
	eachNote(m, func(*testnet.Note) { is = true })
	return is
}
