package testnet

import (
	"time"

	"tidings/lab/dataset"
	"tidings/network/sim"
)

// PlanetLabSites is how many nodes of PlanetLab were measured.
const PlanetLabSites = 294

// PlanetLab returns latencies between PlanetLab nodes, as they were measured once. Nodes of the world are spread over them.
func PlanetLab(seed uint64) *sim.Matrix { return sim.NewMatrix(seed, dataset.PlanetLab()[0]) }

// ReplacedHourly is the share of nodes that churn as in Overnet replaces in an hour.
const ReplacedHourly = 0.25

// Newcomers is how many nodes that churn needs in a time: twice as many as are likely.
func Newcomers(nodes int, d time.Duration) int {
	return int(2*ReplacedHourly*float64(nodes)*d.Hours()) + 10
}

// TorTrace returns how Tor's relays came and went from the second day of the trace on, as the hourly consensus saw them.
func TorTrace(seed uint64, d time.Duration) sim.Trace {
	trace := sim.Trace{Seed: seed, From: 24 * time.Hour, Length: d, Resolution: time.Hour}
	for _, s := range dataset.TorSessions() {
		session := sim.Session{Who: s.Node, Up: s.Up, Down: s.Down}
		if s.UpAfter {
			session.Down = 0
		}
		trace.Sessions = append(trace.Sessions, session)
	}
	return trace
}
