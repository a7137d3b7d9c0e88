package lab

import (
	"fmt"
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -3: "-3", 1234567: "1,234,567", 4_213_437.8: "4,213,000", 12345.6: "12,350", 1234.5: "1,235",
		999.96:  "1000",
		2.49123: "2.491", 0.8100: "0.81", 0.0006: "0.0006", 0.00001: "1e-05", 55.5: "55.5", -0.25: "-0.25",
		1e18: "1,000,000,000,000,000,000",
	} {
		if got := number(x); got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
	for _, c := range []struct {
		x          float64
		unit, want string
	}{{312, "B", "312 B"}, {45_670, "B", "45.67 kB"}, {8 << 30, "B", "8.59 GB"}, {5, "s", "5 s"}, {0.5, "", "0.5"}} {
		if got := Quantity(c.x, c.unit); got != c.want {
			t.Errorf("%v %s: got %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

// A tolerance is stated beside the paper's value and judges nothing; what is outside of it needs a reason.
func TestTolerances(t *testing.T) {
	r := &Result{Seeds: 1, Figures: []Figure{
		Expected{Name: "same", Unit: "s", Paper: new(4.0), Tolerance: Near(4, 0.25), Reason: "unused",
			Aside: true}.judge([]float64{5}),
		Expected{Name: "less", Unit: "s", Paper: new(4.0), Tolerance: Near(4, 0.25), Reason: "it rained",
			Within: AtMost(4)}.judge([]float64{2.9}),
		Expected{Name: "more", Paper: new(0.5), Tolerance: AtMost(0.5), Aside: true}.judge([]float64{0.6}),
		Expected{Name: "bare", Paper: new(4.0), Within: AtMost(1)}.judge([]float64{2}),
	}}
	var got []string
	for _, row := range r.Rows() {
		got = append(got, strings.Join([]string{row.Figure, row.Tolerance, row.Reason, fmt.Sprint(row.OK)}, " | "))
	}
	want := `same | 3 to 5 s |  | true
less | 3 to 5 s | it rained | true
more | ≤ 0.5 | nobody has found out why | true
bare |  |  | false`
	if joined := strings.Join(got, "\n"); joined != want {
		t.Errorf("got\n%s\nwant\n%s", joined, want)
	}
	want = `less is 2.9 s, not 3 to 5 s as in the paper: it rained.
more is 0.6, not ≤ 0.5 as in the paper: nobody has found out why.`
	if joined := strings.Join(r.Apart(), "\n"); joined != want {
		t.Errorf("got\n%s\nwant\n%s", joined, want)
	}
}

func TestRows(t *testing.T) {
	r := &Result{Seeds: 10, Seed: 3, Scale: Quick, Figures: []Figure{
		Expected{Name: "mean hops", Unit: "hops", Paper: new(4.0), Within: AtMost(4)}.judge([]float64{2.9, 3, 3.1}),
		Expected{Name: "lost", Within: Exactly(0), Worst: true}.judge([]float64{0, 2, 0}),
		Expected{Name: "speed", Unit: "1/s", Within: AtLeast(4e6), OfMachine: true}.judge([]float64{5e6, 5.1e6, 4.9e6}),
		Expected{Name: "pace", Unit: "1/s", Paper: new(4e6), Aside: true}.judge([]float64{1e6, 1e6, 1e6}),
		Expected{Name: "size", Unit: "B", Within: Between(1e6, 2e6)}.judge([]float64{1.5e6, 1.5e6, 1.5e6}),
	}}
	var got []string
	for _, row := range r.Rows() {
		got = append(got, strings.Join([]string{row.Figure, row.Paper, row.Here, row.Range, row.Ratio, row.Expected,
			fmt.Sprint(row.OK)}, " | "))
	}
	want := `mean hops | 4 hops | 3 hops | 2.752 to 3.248 | 0.75 | ≤ 4 hops | true
lost |  | 2 | 0 to 2 |  | = 0, every seed | false
speed |  | 5,000,000 1/s | 4,752,000 to 5,248,000 |  | ≥ 4,000,000 1/s | true
pace | 4,000,000 1/s | 1,000,000 1/s | 1,000,000 to 1,000,000 | 0.25 | – | true
size |  | 1.5 MB | 1.5 MB to 1.5 MB |  | 1 MB to 2 MB | true`
	if joined := strings.Join(got, "\n"); joined != want {
		t.Errorf("got\n%s\nwant\n%s", joined, want)
	}
	if got := r.Sentence(); got != "scale quick, seeds 3 to 12" {
		t.Error(got)
	}
}
