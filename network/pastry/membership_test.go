package pastry

import (
	"testing"
	"time"
)

// A node is active only when it has begun, and an active one has answered it or it was active before.
func TestMembership(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	for _, c := range []struct {
		name              string
		begun             bool
		member, confirmed bool
		active            bool
	}{
		{"not begun", false, true, true, false},
		{"joins and is alone", true, false, false, false},
		{"is the first", true, true, false, true},
		{"is answered", true, false, true, true},
	} {
		m := membership{member: c.member, confirmed: c.confirmed}
		if c.begun && (!m.begin(0) || m.begin(0)) {
			t.Errorf("%s: it does not begin once", c.name)
		}
		if m.activate() != c.active || m.activate() {
			t.Errorf("%s: active is not %v, once", c.name, c.active)
		}
		if _, woke := m.wake(limit-1, limit); woke {
			t.Errorf("%s: it has slept less than %v", c.name, limit)
		}
		slept, woke := m.wake(limit, limit)
		if woke != c.begun || woke && (slept != limit || m.state != joining) {
			t.Errorf("%s: it has slept for %v, %v", c.name, slept, woke)
		}
		if _, again := m.wake(limit+1, limit); again {
			t.Errorf("%s: it wakes twice", c.name)
		}
		if m.activate() != c.active {
			t.Errorf("%s: awake, active is not %v", c.name, c.active)
		}
	}
}

// What is done once in a pause.
func TestMergeOncePerPause(t *testing.T) {
	t.Parallel()
	var m merge
	for _, c := range []struct {
		now  time.Duration
		look bool
	}{{1, true}, {5, false}, {10, false}, {11, true}, {20, false}} {
		if m.look(c.now, 10) != c.look || m.foreign(c.now) {
			t.Errorf("at %v: it looks, or not, as it should not", c.now)
		}
	}
	m.welcomed(30, 10)
	if !m.foreign(39) || m.foreign(40) {
		t.Error("a new neighbour is a sign of another ring for other than 10 ns")
	}
	if !m.report(30, 10) || m.report(31, 10) || !m.report(40, 10) {
		t.Error("it is not reported once in 10 ns")
	}
}

// Memories of bounded length forget the first.
func TestSmallMemoriesForget(t *testing.T) {
	t.Parallel()
	var d duplicates
	c := contradictions{pause: time.Second}
	r := newRing(t, 1)
	first := r.key()
	if !d.note(first) || d.note(first) {
		t.Error("a duplicate is not new once")
	}
	if !c.note(first, r.key(), 0) || c.note(first, first, 0) {
		t.Error("a name is not repeated to others, or is to itself")
	}
	of, to := r.key(), r.key()
	if !c.note(of, to, 0) || c.note(of, to, 0) || !c.note(of, r.key(), 0) || !c.note(r.key(), to, 0) {
		t.Error("one name to one node keeps other names, or other nodes, from it")
	}
	for range 1000 {
		d.note(r.key())
		c.note(r.key(), first, 0)
	}
	if len(d) != maxDuplicates || len(c.latest) != maxContradictions || d.has(first) {
		t.Errorf("%d and %d are remembered", len(d), len(c.latest))
	}
	to = r.key()
	if !c.note(first, to, 0) || c.note(first, to, time.Second-1) || !c.note(first, to, time.Second) {
		t.Error("a name is not repeated once in a second")
	}
}
