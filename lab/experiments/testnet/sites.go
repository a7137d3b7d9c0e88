package testnet

import (
	"fmt"
	"time"

	"tidings/lab/dataset"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/latency"
	"tidings/network/vivaldi"
)

// Latency is latencies between sites at which nodes live.
type Latency interface {
	sim.Distances
	// Site returns at which site a node lives. The first nodes have different ones, as many as there are.
	Site(n sim.Node) int
}

// Sites are where the nodes of a world lie, and what they believe of it.
type Sites struct {
	Latency
	count       int                  // of sites at which nodes live, those of the first nodes
	coordinates []vivaldi.Coordinate // by site
}

// Locate finds the coordinates of sites as the paper does (section 6.1.4): from 18 landmarks, frozen from then on.
// Nodes at one site share its coordinate. Flat ones have no heights.
func Locate(seed uint64, latency Latency, sites int, flat bool) Sites {
	config := vivaldi.DefaultWithLandmarks()
	config.Flat = flat
	c := sim.Default(engine.NewCodec(vivaldi.Vocabulary))
	c.Seed, c.Latency = seed, latency
	w := sim.New(c)
	chosen := landmarks(latency, sites)
	for n := range sites {
		w.Add(engine.IDOf(fmt.Append(nil, "site ", n)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			var others vivaldi.Landmarks
			for _, l := range chosen {
				if int(l) != n {
					others = append(others, w.Peer(l))
				}
			}
			return vivaldi.New(env, config, others)
		})
	}
	w.BootAll(time.Millisecond)
	w.RunUntil(func() bool {
		for n := range sim.Node(sites) {
			if !w.Up(n) || !w.Protocol(n).(*vivaldi.Vivaldi).Frozen() {
				return false
			}
		}
		return true
	}, locating)
	p := Sites{Latency: latency, count: sites}
	for n := range sim.Node(sites) {
		site := latency.Site(n)
		p.coordinates = append(p.coordinates, make([]vivaldi.Coordinate, max(site+1-len(p.coordinates), 0))...)
		p.coordinates[site] = w.Protocol(n).(*vivaldi.Vivaldi).Coordinate()
	}
	return p
}

// locating is how long coordinates are looked for: "in a matter of seconds" in the paper.
const locating = 40 * time.Second

// landmarks returns nodes that are far apart: each as far as can be from those before.
func landmarks(latency Latency, sites int) (chosen []sim.Node) {
	nearest := make([]time.Duration, sites) // by node, to those that are chosen
	next := sim.Node(0)
	for len(chosen) < min(vivaldi.LandmarkCount, sites) {
		chosen = append(chosen, next)
		farthest := time.Duration(-1)
		for n := range sim.Node(sites) {
			if d := latency.RTT(n, chosen[len(chosen)-1]); len(chosen) == 1 || d < nearest[n] {
				nearest[n] = d
			}
			if nearest[n] > farthest {
				farthest, next = nearest[n], n
			}
		}
	}
	return chosen
}

// Coordinate returns where a node believes that it is.
func (p Sites) Coordinate(n sim.Node) vivaldi.Coordinate { return p.coordinates[p.Site(n)] }

// Distance returns the round trip between nodes by their coordinates.
func (p Sites) Distance(a, b sim.Node) time.Duration {
	return p.Coordinate(a).Distance(p.Coordinate(b))
}

// Errors returns how far distances are off round trips, as shares of these, of pairs of sites.
func (p Sites) Errors() (off []float64) {
	n := p.count
	for a := range sim.Node(n) {
		for step := 1; step < n; step += 1 + n/32 {
			b := (a + sim.Node(step)) % sim.Node(n)
			rtt := p.RTT(a, b)
			off = append(off, stats.Share(float64((p.Distance(a, b)-rtt).Abs()), float64(rtt)))
		}
	}
	return off
}

// Fixed is a coordinate that stays.
type Fixed vivaldi.Coordinate

// Coordinate returns it.
func (f Fixed) Coordinate() vivaldi.Coordinate { return vivaldi.Coordinate(f) }

// Frozen returns true.
func (Fixed) Frozen() bool { return true }

// PlanetLabSites is how many nodes of PlanetLab were measured.
const PlanetLabSites = 294

// PlanetLab returns latencies between PlanetLab nodes, as they were measured once. Nodes of the world are spread over
// them.
func PlanetLab(seed uint64) *latency.Matrix { return latency.NewMatrix(seed, dataset.PlanetLab()[0]) }

// ReplacedHourly is the share of nodes that churn as in Overnet replaces in an hour.
const ReplacedHourly = 0.25

// Newcomers is how many nodes that churn needs in a time: twice as many as are likely.
func Newcomers(nodes int, d time.Duration) int {
	return int(2*ReplacedHourly*float64(nodes)*d.Hours()) + 10
}

// TorTrace returns how Tor's relays came and went from the second day of the trace on, as the hourly consensus saw
// them.
func TorTrace(seed uint64, d time.Duration) churn.Trace {
	trace := churn.Trace{Seed: seed, From: 24 * time.Hour, Length: d, Resolution: time.Hour}
	for _, s := range dataset.TorSessions() {
		session := churn.Session{Number: s.Node, Up: s.Up, Down: s.Down}
		if s.UpAfter {
			session.Down = 0
		}
		trace.Sessions = append(trace.Sessions, session)
	}
	return trace
}
