package forward

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// route is what is known of the way to a peer without a direct connection; see the package comment for its states.
type route struct {
	peer    engine.Peer // as protocols, or the peer itself, have named it
	state   state
	used    time.Duration // when a protocol last sent, or something came
	alarm   engine.Alarm  // the next step of the state
	held    []engine.Message
	sent    int         // of held: the first so many were sent directly as well
	down    engine.Peer // the one that the world has called down and the protocols believe up; zero: none
	again   time.Duration
	wait    time.Duration // between again and the try before
	tries   engine.Alarm  // of a direct connection
	tryWait time.Duration

	// Of opening.
	began  time.Duration
	number uint64
	asked  []asked
	others []engine.Peer // those that are to be asked next

	// Of open.
	by      engine.Peer // the one that forwards
	now     session
	before  session // it was replaced of late: something may be under way
	offered session // an Open of the peer's was answered, which need not be new
	heard   time.Duration
	asking  bool
}

type state uint8

const (
	trying state = iota
	opening
	open
	closed
)

// session is what both ends have agreed on.
type session struct {
	mine, theirs uint64 // the number that the peer is to use, and that this node is; 0: there is no session
	sent, got    uint64 // the highest counts
}

// asked is a node that was asked to pass on an Open.
type asked struct {
	id      engine.ID
	refused bool
}

// maxAsked is how many are asked to pass on one Open: introducers, and those that they name.
const maxAsked = 6

// add makes a route for a peer that is to be tried. It returns nil if there is no room.
func (n *Node) add(p engine.Peer) *route {
	if len(n.order) >= n.config.MaxRoutes && !n.makeRoom() {
		n.limitHit("MaxRoutes", n.config.MaxRoutes)
		return nil
	}
	r := &route{peer: p, state: trying, used: n.Now(), wait: n.config.Hedge}
	n.routes[p.ID] = r
	n.order = append(n.order, r)
	r.alarm.Set(n.Env, n.Now()+n.config.Hedge, func() { n.hedge(r) })
	return r
}

// makeRoom forgets the one used least lately of those to which none forwards, or else of those that are at rest.
func (n *Node) makeRoom() bool {
	var out *route
	for _, r := range n.order {
		atRest := r.state == closed || r.state == open && !r.asking && n.Now()-r.used > n.config.Silence
		if atRest && (out == nil || r.state == closed && out.state == open ||
			r.state == out.state && r.used < out.used) {
			out = r
		}
	}
	if out != nil {
		n.forget(out)
	}
	return out != nil
}

// forget forgets a route. The node that forwards, if one does, is asked first when a way is looked for again.
func (n *Node) forget(r *route) {
	if r.state == open {
		n.introductions.ways.put(r.peer.ID, r.by)
	}
	r.stop()
	delete(n.routes, r.peer.ID)
	i := slices.Index(n.order, r)
	n.order = slices.Delete(n.order, i, i+1)
}

func (r *route) stop() {
	r.alarm.Stop()
	r.tries.Stop()
	r.held, r.sent = nil, 0
}

func (r *route) hold(n *Node, m engine.Message) {
	if len(r.held) >= n.config.MaxHeld {
		n.limitHit("MaxHeld", n.config.MaxHeld)
		return
	}
	r.held = append(r.held, m)
	if r.state != opening {
		r.sent = len(r.held)
	}
}

// hedge looks whether a direct connection has come to be.
func (n *Node) hedge(r *route) {
	if n.isLinked(r.peer.ID) {
		n.connected(r)
		return
	}
	n.open(r)
}

// connected forgets a route, as there is a direct connection.
func (n *Node) connected(r *route) {
	if r.state == open {
		n.Trace(Connected{r.peer})
	}
	unsent := r.held[r.sent:]
	n.forget(r)
	for _, m := range unsent {
		n.Env.Send(r.peer, m)
	}
}

// open asks for a way to a peer: by those that have named it and are connected.
func (n *Node) open(r *route) {
	r.others = n.introducersOf(r.peer.ID)
	if r.state == open { // the one that has forwarded so far comes last
		r.others = slices.DeleteFunc(r.others, func(p engine.Peer) bool { return p.ID == r.by.ID })
		if n.isLinked(r.by.ID) {
			r.others = append(r.others, r.by)
		}
	}
	r.state, r.asked, r.began, r.asking = opening, nil, n.Now(), false
	r.number = n.draw()
	n.askNext(r)
}

// askNext asks the next that may forward, and the one after it if there is no answer in time.
func (n *Node) askNext(r *route) {
	left := r.began + n.config.Within - n.Now()
	mayBeAsked := r.now.theirs != 0 // by the peer, which may know of another way
	if len(r.others) > 0 && len(r.asked) < maxAsked {
		n.ask(r, r.others[0])
		r.others = r.others[1:]
		r.alarm.Set(n.Env, n.Now()+min(left, n.config.Stagger), func() { n.askNext(r) })
		return
	}
	if left <= 0 || !mayBeAsked && !slices.ContainsFunc(r.asked, func(a asked) bool { return !a.refused }) {
		n.close(r)
		return
	}
	r.alarm.Set(n.Env, n.Now()+left, func() { n.close(r) })
}

