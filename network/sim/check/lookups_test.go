package check

import (
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

func TestLookupsByShare(t *testing.T) {
	a, b := engine.ID{0x10}, engine.ID{0x90}
	var steps []step
	for i := range 4 {
		steps = append(steps, step{0, Sought{a, uint64(i)}})
	}
	steps = append(steps, step{0, Found{a, 0}}, step{0, Found{a, 1}}, step{1, Found{a, 2}}, step{0, Found{a, 0}})

	for _, c := range []struct {
		name   string
		change func(l *Lookups)
		want   string
		figure Figures
	}{
		{"all must be right", func(l *Lookups) { l.MayRepeat = true },
			"lookup 2 was delivered here, and node 0 (10000000) is closer", Figures{2, 1, 1, 1}},
		{"half must be right", func(l *Lookups) { l.MayRepeat, l.AtLeast = true, 0.5 }, "", Figures{2, 1, 1, 1}},
		{"more must be right", func(l *Lookups) { l.MayRepeat, l.AtLeast = true, 0.6 },
			"0.50000 of the lookups are right, where 0.60000 must be", Figures{2, 1, 1, 1}},
		{"none may repeat", func(l *Lookups) { l.AtLeast = 0.5 }, "lookup 0 was delivered a second time",
			Figures{2, 1, 1, 1}},
		{"in time", func(l *Lookups) { l.MayRepeat, l.AtLeast, l.Within = true, 0.25, 3*time.Second },
			"0.00000 of the lookups are right", Figures{0, 3, 1, 1}},
		{"the last is still under way", func(l *Lookups) {
			l.MayRepeat, l.AtLeast, l.Within = true, 0.5,
				5*time.Second
		}, "", Figures{2, 1, 0, 1}},
		{"all in time", func(l *Lookups) { l.MayRepeat, l.Within = true, 3*time.Second }, "lookup 0 lasted 4s",
			Figures{0, 3, 1, 1}},
		{"another member", func(l *Lookups) {
			l.MayRepeat, l.AtLeast = true, 0.25
			l.Member = func(n sim.Node) bool { return n == 1 }
		}, "", Figures{1, 2, 1, 1}},
	} {
		w := quietWorld(a, b)
		l := NewLookups(w)
		c.change(l)
		got := after(w, l, steps...)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if l.Figures() != c.figure {
			t.Errorf("%s: %+v, want %+v", c.name, l.Figures(), c.figure)
		}
	}
	w := quietWorld(a, b)
	if got, want := after(w, NewLookups(w), step{0, Found{a, 7}}), "lookup 7 was found and never sought"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
