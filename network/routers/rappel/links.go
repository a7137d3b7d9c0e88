package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// links are the neighbours of a node, and how it knows that they are alive: one ping a neighbour, whatever they are to
// each other (sections 3.3 and 4.1).
type links struct {
	*core
	byID map[engine.ID]*neighbour
	list []*neighbour // as they came
}

// neighbour is a node that this one pings, a friend or a parent, or a fan that pings it. (Children are in their trees.)
type neighbour struct {
	peer    engine.Peer
	friend  bool
	fan     bool
	needed  bool // by a fan that needs it, because its other friends do not cover what this node does
	parents int  // in how many trees it is the parent

	next   time.Duration // when it is pinged
	number uint32        // of the ping under way
	begun  time.Duration // when the first ping was sent that is not answered; -1: none
	sent   time.Duration // when the latest was
	heard  time.Duration // when the latest ping came, of a fan

	rtt     time.Duration // a low round trip: the least lately; 0: not measured
	samples int

	since  time.Duration // when it became a friend
	denied []engine.ID   // topics that its filter has and that it has not joined, at most maxDenied: of a friend

	versions   Versions      // as it announced
	profile    *profile      // nil: not known
	asked      uint32        // number of the ProfileRequest under way; 0: none
	set        uint32        // version of its friends set
	friends    []engine.Peer // its friends
	known      uint32        // version of our friends set that it has
	announcing uint32        // version that the ping under way announces
}

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

// run pings the peers that are due, by ping, and calls silent for those that do not answer. It returns when something
// will be due.
func (l *links) run(now time.Duration, ping func(*neighbour), silent func(*neighbour)) time.Duration {
	var lost []*neighbour
	for _, nb := range l.list {
		if now >= l.givenUp(nb) {
			lost = append(lost, nb)
		} else if now >= l.nextPing(nb) {
			if nb.begun < 0 {
				nb.begun, nb.next = now, now+l.config.Ping
			}
			nb.sent, nb.number = now, l.env.Rand().Uint32()
			ping(nb)
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

// due returns when something is to be done about a neighbour.
func (l *links) due(nb *neighbour) time.Duration { return min(l.givenUp(nb), l.nextPing(nb)) }

// givenUp returns when a neighbour counts as dead: one that does not answer, or a fan that does not ping.
func (l *links) givenUp(nb *neighbour) time.Duration {
	at := never
	if nb.fan {
		at = nb.heard + l.config.patience()
	}
	if nb.begun >= 0 {
		at = min(at, nb.begun+l.config.PingTimeout)
	}
	return at
}

// nextPing returns when a neighbour is pinged, for the first time or once more.
func (l *links) nextPing(nb *neighbour) time.Duration {
	switch {
	case nb.begun < 0 && nb.pinged():
		return nb.next
	case nb.begun >= 0 && l.config.PingRetry > 0:
		return nb.sent + l.config.PingRetry
	}
	return never
}

// follow has a parent pinged.
func (l *links) follow(parent engine.Peer) {
	nb := l.get(parent)
	nb.parents++
	l.wake(l.begin(nb))
}

// unfollow ends what follow began.
func (l *links) unfollow(parent engine.Peer) {
	if nb := l.byID[parent.ID]; nb != nil && nb.parents > 0 {
		nb.parents--
		l.release(nb)
	}
}

// hurry has a parent pinged no later than at a time; the ping after that is a whole period later.
func (l *links) hurry(parent engine.Peer, at time.Duration) {
	if nb := l.byID[parent.ID]; nb != nil && nb.pinged() {
		nb.next = min(nb.next, at)
		l.wake(l.due(nb))
	}
}

// answered receives an answer to the latest ping, and returns its sender; nil: it is from none that was asked.
func (l *links) answered(from engine.Peer, number uint32) *neighbour {
	nb := l.byID[from.ID]
	if nb == nil || nb.sent == 0 || nb.number != number {
		return nil
	}
	if nb.begun >= 0 { // else this is of the second ping of several: see Node.ping
		nb.measured(l.now() - nb.sent)
		nb.begun, nb.peer = -1, from
		nb.known = nb.announcing
	}
	return nb
}

// measured notes a round trip. Queues make single ones long; so the least counts, and fades.
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
