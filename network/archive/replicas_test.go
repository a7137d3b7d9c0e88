package archive

import (
	"testing"
	"time"
)

// A co-owner is compared with soon when the neighbours have changed, and once in Compare if nothing differs. If
// differences lead to nothing, comparisons become ever rarer.
func TestReplicasPause(t *testing.T) {
	t.Parallel()
	c := Default()
	r := replicas{config: &c}
	for _, p := range []struct {
		what string
		of   coOwner
		want time.Duration
	}{
		{"the first", coOwner{}, c.Again},
		{"it is equal", coOwner{wait: time.Hour, state: equal}, c.Again},
		{"something was fetched", coOwner{wait: time.Hour, state: differed, gained: true}, c.Again},
		{"it is silent", coOwner{wait: c.Again, state: silent}, 2 * c.Again},
		{"it is silent for long", coOwner{wait: c.Compare, state: silent}, c.Compare},
		{"it differs in vain", coOwner{wait: c.Compare, state: differed}, 2 * c.Compare},
		{"it differs in vain for long", coOwner{wait: maxWaits * c.Compare, state: differed}, maxWaits * c.Compare},
	} {
		if got := r.pause(&p.of); got != p.want {
			t.Errorf("%s: it pauses for %v, want %v", p.what, got, p.want)
		}
	}
}

// A co-owner that stays keeps its state; one is sent partBurst parts and lists at once, and partRate a second.
func TestReplicasBoundWhatTheySend(t *testing.T) {
	t.Parallel()
	s := newStub()
	r := replicas{env: s.env, config: &s.config, node: s}
	v := newView(s.env.Self(), nil, s.peers, s.config.Replicas)
	r.compareWithAll(&v)
	count := func() (parts int) {
		for _, m := range s.env.Sent() {
			switch m := m.Message.(type) {
			case *Compare:
				if parts += len(m.Parts); len(m.Parts) > maxParts {
					t.Errorf("%d parts in a message", len(m.Parts))
				}
			case *Have:
				parts++
			}
		}
		return parts
	}
	if s.env.Advance(s.config.Again); count() != len(s.peers)-1 {
		t.Errorf("not all of %d are compared with", len(r.list))
	}
	c := r.find(s.peers[0].ID)
	r.answer(c, make([]Part, partBurst/2), make([]keyRange, partBurst))
	if n := count(); n != partBurst {
		t.Errorf("%d are sent at once", n)
	}
	if r.compareWithAll(&v); r.find(s.peers[0].ID) != c || c.state != silent {
		t.Error("a co-owner that has stayed is a new one, or the comparison is not begun anew")
	}
	s.env.Sent()
	r.answer(c, nil, make([]keyRange, 1))
	if n := count(); n > 0 {
		t.Errorf("%d more are sent at once", n)
	}
}

// What was fetched after one comparison makes the next come soon, and no further one.
func TestAGainCountsOnce(t *testing.T) {
	t.Parallel()
	s := newStub()
	r := replicas{env: s.env, config: &s.config, node: s}
	v := newView(s.env.Self(), nil, s.peers, s.config.Replicas)
	r.compareWithAll(&v)
	c := r.find(s.peers[0].ID)
	r.gains(c.peer.ID)
	for i, want := range []time.Duration{s.config.Again, 2 * s.config.Again, 4 * s.config.Again} {
		r.differs(c)
		if r.compareWith(c); c.wait != want {
			t.Errorf("after a gain and %d comparisons that differ the pause is %v; want %v", i+1, c.wait, want)
		}
	}
}
