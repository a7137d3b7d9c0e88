package churn

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/sim"
)

// Session is one time that a node of a trace was up.
type Session struct {
	Number int           // the node's number in the trace
	Up     time.Duration // since the trace began: first seen up

	// Down is when it was first seen gone; 0: it was up to the end of the trace.
	Down time.Duration
}

// Trace is churn as it was observed. Each node of the world plays one node of the trace, always the same.
//
// Where the world has fewer nodes than the trace, it plays a part of them that stands for all. The part is chosen
// evenly from those up at the start, ordered by how long they are up, and from those that come later, in their order.
// Where it has more, nodes of the trace are played by several (as in Rappel, section 6.1.3), each at times of its own
// if there is a Resolution.
type Trace struct {
	Sessions []Session // in any order; those of one node must not overlap
	Seed     uint64    // of which node plays which, and of times within the resolution

	// From and Length are the part of the trace that is played; Length 0: to its end.
	// Nodes that are not up in it are not played. When it is over, nodes stay as they
	// are.
	From, Length time.Duration

	// Speed is how many times faster than observed it goes; 0: as observed.
	Speed float64

	// Resolution is the time between observations: what was seen at one happened at any moment since the one before,
	// each equally likely. At most the least such time.
	Resolution time.Duration

	Leaving
}

// Up returns the nodes that the trace has up at its start, in the order of nodes, so that they can form a network
// before Drive.
func (t Trace) Up(nodes []sim.Node) []sim.Node {
	var up []sim.Node
	for _, e := range t.events(nodes) {
		if e.at > 0 {
			break
		}
		if e.up {
			up = append(up, e.node)
		}
	}
	slices.Sort(up)
	return slices.Compact(up) // one may go, and even come back, at the very start
}

// Drive has the nodes play the trace. Those that are up at its start are booted at once unless
// they are up.
func (t Trace) Drive(w *sim.World, nodes []sim.Node) {
	p := &playing{Trace: t, world: w, chance: churnChance(w), start: w.Now(), events: t.events(nodes)}
	p.next()
}

// coming is a node that comes or goes.
type coming struct {
	at   time.Duration // since Drive
	node sim.Node
	up   bool
}

type playing struct {
	Trace
	world  *sim.World
	chance *rand.Rand
	start  time.Duration
	events []coming
}

// next does what is due and waits for the next.
func (p *playing) next() {
	for len(p.events) > 0 {
		e := p.events[0]
		if wait := p.start + e.at - p.world.Now(); wait > 0 {
			p.world.After(wait, p.next)
			return
		}
		p.events = p.events[1:]
		if e.up {
			boot(p.world, e.node)
		} else {
			p.leave(p.world, p.chance, e.node)
		}
	}
}

// life is the sessions of one node of the trace within the part that is played, in order.
type life struct {
	sessions []Session
	up       time.Duration // in all
}

// events returns which nodes come and go when, in the order of time.
func (t Trace) events(nodes []sim.Node) []coming {
	lives := t.lives()
	if len(lives) == 0 || len(nodes) == 0 {
		return nil
	}
	chance := rand.New(rand.NewPCG(t.Seed, 0x7ace))
	players := slices.Clone(nodes)
	chance.Shuffle(len(players), func(i, j int) { players[i], players[j] = players[j], players[i] })
	var events []coming
	for i, n := range players {
		at := i % len(lives)
		if len(players) < len(lives) {
			at = (2*i + 1) * len(lives) / (2 * len(players))
		}
		events = t.play(events, lives[at], n, chance)
	}
	slices.SortStableFunc(events, func(a, b coming) int { return cmp.Compare(a.at, b.at) })
	return events
}

// end returns the end of the part that is played.
func (t Trace) end() time.Duration {
	if t.Length == 0 {
		return 1<<63 - 1
	}
	return t.From + t.Length
}

// lives returns the nodes of the trace that are up in the part that is played.
func (t Trace) lives() []life {
	byNode := make(map[int]int)
	var lives []life
	for _, s := range t.Sessions {
		if s.Down == 0 {
			s.Down = 1<<63 - 1
		}
		if s.Down <= t.From || s.Up >= t.end() {
			continue
		}
		i, ok := byNode[s.Number]
		if !ok {
			i = len(lives)
			byNode[s.Number] = i
			lives = append(lives, life{})
		}
		l := &lives[i]
		l.sessions = append(l.sessions, s)
		l.up += min(s.Down, t.end()) - max(s.Up, t.From)
	}
	for _, l := range lives {
		slices.SortFunc(l.sessions, func(a, b Session) int { return cmp.Compare(a.Up, b.Up) })
	}
	slices.SortFunc(lives, func(a, b life) int {
		first, second := a.sessions[0], b.sessions[0]
		return cmp.Or(cmp.Compare(max(first.Up, t.From), max(second.Up, t.From)), cmp.Compare(a.up, b.up),
			cmp.Compare(first.Number, second.Number))
	})
	return lives
}

// play adds what a node does that plays a life.
func (t Trace) play(events []coming, l life, n sim.Node, chance *rand.Rand) []coming {
	last := time.Duration(0)
	add := func(observed time.Duration, up bool) {
		if up && observed <= t.From {
			events = append(events, coming{0, n, true})
			return
		}
		if observed >= t.end() {
			return
		}
		at := observed - t.From
		if t.Resolution > 0 {
			at -= time.Duration(chance.Int64N(int64(t.Resolution)))
		}
		if t.Speed > 0 {
			at = time.Duration(float64(at) / t.Speed)
		}
		last = max(last, at)
		events = append(events, coming{last, n, up})
	}
	for _, s := range l.sessions {
		add(s.Up, true)
		add(s.Down, false)
	}
	return events
}

var _ Model = Trace{}
