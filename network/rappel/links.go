package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// links are the neighbours of a node, and how it knows that they are alive: one ping a neighbour, whatever they are to each
// other (sections 3.3 and 4.1).
type links struct {
	*core
	byID map[engine.ID]*neighbour
	list []*neighbour // as they came
}

// neighbour is a node that this one pings, a friend or a parent, or a fan that pings it. (Children are in their
// trees.)
type neighbour struct {
	peer    engine.Peer
	friend  bool
	fan     bool
	needed  bool // by a fan, whose other friends do not cover what this node does
	parents int  // in how many trees it is the parent

	next   time.Duration // when it is pinged
	number uint32        // of the ping under way
	begun  time.Duration // when the first ping was sent that is not answered; -1: none
	sent   time.Duration // when the latest was
	heard  time.Duration // when the latest ping came, of a fan

	rtt     time.Duration // a low round trip: the least lately; 0: not measured
	samples int

	versions Versions      // as it announced
	profile  *profile      // nil: not known
	asked    uint32        // number of the ProfileRequest under way; 0: none
	set      uint32        // version of its friends set
	friends  []engine.Peer // its friends
	told     uint32        // version of our friends set that it has
	telling  uint32        // version that the ping under way tells
}

func newLinks(c *core) links { return links{core: c, byID: make(map[engine.ID]*neighbour)} }

// get returns the neighbour of that ID, and begins it if need be.
func (l *links) get(p engine.Peer) *neighbour {
	nb := l.byID[p.ID]
	if nb == nil {
		nb = &neighbour{peer: p, begun: -1}
		l.byID[p.ID] = nb
		l.list = append(l.list, nb)
	}
	return nb
}

func (nb *neighbour) pinged() bool { return nb.friend || nb.parents > 0 }

// begin has a neighbour pinged from now on: first soon, then at a phase of its own. It returns when.
func (l *links) begin(nb *neighbour) time.Duration {
	if nb.next == 0 {
		nb.next = l.now() + 1 + time.Duration(l.env.Rand().Int64N(int64(l.config.Ping)))
	}
	return nb.next
}

// release forgets a neighbour that is nothing to this node any more.
func (l *links) release(nb *neighbour) {
	if !nb.pinged() {
		nb.next, nb.begun = 0, -1
	}
	if nb.pinged() || nb.fan {
		return
	}
	delete(l.byID, nb.peer.ID)
	l.list = slices.DeleteFunc(l.list, func(o *neighbour) bool { return o == nb })
}

// run pings who is due, by ping, and calls silent for those that do not answer. It returns when something will be due.
func (l *links) run(now time.Duration, ping func(*neighbour), silent func(*neighbour)) time.Duration {
	var lost []*neighbour
	for _, nb := range l.list {
		switch {
		case nb.fan && now >= nb.heard+l.patience(), nb.begun >= 0 && now >= nb.begun+l.config.PingTimeout:
			lost = append(lost, nb)
		case nb.begun >= 0 && l.config.PingRetry > 0 && now >= nb.sent+l.config.PingRetry, nb.pinged() && nb.begun < 0 && now >= nb.next:
			l.ping(nb, now, ping)
		}
	}
	for _, nb := range lost {
		if l.byID[nb.peer.ID] == nb {
			silent(nb)
		}
	}
	next := never
	for _, nb := range l.list {
		next = min(next, l.due(nb))
	}
	return next
}

// patience is how long a fan is believed to be there without a ping (section 3.3).
func (l *links) patience() time.Duration { return l.config.Ping + l.config.PingTimeout }

func (l *links) due(nb *neighbour) time.Duration {
	at := never
	if nb.fan {
		at = nb.heard + l.patience()
	}
	switch {
	case nb.begun >= 0:
		at = min(at, nb.begun+l.config.PingTimeout)
		if l.config.PingRetry > 0 {
			at = min(at, nb.sent+l.config.PingRetry)
		}
	case nb.pinged():
		at = min(at, nb.next)
	}
	return at
}

func (l *links) ping(nb *neighbour, now time.Duration, send func(*neighbour)) {
	if nb.begun < 0 {
		nb.begun = now
		nb.next = now + l.config.Ping
	}
	nb.sent, nb.number = now, l.env.Rand().Uint32()
	send(nb)
}

// answered takes an answer to the latest ping, and returns whose it is; nil: nobody's who was asked.
func (l *links) answered(from engine.Peer, number uint32) *neighbour {
	nb := l.byID[from.ID]
	if nb == nil || nb.sent == 0 || nb.number != number {
		return nil
	}
	if nb.begun >= 0 { // else this is of the second ping of several: see Node.ping
		nb.measured(l.now() - nb.sent)
		nb.begun, nb.peer = -1, from
		nb.told = nb.telling
	}
	return nb
}

// measured takes note of a round trip. Queues make single ones long; so the least counts, and fades.
func (nb *neighbour) measured(rtt time.Duration) {
	nb.samples++
	if nb.rtt += nb.rtt / 16; nb.rtt == 0 || rtt < nb.rtt {
		nb.rtt = max(rtt, 1)
	}
}

// ask fetches a neighbour's profile if a newer one was announced (section 3.4).
func (l *links) ask(nb *neighbour) {
	if nb.profile != nil && nb.profile.versions == nb.versions {
		return
	}
	nb.asked = l.env.Rand().Uint32() | 1
	l.env.Send(nb.peer, &ProfileRequest{Number: nb.asked})
}

// read takes the profile out of a message; nil if it is none.
func (l *links) read(m *Profile) *profile {
	if m.Coordinate.Validate(len(l.self.coordinate.Vector)) != nil {
		return nil
	}
	return &profile{m.Versions, filterOf(m.Filter), m.Coordinate}
}
