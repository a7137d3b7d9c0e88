package coronatest

import (
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// bench is an origin in a world of its own.
func bench() (*sim.World, *Origin, corona.Channel) {
	w := sim.New(SimConfig())
	o := newOrigin(w, sim.Default(codec).Epoch, func(sim.Node, engine.ID, string) {})
	return w, o, o.Add("http://example.org/news")
}

func TestOriginBehaves(t *testing.T) {
	w, o, c := bench()
	first := o.Fetch(0, c).Content
	o.Change(c.ID, "second")
	if got := o.Fetch(0, c); !got.OK || got.Content != "second" || got.Modified != 0 {
		t.Errorf("%+v", got)
	}
	o.Behave(c.ID, Behaviour{Stale: 1})
	if got := o.Fetch(0, c).Content; got != first {
		t.Errorf("a stale mirror serves %q", got)
	}
	o.Behave(c.ID, Behaviour{Noisy: true})
	if a, b := o.Fetch(0, c), o.Fetch(0, c); a.Content == b.Content {
		t.Errorf("a noisy origin serves %q twice", a.Content)
	}
	o.Behave(c.ID, Behaviour{Wait: time.Hour})
	if got := o.Fetch(0, c); got.OK || got.Wait != time.Hour {
		t.Errorf("%+v", got)
	}
	o.Behave(c.ID, Behaviour{Down: true})
	if got := o.Fetch(0, c); got != (Reply{}) {
		t.Errorf("%+v", got)
	}
	o.Behave(c.ID, Behaviour{Interval: time.Minute,
		See: func(n sim.Node, content string) string { return content + "!" }})
	if got := o.Fetch(7, c); got.Content != "second!" || got.Interval != time.Minute {
		t.Errorf("%+v", got)
	}
	if got := len(o.Requests(c.ID, 0, w.Now()+1)); got != 8 {
		t.Errorf("%d requests are remembered", got)
	}
	if got := o.HostRequests("example.org", 0, w.Now()+1); len(got) != 8 || got[7].Node != 7 {
		t.Errorf("%v", got)
	}
}

func TestOriginChangesByItself(t *testing.T) {
	w, o, c := bench()
	o.ChangeEach(c.ID, Regular(time.Hour))
	o.Behave(c.ID, Behaviour{Dated: true})
	w.Run(150 * time.Minute)
	if got := o.Fetch(0, c); got.Modified != 2*time.Hour || got.Content != o.Content(c.ID) {
		t.Errorf("%+v", got)
	}
}

// A library stores what leads on from its contents, reports so, and has it after a crash.
func TestLibraryKeeps(t *testing.T) {
	w := New(sim.New(SimConfig()), Default(1))
	c := w.Origin.Add("http://example.org/news")
	l := w.Node(0).Library
	store := func(number uint64, base, content string) bool {
		u := &corona.Update{Channel: c.ID, Version: number, Hash: HashOf(content), Payload: []byte(content)}
		if base != "" {
			u.Base = HashOf(base)
		}
		return l.keep(u)
	}
	for i, step := range []struct {
		number        uint64
		base, content string
		want          bool
	}{
		{1, "unknown", "a", false}, {1, "", "a", true}, {1, "", "b", false}, {2, "x", "b", false},
		{2, "a", "b", true}, {3, "b", "b", true}, {4, "b", "c", true}, {3, "c", "d", false},
	} {
		if got := store(step.number, step.base, step.content); got != step.want {
			t.Errorf("step %d: kept is %v", i, got)
		}
	}
	if h := l.History(c.ID); len(h) != 4 || h[2].News || !h[3].News {
		t.Errorf("%+v", h)
	}
	if u := l.lead(c.ID, HashOf("a")); u.Base != HashOf("a") || u.Version != 4 {
		t.Errorf("%+v", u)
	}
	if u := l.lead(c.ID, HashOf("never had")); u.Base != (corona.Hash{}) {
		t.Errorf("%+v", u)
	}
	w.Restart(0)
	if number, hash := w.Node(0).Library.Held(c.ID); number != 4 || hash != HashOf("c") {
		t.Errorf("after a restart it has version %d", number)
	}
}
