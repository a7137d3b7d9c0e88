package check

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings/network/sim"
)

func TestRepeatSeesRunsThatDiffer(t *testing.T) {
	run := func(uint64) *sim.World { w, _ := play(""); return w }
	if err := Repeat(1, run); err != nil {
		t.Error(err)
	}
	var runs atomic.Int64
	other := func(uint64) *sim.World {
		w, _ := play("")
		w.After(time.Duration(runs.Add(1)), func() {})
		w.Run(time.Second)
		return w
	}
	if err := Repeat(1, other); err == nil || !strings.Contains(err.Error(), "seed 1 gives two runs") {
		t.Errorf("two runs that differ: %v", err)
	}
}