// draw returns a number that nobody else knows; never 0.
func (n *Node) draw() uint64 { return max(n.Rand().Uint64(), 1) }

// reached returns a peer with which there is a connection, or an open route.
func (n *Node) reached(id engine.ID) (engine.Peer, bool) {
	if p, linked := engine.LinkOf(n.Env, id); linked {
		return p, true
	}
	if r := n.routes[id]; r != nil && r.state == open {
		return r.peer, true
	}
	return engine.Peer{}, false
}

// ask has a neighbour pass on an Open. One that is only reached by a route itself passes nothing on, but can name one
// that may.
func (n *Node) ask(r *route, by engine.Peer) {
	r.asked = append(r.asked, asked{id: by.ID})
	if to := n.routes[by.ID]; to != nil && to.state == open && !n.isLinked(by.ID) {
		n.send(to, &WhoForwards{r.peer.ID})
		return
	}
	n.say(by, r.peer.ID, r.number, 0)
}

// say sends an Open by a neighbour.
func (n *Node) say(by engine.Peer, to engine.ID, number, answers uint64) {
	m := &Open{From: n.Self(), To: to, Number: number, Answers: answers}
	m.Signature = n.keys.Sign(m.words())
	n.Env.Send(by, m)
}

// refused notes that a node does not pass on, and goes on without it.
func (n *Node) refused(r *route, id engine.ID) {
	if way, had := n.introductions.ways.get(r.peer.ID); had && way.ID == id {
		n.introductions.ways.remove(r.peer.ID)
	}
	for i := range r.asked {
		a := &r.asked[i]
		a.refused = a.refused || a.id == id
	}
	n.askNext(r)
}

// suggested notes a node that may forward.
func (n *Node) suggested(r *route, by engine.Peer) {
	known := func(id engine.ID) bool {
		return slices.ContainsFunc(r.asked, func(a asked) bool { return a.id == id }) ||
			slices.ContainsFunc(r.others, func(p engine.Peer) bool { return p.ID == id })
	}
	if !by.IsZero() && by.ID != r.peer.ID && n.admits(by.ID) && !known(by.ID) {
		r.others = append(r.others, by)
	}
}

// close notes that none forwards to a peer, and reports that to the protocols unless they know or a direct connection
// may still come to be.
func (n *Node) close(r *route) {
	wasOpen := r.now.theirs != 0
	r.alarm.Stop()
	r.tries.Stop()
	now := n.Now()
	if r.state != closed {
		r.again = now + r.wait
		r.wait = min(2*r.wait, n.config.RetryMax)
	}
	r.state, r.held, r.sent, r.asked = closed, nil, 0, nil
	r.now, r.before, r.offered = session{}, session{}, session{}
	down := r.down
	if r.down.IsZero() && wasOpen {
		down = r.peer
	}
	r.down = engine.Peer{}
	n.Trace(Closed{r.peer})
	if !down.IsZero() {
		n.reportDown(down)
	}
}

// reportDown reports to the protocols that a peer is down, unless they know. What comes of it to this machine alone is
// no news to them.
func (n *Node) reportDown(p engine.Peer) {
	if at, told := n.down.get(p.ID); told && at == p.Address {
		return
	}
	n.down.put(p.ID, p.Address)
	n.above.PeerDown(p)
}

// tryAgain looks for a way, if it is time, to a peer that had none, when something is sent to it.
func (n *Node) tryAgain(r *route, to engine.Peer, m engine.Message) {
	if n.Now() < r.again {
		return
	}
	r.peer = to
	r.hold(n, m)
	r.state = trying
	r.alarm.Set(n.Env, n.Now(), func() { n.hedge(r) })
}

// forwarderDown looks for other ways in the place of those by a neighbour that is down.
func (n *Node) forwarderDown(id engine.ID) {
	for _, r := range slices.Clone(n.order) {
		switch {
		case n.routes[r.peer.ID] != r:
		case r.state == open && r.by.ID == id:
			n.open(r)
		case r.state == opening && slices.ContainsFunc(r.asked, func(a asked) bool { return a.id == id && !a.refused }):
			n.refused(r, id)
		}
	}
}

// onNotConnected goes on to the one that the neighbour names, or without it.
func (n *Node) onNotConnected(from engine.Peer, m *NotConnected) {
	r := n.routes[m.Peer]
	if r == nil {
		return
	}
	switch {
	case r.state == open && r.by.ID == from.ID:
		n.open(r)
	case r.state == opening && slices.Contains(r.asked, asked{id: from.ID}):
		n.suggested(r, m.Ask)
		n.refused(r, from.ID)
	}
}
