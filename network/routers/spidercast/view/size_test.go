package view

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
)

// A peer's second shuffle within the pause is not believed, and no more peers are remembered than there may be.
func TestMeters(t *testing.T) {
	m := meters{last: make(map[engine.ID]time.Duration)}
	peer := func(i int) engine.ID { return engine.IDOf(fmt.Append(nil, i)) }
	for _, step := range []struct {
		peer int
		now  time.Duration
		want bool
	}{{1, 0, true}, {1, 9, false}, {2, 9, true}, {1, 10, true}, {1, 19, false}, {2, 18, false}, {2, 19, true}} {
		if got := m.allow(peer(step.peer), step.now, 10, 4); got != step.want {
			t.Errorf("%+v: %v", step, got)
		}
	}
	for i := range 100 {
		if !m.allow(peer(10+i), 20, 10, 4) || len(m.last) > 4 {
			t.Fatalf("peer %d is not believed, or %d are remembered", i, len(m.last))
		}
	}
}
