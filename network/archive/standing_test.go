package archive

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// The nodes nearby have shifted once for each change, after a delay.
func TestStandingShiftsOnce(t *testing.T) {
	t.Parallel()
	s := newStub()
	moved := 0
	st := standing{env: s.env, ring: s, k: 2, moved: func() { moved++ }}
	for range 3 {
		st.changed()
	}
	if s.env.Advance(settle - 1); moved > 0 {
		t.Error("it moves at once")
	}
	if s.env.Advance(time.Minute); moved != 1 || !st.shifted() || st.shifted() {
		t.Errorf("after three changes it moved %d times, or did not shift once", moved)
	}
	s.peers[0] = enginetest.NewPeer("80f")
	if st.shifted() {
		t.Error("it has shifted, though nothing has changed")
	}
	if st.changed(); !st.shifted() {
		t.Error("it has not shifted with its neighbours")
	}
}
