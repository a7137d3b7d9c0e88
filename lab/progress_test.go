package lab

import (
	"math"
	"sync/atomic"
	"testing"
)

// What the parts of a stage have done stays done when the next stage begins.
func TestProgressKeepsWhatPartsDid(t *testing.T) {
	p := newProgress(new(atomic.Uint64))
	for i, want := range []float64{0.25, 0.5} {
		p.begin("table", 0.25)
		parts := p.divide(2)
		parts[0].end()
		if done, _ := p.poll(); math.Abs(done-(want-0.125)) > 1e-9 {
			t.Errorf("half of stage %d: %v", i, done)
		}
		parts[1].end()
		if done, _ := p.poll(); math.Abs(done-want) > 1e-9 {
			t.Errorf("all of stage %d: %v, not %v", i, done, want)
		}
	}
	p.begin("rest", 0.5)
	p.set(0.5)
	if done, stage := p.poll(); math.Abs(done-0.75) > 1e-9 || stage != "rest" {
		t.Errorf("%v %q", done, stage)
	}
}
