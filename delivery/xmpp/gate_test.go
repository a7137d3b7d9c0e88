package xmpp

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// A gate lets so many events of a place through at once, and so many in a time. It knows so many places apart, and
// forgets those that have been quiet; what it does not know apart has one share together.
func TestGate(t *testing.T) {
	now := time.Now()
	g := newGate(60, time.Minute, 5, rate.NewLimiter(rate.Inf, 1))
	count := func(name string, at time.Time) (passed, told int) {
		for range 50 {
			ok, tell := g.pass(name, at)
			if ok {
				passed++
			}
			if tell {
				told++
			}
		}
		return passed, told
	}
	if passed, told := count("a", now); passed != 5 || told != 1 {
		t.Errorf("at once %d pass, and it is told %d times", passed, told)
	}
	if passed, told := count("a", now.Add(3*time.Second)); passed != 3 || told != 1 {
		t.Errorf("after three seconds %d pass, and it is told %d times", passed, told)
	}
	for i := range 2 * maxPlaces {
		g.pass(fmt.Sprint(i), now.Add(4*time.Second))
	}
	if passed, _ := count("late", now.Add(5*time.Second)); passed > 5 {
		t.Errorf("one that is not known apart has %d events", passed)
	}
	if passed, _ := count("later", now.Add(5*time.Second)); passed != 0 {
		t.Errorf("another one has %d more", passed)
	}
	if passed, _ := count("new", now.Add(10*time.Minute)); passed != 5 || len(g.places) != 1 {
		t.Errorf("later %d pass, and %d places are known", passed, len(g.places))
	}
}

// All places together have a limit, too. An event that this limit refuses does not count as the first refused one of
// its place.
func TestGateForAll(t *testing.T) {
	now := time.Now()
	g := newGate(60, time.Minute, 5, rate.NewLimiter(1, 7))
	passed := 0
	for i := range 10 {
		ok, tell := g.pass(fmt.Sprint(i), now)
		if ok {
			passed++
		}
		if tell {
			t.Error("it is told")
		}
	}
	if passed != 7 || g.open("new", now) || !g.open("new", now.Add(time.Second)) {
		t.Errorf("%d pass", passed)
	}
}
