package lab

import (
	"errors"
	"fmt"
	"time"

	"tidings/lab/plot"
	"tidings/network/engine"
	"tidings/network/sim"
)

// toySizes are the parameters of the toy: throws of a die in each of some worlds.
type toySizes struct {
	Throws int `json:"throws"`
	Worlds int `json:"worlds"`
}

// toy throws dice in worlds that do not need one another.
func toy() Experiment[toySizes] {
	return Experiment[toySizes]{
		Name: "toy", Title: "A die thrown in a simulated world", Source: "Huygens 1657, proposition I",
		About: "Dice fall one a second. Their mean is known.",
		Tiny:  toySizes{Throws: 10, Worlds: 2}, Quick: toySizes{Throws: 1000, Worlds: 3},
		Paper: toySizes{Throws: 100_000, Worlds: 3},
		Expect: func(s toySizes) []Expected {
			all := []Expected{{Name: "most", Unit: "points", Within: AtMost(6), Worst: true}}
			for i := range s.Worlds {
				all = append(all, Expected{Name: fmt.Sprintf("mean of world %d", i), Unit: "points", Paper: new(3.5),
					Within: Near(3.5, 0.05)})
			}
			return all
		},
		Run: throw,
	}
}

func throw(run *Run, s toySizes) error {
	most := make([]int, s.Worlds)
	series := plot.Series{Label: "here", Points: make([]plot.Point, s.Worlds)}
	run.Each(s.Worlds, func(part *Run, i int) {
		c := sim.Default(engine.NewCodec())
		c.Seed = part.Seed()*10 + uint64(i)
		w := sim.New(c)
		sum := 0
		for n := range s.Throws {
			w.After(time.Duration(n)*time.Second, func() {
				die := 1 + w.Rand().IntN(6)
				sum, most[i] = sum+die, max(most[i], die)
			})
		}
		part.Stage("throwing", 1)
		part.Advance(w, time.Duration(s.Throws)*time.Second)
		part.Ran(w)
		mean := float64(sum) / float64(s.Throws)
		part.Figure(fmt.Sprintf("mean of world %d", i), mean)
		series.Points[i] = plot.Point{X: float64(i), Y: mean}
	})
	highest := 0
	for _, x := range most {
		highest = max(highest, x)
	}
	run.Figure("most", float64(highest))
	run.Plot(plot.Plot{
		Name: "means", Title: "Mean points by world", X: plot.Axis{Label: "world"},
		Y:       plot.Axis{Label: "mean", Unit: "points"},
		Caption: "One line for all.", Series: []plot.Series{series},
		Said: []plot.Reference{plot.Level("Huygens: 3.5", 3.5)},
	})
	return nil
}

var errToy = errors.New("the table fell over")
