package pastry

import (
	"testing"
	"time"

	"tidings/lab/dataset"
	"tidings/lab/effort"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/latency"
)

// Nodes of a ring are replaced at random: 25 % of them in an hour, the rate measured in Overnet, or after ten minutes
// on average (hostile 36). At least 99.9 % of the lookups are right.
func TestChurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		hourly float64
		lasts  time.Duration
		loss   float64
		right  float64
	}{
		{"25 % an hour", 0.25, time.Hour, 0, 0.999},
		{"sessions of ten minutes", 6, 15 * time.Minute, 0, 0.999},
		// Where a receipt is lost and the closest node changes, the message is delivered twice.
		{"and loss of 5 %", 6, 15 * time.Minute, 0.05, 0.998},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			size := 200
			if testing.Short() {
				size, c.lasts = 40, c.lasts/15
			}
			r := newRing(t, 1)
			w := newWitness(r)
			r.grow(size, 200*time.Millisecond)
			for range size {
				r.place(r.key())
			}
			r.world.Run(time.Minute)
			r.world.SetFaults(sim.Faults{Loss: c.loss})
			churn.Replacement{Hourly: c.hourly, Leaving: churn.Leaving{Gone: w.gone}}.Drive(r.world, r.nodes)
			r.judgeChurn(t, w, c.lasts, size, c.right)
		})
	}
}

// judgeChurn looks up for a time, and judges.
func (r *ring) judgeChurn(t *testing.T, w *witness, d time.Duration, size int, right float64) {
	t.Helper()
	idle, _ := r.traffic()
	r.world.Run(d / 10)
	before, _ := r.traffic()
	w.lookupsFor(d-d/10, 10)
	after, _ := r.traffic()
	r.world.Run(2 * time.Minute)
	v := w.judge()
	t.Logf("%.5f right, %+v; messages a node and second: %.2f, and %.2f with 10 lookups a second", v.share(), v,
		float64(before-idle)/float64(size)/(d/10).Seconds(), float64(after-before)/float64(size)/(d-d/10).Seconds())
	if v.share() < right {
		t.Errorf("%.5f of the lookups were right", v.share())
	}
	r.neverTwice()
}

// The observed churn of Tor's relays, over the latencies of PlanetLab: at least 99.9 % of the lookups are right.
func TestChurnOfTor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	length := 30 * time.Minute
	if effort.All() {
		length = 2 * time.Hour
	}
	trace := churn.Trace{From: 24 * time.Hour, Length: length, Seed: 1, Resolution: time.Hour}
	for _, s := range dataset.TorSessions() {
		session := churn.Session{Number: s.Node, Up: s.Up, Down: s.Down}
		if s.UpAfter {
			session.Down = 0
		}
		trace.Sessions = append(trace.Sessions, session)
	}
	r := newRing(t, 1, func(c *sim.Config) { c.Latency = latency.NewMatrix(1, dataset.PlanetLab()[0]) })
	w := newWitness(r)
	trace.Gone = w.gone
	for range 400 {
		r.place(r.key())
	}
	up := trace.Up(r.nodes)
	for _, n := range up {
		r.world.Boot(n)
		r.world.Run(100 * time.Millisecond)
	}
	r.world.Run(time.Minute)
	if wrong := r.wrongLeafSets(r.alive()); wrong > 0 {
		t.Errorf("%d leaf sets are wrong", wrong)
	}
	trace.Drive(r.world, r.nodes)
	t.Logf("%d nodes are up at first", len(up))
	r.judgeChurn(t, w, trace.Length, len(up), 0.999)
	t.Logf("%d nodes are up at last", len(r.alive()))
}
