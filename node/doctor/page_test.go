package doctor

import (
	"testing"
	"time"

	"tidings"
)

func TestDoctorOnThePage(t *testing.T) {
	now := time.Date(2026, 5, 1, 15, 4, 5, 0, time.Local)
	for name, test := range map[string]struct {
		status tidings.Status
		want   []string
	}{
		"all is well": {tidings.Status{}, nil},
		"no password": {tidings.Status{NoPassword: true}, []string{"ok: The page has no password: everybody who uses this machine is its owner there.", "tidings password"}},
		"no descriptors": {tidings.Status{Connections: tidings.Connections{Exhausted: now.Add(-time.Minute)}},
			[]string{"warning: The node ran out of descriptors at 15:03:05.", "ulimit -n"}},
		"too many connections": {tidings.Status{Connections: tidings.Connections{Limit: 68, Closed: 4, Refused: 2, Full: now.Add(-time.Minute)}},
			[]string{"warning: The page had too many connections at 15:03:05: of 68, 4 were closed for others and 2 refused", "ulimit -n"}},
		"long ago": {tidings.Status{Connections: tidings.Connections{Full: now.Add(-lately), Exhausted: now.Add(-lately)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, aboutPage(test.status, now), test.want...)
		})
	}
}
