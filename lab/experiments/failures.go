package experiments

import (
	"tidings/lab"
	"tidings/lab/cluster"
)

// giveFailures hands over how many errors the nodes of a cluster have logged, as a figure, and shows the first.
func giveFailures(run *lab.Run, figure string, f cluster.Failures) {
	run.Figure(figure, float64(f.Count))
	if f.Count > 0 {
		run.Remark("The first error that a node logged: " + f.First)
	}
}
