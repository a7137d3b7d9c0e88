package networkroom

import (
	"testing"
	"tidings/delivery/web/wording"

	"tidings/view"
)

func TestRTTText(t *testing.T) {
	for ms, want := range map[float64]string{0: "not measured", -1: "not measured", 0.02: "0.1 ms", 0.44: "0.4 ms",
		9.94: "9.9 ms", 10: "10 ms", 203.4: "203 ms", 1500: "1.5 s"} {
		if got := rttText(wording.Words{}, ms); got != want {
			t.Errorf("rttText(wording.Words{}, %v) = %q, want %q", ms, got, want)
		}
	}
	for ms, want := range map[float64]string{0: "rx", 0.1: "r0", 19.9: "r0", 20: "r1", 80: "r2", 199: "r2", 200: "r3",
		9000: "r3"} {
		if got := bandOf(ms); got != want {
			t.Errorf("bandOf(%v) = %q, want %q", ms, got, want)
		}
	}
}

func TestClockText(t *testing.T) {
	for _, c := range []struct {
		clock view.Clock
		want  string
	}{
		{view.Clock{}, ""},
		{view.Clock{Offset: 29_000, Others: 3, Agree: 3}, ""},
		{view.Clock{Offset: 400_000}, ""},
		{view.Clock{Offset: 400_000, Others: 2, Agree: 2}, ""},
		{view.Clock{Offset: 400_000, Others: 6, Agree: 3}, ""},
		{view.Clock{Offset: 30_000, Others: 3, Agree: 3},
			"This machine’s clock is 30 s ahead of those of other nodes (the median of 3; 3 of them agree)."},
		{view.Clock{Offset: -7_200_000, Others: 9, Agree: 5},
			"This machine’s clock is 2 h behind those of other nodes (the median of 9; 5 of them agree)."},
	} {
		if got := clockText(wording.Words{}, c.clock); got != c.want {
			t.Errorf("%+v: %q, want %q", c.clock, got, c.want)
		}
	}
}
