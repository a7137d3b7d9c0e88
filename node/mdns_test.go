package node

import (
	"testing"
	"time"

	"tidings/network/engine"
)

func TestWhoIsSeenOftenIsTriedNowAndThen(t *testing.T) {
	m, now := make(meetings), time.Now()
	a := engine.IDOf([]byte("a"))
	if !m.isDue(a, now) || m.isDue(a, now.Add(metAgain-1)) || !m.isDue(a, now.Add(metAgain)) {
		t.Error("tried at the wrong times")
	}
	for i := range 3 * maxMet {
		m.isDue(engine.IDOf([]byte{byte(i), byte(i >> 8)}), now)
	}
	if len(m) > maxMet {
		t.Errorf("%d are remembered", len(m))
	}
}
