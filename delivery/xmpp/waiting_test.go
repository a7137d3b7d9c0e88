package xmpp

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A target has one watcher, the last one; those of an address go together, and there is a bound.
func TestWatchers(t *testing.T) {
	var w watchers
	var called []string
	add := func(target int64, address, name string) bool {
		return w.add(target, address, func() { called = append(called, name) })
	}
	call := func(again []func()) []string {
		called = nil
		for _, f := range again {
			f()
		}
		slices.Sort(called)
		return called
	}
	if got := call(w.removeAll()); len(got) != 0 || len(w.remove("a@b")) != 0 {
		t.Errorf("none are %v", got)
	}
	add(1, "a@b", "1")
	add(2, "a@b", "2")
	add(3, "c@d", "3")
	add(2, "a@b", "2 again")
	if got := call(w.remove("a@b")); !slices.Equal(got, []string{"1", "2 again"}) {
		t.Errorf("of one address %v", got)
	}
	if got := call(w.remove("a@b")); len(got) != 0 {
		t.Errorf("twice %v", got)
	}
	if got := call(w.removeAll()); !slices.Equal(got, []string{"3"}) || len(w.by) != 0 {
		t.Errorf("the others are %v", got)
	}
	for i := range maxWatched {
		if !add(int64(i), "a@b", "") {
			t.Fatalf("%d has no room", i)
		}
	}
	if add(maxWatched, "a@b", "") || !add(0, "c@d", "the first") {
		t.Error("the bound does not hold, or holds for a target that is there")
	}
	if got := call(w.remove("c@d")); !slices.Equal(got, []string{"the first"}) {
		t.Errorf("at the bound %v", got)
	}
}

func bares(all []request) (bare []string) {
	for _, r := range all {
		bare = append(bare, r.bare+" "+r.text)
	}
	return bare
}

// The oldest command of an address is answered first; those that are this node's come back once, and none after its
// time.
func TestOpenCommands(t *testing.T) {
	var o openCommands
	now := time.Unix(1_000_000, 0)
	for _, c := range []string{"a@b", "c@d", "a@b", "e@f"} {
		o.add(request{bare: c, text: fmt.Sprint(len(o.all))}, now)
		now = now.Add(time.Second)
	}
	o.answered("x@y")
	o.answered("a@b")
	if len(o.all) != 3 {
		t.Fatalf("%d are open", len(o.all))
	}
	mine := func(bare string) bool { return bare != "e@f" }
	if got := bares(o.remove(mine, now)); !slices.Equal(got, []string{"c@d 1", "a@b 2"}) {
		t.Errorf("this node answers %v", got)
	}
	if got := bares(o.remove(mine, now)); len(got) != 0 {
		t.Errorf("and again %v", got)
	}
	// The last one came at second 3: its time is over beyond second 63.
	anybody := func(string) bool { return true }
	late := o
	if got := bares(late.remove(anybody, time.Unix(1_000_063, 0))); !slices.Equal(got, []string{"e@f 3"}) {
		t.Errorf("at the end of its time %v", got)
	}
	if got := bares(o.remove(anybody, time.Unix(1_000_064, 0))); len(got) != 0 || len(o.all) != 0 {
		t.Errorf("after its time %v", got)
	}
	for i := range maxOpen + 10 {
		o.add(request{bare: "a@b", text: fmt.Sprint(i)}, now)
	}
	if len(o.all) != maxOpen || o.all[0].text != "10" {
		t.Errorf("%d are open, the first is %s", len(o.all), o.all[0].text)
	}
	if o.add(request{bare: "a@b"}, now.Add(2*openTime)); len(o.all) != 1 {
		t.Errorf("%d are open after their time", len(o.all))
	}
}

func TestRecentCommands(t *testing.T) {
	var r recent
	for i := range maxRecent {
		if r.twice(fmt.Sprint(i)) {
			t.Fatalf("%d comes twice", i)
		}
	}
	if !r.twice("0") || !r.twice(fmt.Sprint(maxRecent-1)) {
		t.Error("what has come is not known")
	}
	if r.twice("new") || !r.twice("new") || !r.twice("1") || r.twice("0") || len(r.known) != maxRecent ||
		len(r.order) != maxRecent {
		t.Errorf("at the bound %d are known", len(r.known))
	}
}

// A node counts as gone when the last of a number of answers in a row is missing. Then the count begins anew.
func TestStrikes(t *testing.T) {
	s := make(strikes)
	for i, step := range []struct{ answered, gone bool }{
		{false, false}, {false, false}, {true, false}, {false, false}, {false, false}, {false, true}, {false, false},
		{false, false}, {false, true}, {true, false},
	} {
		if got := s.asked("a", step.answered); got != step.gone {
			t.Errorf("step %d: gone %v", i, got)
		}
		if s.asked("b", true) {
			t.Error("another node is gone")
		}
	}
	if len(s) != 0 {
		t.Errorf("%v is left", s)
	}
}
