package pastry

import (
	"time"

	"tidings/network/engine"
)

// attempt is a join under way: seeds that are asked in turn, again and again.
type attempt struct {
	seeds []seed
	turn  int           // whose it is; that of nobody more: a round has ended
	last  int           // who was asked last
	when  time.Duration // that was, by Env.Now
	wait  time.Duration // for the answer of one
	timer engine.Timer
}

// seed is a peer to join by.
type seed struct {
	peer engine.Peer
	down bool // it could not be reached, and has not been heard since
}

// add takes a seed in; one that is there already is up again. It reports whether there was room.
func (a *attempt) add(p engine.Peer, most int) bool {
	for i := range a.seeds {
		if a.seeds[i].peer == p {
			a.seeds[i].down = false
			return true
		}
	}
	if len(a.seeds) >= most {
		return false
	}
	a.seeds = append(a.seeds, seed{peer: p})
	return true
}

// next returns the seed whose turn it is, and whether a round begins anew with it.
func (a *attempt) next() (s *seed, again bool) {
	if again = a.turn == len(a.seeds); again {
		a.turn = 0
	}
	a.last = a.turn
	a.turn++
	return &a.seeds[a.last], again
}

// awaited returns the seed that was asked last.
func (a *attempt) awaited() *seed { return &a.seeds[a.last] }

// mark takes note that the seeds with an ID are down, or up again.
func (a *attempt) mark(id engine.ID, down bool) {
	for i := range a.seeds {
		if a.seeds[i].peer.ID == id {
			a.seeds[i].down = down
		}
	}
}

// hopeless reports whether all seeds are down, or there is none.
func (a *attempt) hopeless() bool {
	for _, s := range a.seeds {
		if !s.down {
			return false
		}
	}
	return true
}
