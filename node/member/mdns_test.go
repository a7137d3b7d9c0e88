package member

import (
	"testing"
	"time"

	"tidings/network/engine"
)

func TestWhoIsSeenOftenIsTriedNowAndThen(t *testing.T) {
	m, now := make(attempts), time.Now()
	a := engine.IDOf([]byte("a"))
	if !m.isDue(a, now) || m.isDue(a, now.Add(tryAgain-1)) || !m.isDue(a, now.Add(tryAgain)) {
		t.Error("tried at the wrong times")
	}
	for i := range 3 * maxAttempts {
		m.isDue(engine.IDOf([]byte{byte(i), byte(i >> 8)}), now)
	}
	if len(m) > maxAttempts {
		t.Errorf("%d are remembered", len(m))
	}
}
