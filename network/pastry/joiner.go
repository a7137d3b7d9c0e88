package pastry

import (
	"time"

	"tidings/network/engine"
)

// joiner asks seeds to let this node into their ring, one after the other, until one answers. Each round comes after a
// longer wait, up to Config.JoinRetry. It asks at most Config.MaxSeeds. Meanwhile it keeps what others send of their
// routing tables, at most maxRows peers.
type joiner struct {
	env     engine.Env
	config  *Config
	nonce   uint64   // of this node's Joins
	attempt *attempt // nil: none is under way
	rows    []engine.Peer
}

// maxRows is how many peers of rows wait for a node to become active.
const maxRows = 512

// add remembers seeds. It reports whether there are any, and whether those of before were all down, or none.
func (j *joiner) add(seeds []engine.Peer) (some, inVain bool) {
	if j.attempt == nil {
		j.attempt = &attempt{}
	}
	inVain = j.attempt.hopeless()
	for _, s := range seeds {
		if s.ID == j.env.Self().ID || !engine.Admissible(j.env, s.ID) {
			continue
		}
		if !j.attempt.add(s, j.config.MaxSeeds) {
			limitHit(j.env, "MaxSeeds", j.config.MaxSeeds)
			break
		}
	}
	if len(j.attempt.seeds) == 0 {
		j.attempt = nil
	}
	return j.attempt != nil, inVain
}

// start makes the waits short again. It asks at once, or, where a seed was asked less than a wait ago, after that.
func (j *joiner) start(atOnce bool) {
	a := j.attempt
	a.wait = j.config.JoinTimeout
	if soon := a.when + a.wait - j.env.Now(); atOnce || soon <= 0 {
		j.ask()
	} else {
		a.timer.Stop()
		a.timer = j.env.After(soon, j.ask)
	}
}

// ask asks the next seed in turn. Seeds that are down are asked as well in their turn, but they are not waited for
// while there are others.
func (j *joiner) ask() {
	a := j.attempt
	a.timer.Stop()
	a.when = j.env.Now()
	for wait := time.Duration(0); wait == 0; {
		s, again := a.next()
		if again {
			a.wait = min(2*a.wait, j.config.JoinRetry)
		}
		if !s.down || a.hopeless() {
			wait = jitter(j.env, a.wait)
			a.timer = j.env.After(wait, j.ask)
		}
		j.env.Trace(Asked{s.peer, wait})
		j.through(s.peer)
	}
}

// through routes a Join to this node's own ID, starting at another node.
func (j *joiner) through(seed engine.Peer) {
	j.env.Send(seed, &Routed{
		Key: j.env.Self().ID, Origin: j.env.Self(), Number: j.env.Rand().Uint64(), Hops: 1,
		Payload: &Join{j.env.Self(), j.nonce},
	})
}

// up notes that the peer with an ID has sent something.
func (j *joiner) up(id engine.ID) {
	if j.attempt != nil {
		j.attempt.mark(id, false)
	}
}

// down notes that a peer cannot be reached. If this one is waited for, and there is another seed, that one is asked.
func (j *joiner) down(id engine.ID) {
	a := j.attempt
	if a == nil {
		return
	}
	awaited := a.awaited().peer.ID == id
	if a.mark(id, true); awaited && !a.hopeless() {
		j.ask()
	}
}

// end ends a join that has led somewhere. It returns the seeds that were not the last one asked: they may be in a
// ring of their own.
func (j *joiner) end() (others []engine.Peer) {
	a := j.attempt
	if a == nil {
		return nil
	}
	a.timer.Stop()
	j.attempt = nil
	for i, s := range a.seeds {
		if i != a.last {
			others = append(others, s.peer)
		}
	}
	return others
}

// keep keeps a row until release.
func (j *joiner) keep(row []engine.Peer) {
	if len(j.rows)+len(row) <= maxRows {
		j.rows = append(j.rows, row...)
	}
}

// release returns what was kept, and forgets it.
func (j *joiner) release() []engine.Peer {
	rows := j.rows
	j.rows = nil
	return rows
}

// attempt is a join under way: seeds that are asked in turn, again and again.
type attempt struct {
	seeds []seed
	turn  int           // the index of the next seed; past the last: a round has ended
	last  int           // the seed that was asked last
	when  time.Duration // that was, by Env.Now
	wait  time.Duration // for the answer of one
	timer engine.Timer
}

// seed is a peer to join by.
type seed struct {
	peer engine.Peer
	down bool // it could not be reached, and nothing has come from it since
}

// add inserts a seed; one that is there already is up again. It reports whether there was room.
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

// next returns the next seed in turn, and whether a round begins anew with it.
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

// mark notes that the seeds with an ID are down, or up again.
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
