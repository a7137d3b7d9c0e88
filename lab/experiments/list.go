// Package experiments lists what the lab tries; the packages below it hold the experiments.
package experiments

import (
	"tidings/lab"
	"tidings/lab/experiments/compare"
	"tidings/lab/experiments/corona"
	"tidings/lab/experiments/engine"
	"tidings/lab/experiments/feedtree"
	"tidings/lab/experiments/homes"
	"tidings/lab/experiments/newswire"
	"tidings/lab/experiments/pastry"
	"tidings/lab/experiments/routers"
	"tidings/lab/experiments/spidercast"
	"tidings/lab/experiments/trees"
)

// All returns the experiments, in the order in which people should meet them.
func All() []lab.Entry {
	return []lab.Entry{
		engine.Experiment, pastry.Experiment, trees.Scribe, feedtree.Experiment, trees.Rappel, spidercast.Experiment,
		newswire.Astrolabe, newswire.NewsWire, compare.Experiment,
		corona.Experiment, corona.Trust, corona.Hot, corona.Volunteer, corona.Live, corona.HotLive, feedtree.Live,
		feedtree.PushesLive, routers.Rappel, routers.SpiderCast, routers.NewsWire,
		homes.Experiment,
	}
}
