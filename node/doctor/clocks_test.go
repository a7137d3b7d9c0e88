package doctor

import (
	"testing"
	"time"

	"tidings/view"
)

func TestDoctorOnClocks(t *testing.T) {
	offset := func(d time.Duration, others, agree int) view.Clock {
		return view.Clock{Offset: float64(d / time.Millisecond), Others: others, Agree: agree}
	}
	for name, test := range map[string]struct {
		peers, origins view.Clock
		want           []string
	}{
		"nobody to compare with": {want: nil},
		"right": {offset(-2*time.Second, 5, 5), offset(time.Second, 9, 8),
			[]string{"ok: The clock goes with those of other nodes.", "ok: The clock goes with those of the origins"}},
		"a little off": {offset(-40*time.Second, 5, 4), view.Clock{},
			[]string{"warning: This machine's clock is 40s behind those of other nodes (the median of 5; 4 of them agree)."}},
		"an hour off": {offset(time.Hour, 3, 3), offset(time.Hour, 3, 3),
			[]string{"problem: This machine's clock is 1h0m0s ahead of those of other nodes (the median of 3; 3 of them agree).",
				"problem: This machine's clock is 1h0m0s ahead of those of the origins", "(NTP)"}},
		"one node differs": {offset(time.Hour, 1, 1), view.Clock{},
			[]string{"warning: One other node's clock differs from this machine's by 1h0m0s: theirs or yours may be wrong."}},
		"two nodes differ": {offset(-time.Hour, 2, 2), view.Clock{},
			[]string{"warning: The clocks of 2 other nodes differ from this machine's by 1h0m0s (the median): theirs or yours may be wrong."}},
		"many that do not agree": {offset(time.Hour, 8, 2), view.Clock{},
			[]string{"warning: The clocks of 8 other nodes differ from this machine's by 1h0m0s (the median): theirs"}},
		"one node that goes with": {offset(time.Second, 1, 1), view.Clock{}, nil},
		"two origins are few":     {view.Clock{}, offset(time.Hour, 2, 2), nil},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, clocks(view.Status{Network: view.Network{Clock: test.peers}, OriginClock: test.origins}),
				test.want...)
		})
	}
}
