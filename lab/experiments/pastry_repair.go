package experiments

import (
	"time"

	"tidings/lab/plot"
	"tidings/network/sim"
)

// crashAndRepair has 30 % of the nodes crash in one second, while messages are lost, and watches
// for four keep-alive periods. In the last two of them it looks keys up.
func (r *ring) crashAndRepair(n int) (wrongLeaves plot.Series, err error) {
	wrongLeaves.Label = "here"
	if err := r.grow(r.place(n)); err != nil {
		return wrongLeaves, err
	}
	r.run.Stage("repairing", 0.4)
	r.world.SetFaults(sim.Faults{Loss: 0.05})
	for range n * 3 / 10 {
		r.world.After(time.Duration(r.chance.Int64N(int64(time.Second))), func() {
			n := r.live[r.chance.IntN(len(r.live))]
			r.world.Crash(n)
			r.gone(n)
		})
	}
	r.expectLookups()
	watch := int(4 * r.config.KeepAlive / time.Second)
	repaired := 0
	for second := 1; second <= watch; second++ {
		if err := r.run.Pass(r.world, time.Second); err != nil {
			return wrongLeaves, err
		}
		r.run.Part(second, watch)
		share := float64(r.wrongLeafSets()) / float64(len(r.live))
		wrongLeaves.Points = append(wrongLeaves.Points, plot.Point{X: float64(second), Y: share})
		if share == 0 && repaired == 0 {
			repaired = second
		}
		if time.Duration(second)*time.Second >= 2*r.config.KeepAlive {
			for range 50 {
				r.lookUp()
			}
		}
	}
	if repaired == 0 {
		repaired = watch + 1
	}
	figures, err := r.judged()
	if err != nil {
		return wrongLeaves, err
	}
	r.run.Figure(sized(repairTime, n), float64(repaired))
	r.run.Figure(sized(wrongAfterRepair, n), float64(figures.Wrong+figures.Lost))
	return wrongLeaves, nil
}
