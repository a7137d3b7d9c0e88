package doctor

import (
	"testing"
	"time"

	"tidings/view"
)

func TestDoctorOnThePage(t *testing.T) {
	now := time.Date(2026, 5, 1, 15, 4, 5, 0, time.Local)
	for name, test := range map[string]struct {
		status view.Status
		want   []string
	}{
		"all is well": {view.Status{}, nil},
		"no password": {view.Status{NoPassword: true},
			[]string{"ok: The page has no password: everybody who uses this machine is its owner there.",
				"tidings password"}},
		"no descriptors": {view.Status{Connections: view.Connections{Exhausted: now.Add(-time.Minute)}},
			[]string{"warning: The node ran out of descriptors at 15:03:05.", "ulimit -n"}},
		"too many connections": {view.Status{Connections: view.Connections{Limit: 68, Closed: 4, Refused: 2,
			Full: now.Add(-time.Minute)}},
			[]string{"warning: The page had too many connections at 15:03:05: of 68, 4 were closed for others and 2 refused", "ulimit -n"}},
		"long ago": {view.Status{Connections: view.Connections{Full: now.Add(-lately), Exhausted: now.Add(-lately)}},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, aboutPage(test.status, now), test.want...)
		})
	}
}
