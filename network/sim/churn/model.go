package churn

import (
	"math/rand/v2"
	"time"

	"tidings/network/sim"
)

// Exponential is churn by a model: each node is up and down in turn, for times that are
// exponentially distributed and independent. In the long run a share Up/(Up+Down) is up.
type Exponential struct {
	Up, Down time.Duration // means
	Leaving

	// For is how long it lasts; 0: as long as the world.
	For time.Duration
}

// Drive has nodes that are up go, and those that are down come, each after a time of its own.
func (c Exponential) Drive(w *sim.World, nodes []sim.Node) {
	chance := churnChance(w)
	end := ending(w, c.For)
	for _, n := range nodes {
		var turn func()
		wait := func() {
			mean := c.Down
			if w.Up(n) {
				mean = c.Up
			}
			if d := exponential(chance, mean); w.Now()+d < end {
				w.After(d, turn)
			}
		}
		turn = func() {
			if w.Up(n) {
				c.leave(w, chance, n)
			} else {
				w.Boot(n)
			}
			wait()
		}
		wait()
	}
}

// Replacement is churn that keeps the population. A node that goes is replaced at the same moment by the one that has
// been down for longest. Each node that is up goes with the same probability at any time.
type Replacement struct {
	// Hourly is how many nodes are replaced in an hour, as a share of those that are up.
	// In Overnet it was 0.25 (Bhagwan et al. 2003, as Rappel quotes it).
	Hourly float64
	Leaving

	// For is how long it lasts; 0: as long as the world.
	For time.Duration
}

// Drive replaces nodes that are up by others of nodes.
func (c Replacement) Drive(w *sim.World, nodes []sim.Node) {
	r := &replacing{Replacement: c, world: w, chance: churnChance(w), end: ending(w, c.For)}
	for _, n := range nodes {
		if w.Up(n) {
			r.up = append(r.up, n)
		} else {
			r.down = append(r.down, n)
		}
	}
	r.wait()
}

type replacing struct {
	Replacement
	world  *sim.World
	chance *rand.Rand
	end    time.Duration
	up     []sim.Node
	down   []sim.Node // the one down for longest first
}

func (r *replacing) wait() {
	if len(r.up) == 0 || r.Hourly <= 0 {
		return
	}
	mean := time.Duration(float64(time.Hour) / (r.Hourly * float64(len(r.up))))
	if d := exponential(r.chance, mean); r.world.Now()+d < r.end {
		r.world.After(d, func() {
			r.replace()
			r.wait()
		})
	}
}

func (r *replacing) replace() {
	i := r.chance.IntN(len(r.up))
	old := r.up[i]
	r.leave(r.world, r.chance, old)
	r.down = append(r.down, old)
	r.up[i] = r.down[0]
	r.down = r.down[1:]
	boot(r.world, r.up[i])
}

// ending returns when something ends that lasts so long from now.
func ending(w *sim.World, d time.Duration) time.Duration {
	if d <= 0 {
		return 1<<63 - 1
	}
	return w.Now() + d
}

var (
	_ Model = Exponential{}
	_ Model = Replacement{}
)
