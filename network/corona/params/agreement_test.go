package params

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// The same agreement holds in whatever order nodes have answered. A majority holds however young it is; without one,
// one of the two largest groups does.
func TestHolding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var answers []answer
		count, settled := make(map[Agreement]int), 0
		for i := range rapid.IntRange(0, 9).Draw(t, "nodes") {
			a := answer{
				by: engine.ID{byte(i)}, uses: Agreement{Interval: time.Duration(rapid.IntRange(1, 3).Draw(t,
					"interval"))},
				since: uint64(rapid.IntRange(0, 3).Draw(t, "since")), settled: rapid.Bool().Draw(t, "settled"),
			}
			answers = append(answers, a)
			if a.settled {
				count[a.uses]++
				settled++
			}
		}
		g := holding(answers)
		if g == nil {
			if settled > 0 {
				t.Fatalf("nothing holds among %d that are settled", settled)
			}
			return
		}
		more := 0
		for uses, nodes := range count {
			switch {
			case 2*nodes > settled && uses != g.uses:
				t.Fatalf("%v holds, and %d of %d use %v", g.uses, nodes, settled, uses)
			case nodes > count[g.uses]:
				more++
			}
		}
		if more > 1 {
			t.Fatalf("%v holds, which %d of %d use", g.uses, count[g.uses], settled)
		}
		if h := holding(rapid.Permutation(answers).Draw(t, "order")); h.uses != g.uses || h.age() != g.age() {
			t.Fatalf("in another order %v holds, not %v", h.uses, g.uses)
		}
	})
}

func TestOlderAgreementHolds(t *testing.T) {
	one, other, third := Agreement{Interval: time.Minute}, Agreement{Interval: time.Hour},
		Agreement{Interval: time.Second}
	of := func(uses Agreement, since ...uint64) (list []answer) {
		for _, s := range since {
			list = append(list, answer{uses: uses, since: s, settled: true})
		}
		return list
	}
	for name, c := range map[string]struct {
		answers []answer
		want    Agreement
	}{
		"the older of two":             {append(of(one, 7), of(other, 5)...), other},
		"by the median, not by a liar": {append(of(one, 6, 6, 6), of(other, 0, 7, 7)...), one},
		"a majority that is younger":   {append(of(one, 9, 9), of(other, 5)...), one},
		"half is no majority":          {slices.Concat(of(one, 9, 9), of(third, 7), of(other, 5)), other},
		"the unsettled do not count": {append(of(one, 9), answer{uses: other, since: 1},
			answer{uses: other, since: 1}), one},
	} {
		if got := holding(c.answers); got.uses != c.want {
			t.Errorf("%s: %v holds", name, got.uses)
		}
	}
}
