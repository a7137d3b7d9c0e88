package compare

import (
	"reflect"
	"strings"

	"tidings/lab/experiments/compare/footprint"
	"tidings/lab/experiments/testnet"
	"tidings/network/sim"
)

// weighed is of how many nodes the state is measured at least, where there are as many.
const weighed = 40

// state returns how much memory the protocols of nodes take, without the events that they keep: how long those are is a
// matter of the workload.
func (w *world) state() (bytes []float64) {
	step := max(w.nodes/weighed, 1)
	for n := sim.Node(0); int(n) < w.nodes; n += sim.Node(step) {
		if w.Up(n) {
			bytes = append(bytes, float64(footprint.Of(w.stacks[n], aroundNodes)))
		}
	}
	return bytes
}

// aroundNodes reports whether a type is no state of a node: it is of the simulator or of this experiment, or an event.
func aroundNodes(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch path := t.PkgPath(); {
	case path == "tidings/lab/experiments/compare/fan", path == "tidings/lab/experiments/compare/plumtree":
		return false
	case t == reflect.TypeFor[testnet.Note](), strings.HasPrefix(path, "tidings/lab"), path == "math/rand/v2",
		path == reflect.TypeFor[sim.World]().PkgPath(), path == "tidings/network/astrolabe/settled":
		return true
	}
	return false
}
