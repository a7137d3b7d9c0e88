package levels

import (
	"fmt"
	"math"
)

// Wedges says of a channel, or on average of many, how many nodes poll it at each level and how
// late they then are. The primary owner polls whatever the level, so that there is always one.
// Made by Model.Counted, Model.Expected or Model.Nominal.
type Wedges struct {
	levels  int
	pollers [MaxLevels]float64
	delays  [MaxLevels]float64 // detection times, in units of that of one poller
}

// Levels returns how many levels there are: K+1.
func (w *Wedges) Levels() int { return w.levels }

// Pollers returns how many nodes poll at a level, at least 1.
func (w *Wedges) Pollers(level int) float64 { return w.pollers[level] }

// Delay returns the mean detection time at a level, in units of what it is with one poller.
func (w *Wedges) Delay(level int) float64 { return w.delays[level] }

// Counted returns the wedges of one channel from counts of its nodes, from level 0: 1 to MaxLevels counts. A wedge has
// no more nodes than the one around it. A count that says so is late news and is cut.
func (m Model) Counted(nodes []uint32) Wedges {
	checkLevels(len(nodes))
	w := Wedges{levels: len(nodes)}
	around := uint32(math.MaxUint32)
	for l, n := range nodes {
		around = min(around, max(1, n))
		w.pollers[l] = float64(around)
		w.delays[l] = m.Phases.delay(float64(around))
	}
	return w
}

// Nominal returns wedges by the paper's formula: a level has N/b^l nodes (section 3.1).
func (m Model) Nominal(nodes, levels int) Wedges {
	checkLevels(levels)
	w := Wedges{levels: levels}
	for l := range levels {
		w.pollers[l] = max(1, math.Ldexp(float64(nodes), -l*m.LevelBits))
		w.delays[l] = m.Phases.delay(w.pollers[l])
	}
	return w
}

// Expected returns wedges as they are on average over channels, nodes having random IDs. One
// poller fewer costs more delay than one more saves, so the mean delay is longer than that of
// the mean wedge: by 37 % with four nodes, by 2 % with fifty. Clusters need this one.
func (m Model) Expected(nodes, levels int) Wedges {
	checkLevels(levels)
	w := Wedges{levels: levels}
	for l := range levels {
		w.pollers[l], w.delays[l] = m.expected(max(1, nodes), math.Ldexp(1, -l*m.LevelBits))
	}
	return w
}

// expected returns the means over the binomial distribution, nodes being in the wedge with a given probability each.
// Chances are relative to that of the most likely number, from which it goes up and down until they no longer count.
func (m Model) expected(nodes int, probability float64) (pollers, delay float64) {
	n := float64(nodes)
	if probability == 1 {
		return n, m.Phases.delay(n)
	}
	odds := probability / (1 - probability)
	var chances float64
	count := func(k, chance float64) (goesOn bool) {
		chances += chance
		pollers += float64(chance * max(1, k))
		delay += float64(chance * m.Phases.delay(max(1, k)))
		return chance > 1e-18
	}
	likely := math.Floor((n + 1) * probability)
	for k, chance := likely, 1.; k <= n && count(k, chance); k++ {
		chance *= odds * (n - k) / (k + 1)
	}
	for k, chance := likely, 1.; k > 0; {
		chance *= k / ((n - k + 1) * odds)
		if k--; !count(k, chance) {
			break
		}
	}
	return pollers / chances, delay / chances
}

func checkLevels(levels int) {
	if levels < 1 || levels > MaxLevels {
		panic(fmt.Sprintf("levels: %d levels, want 1 to %d", levels, MaxLevels))
	}
}
