package dataset

import "time"

// Session is one time that a node was up, in a trace of the times when nodes were up.
type Session struct {
	Node     int           // an arbitrary number
	Up, Down time.Duration // since the start of the trace: first seen up, first seen gone

	// UpBefore: it was up already when the trace began. UpAfter: it still was when the
	// trace ended, at Down.
	UpBefore, UpAfter bool
}

// Population is how many nodes were up at one observation.
type Population struct {
	At time.Duration // since the start of the trace
	Up int
}

// The columns of a trace. Nodes are numbered from 0 up without a gap.
const (
	churnTimes    = iota // of observations, in seconds, as differences
	churnUp              // nodes up then, as differences
	churnSessions        // by node
	churnAway            // by node and session: observations since the node went, or since the first
	// by node and session: observations until it was gone; for a node that stayed, until past the last
	churnStayed
	churnColumns
)

// TorSessions returns the sessions of Tor's relays from September to December 2019, in the order of Up and then of
// Node. They come from 2,741 observations about an hour apart. A node is an address.
func TorSessions() []Session {
	trace := table("tor-relays-2019")
	times := sums(trace[churnTimes])
	// How many sessions begin before each observation says where those belong that begin at it.
	place := make([]int, len(times)+1)
	eachSession(trace, func(_, up, _ int) { place[up+1]++ })
	sums(place)
	sessions := make([]Session, len(trace[churnAway]))
	eachSession(trace, func(node, up, down int) {
		last := min(down, len(times)-1)
		sessions[place[up]] = Session{
			Node: node, Up: seconds(times[up]), Down: seconds(times[last]), UpBefore: up == 0, UpAfter: down > last,
		}
		place[up]++
	})
	return sessions
}

// eachSession calls session with a node and two observations, node by node.
func eachSession(trace [][]int, session func(node, up, down int)) {
	next := 0
	for node, n := range trace[churnSessions] {
		at := 0
		for range n {
			up := at + trace[churnAway][next]
			at = up + trace[churnStayed][next]
			next++
			session(node, up, at)
		}
	}
}

// TorPopulation returns how many of Tor's relays were up at the observations of [TorSessions], in the order of time.
func TorPopulation() []Population {
	trace := table("tor-relays-2019")
	times, up := sums(trace[churnTimes]), sums(trace[churnUp])
	population := make([]Population, len(times))
	for i := range population {
		population[i] = Population{At: seconds(times[i]), Up: up[i]}
	}
	return population
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
