package experiments

import (
	"tidings/lab"
	"tidings/lab/crowd"
)

// giveFailures hands over how many errors the nodes of a crowd have logged, as a figure, and shows the first.
func giveFailures(run *lab.Run, figure string, f crowd.Failures) {
	run.Figure(figure, float64(f.Count))
	if f.Count > 0 {
		run.Remark("The first error that a node logged: " + f.First)
	}
}
