package version

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A channel that seldom changes claims no polls out of turn, as hosts have one to spare. One that changes often claims
// enough for nearly all intervals, and for one more than in the interval before, but at most VerifiesPerSet.
func TestVerifiesWanted(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	n := &origins{core: &core{Base: machine.Base{Env: env}, config: Config{Interval: halfHour}}}
	changing := func(every time.Duration) *record {
		o := &record{}
		for at := env.Now() - 100*24*time.Hour; at < env.Now(); at += every {
			o.estimate.change(at, halfHour)
		}
		return o
	}
	env.Advance(100 * 24 * time.Hour)
	for _, test := range []struct {
		every time.Duration
		want  uint8
	}{
		{100 * 24 * time.Hour, 0},
		{24 * time.Hour, 0},
		{2 * time.Hour, 1},
		{time.Minute, VerifiesPerSet},
	} {
		if got := n.verifiesWanted(changing(test.every)); got != test.want {
			t.Errorf("of a channel that changes every %v %d are wanted, not %d", test.every, got, test.want)
		}
	}
	o := changing(24 * time.Hour)
	take := func(polls int) {
		for range polls {
			o.remember().verifies.Spend(env.Now(), halfHour, VerifiesPerSet)
		}
	}
	wants := func(want uint8, when string) {
		t.Helper()
		if got := n.verifiesWanted(o); got != want {
			t.Errorf("%s %d are wanted, not %d", when, got, want)
		}
	}
	take(1)
	wants(0, "after one")
	take(2)
	wants(4, "after three")
	env.Advance(halfHour)
	wants(4, "in the interval after it")
	take(VerifiesPerSet)
	wants(VerifiesPerSet, "after as many as there can be")
	env.Advance(halfHour)
	wants(VerifiesPerSet, "in the interval after it")
	env.Advance(halfHour)
	wants(0, "two intervals later")
}

// A poller's report of an origin's wishes makes the primary ask the origin if it exceeds what is known, and not if it
// is about the same. A report that is routed to another channel, or comes to a node that is no primary, has no effect.
func TestWordsOfOriginsThatAreNews(t *testing.T) {
	t.Parallel()
	const hours = 3600
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	env.Advance(time.Hour)
	a.machine.Polled(news.ID, PollResult{Hash: hashOf("text"), Wait: 2 * time.Hour, Interval: 3 * time.Hour})
	for what, c := range map[string]struct {
		limit Limit
		polls int
	}{
		"the same":              {Limit{news.ID, 2 * hours, 3 * hours}, 0},
		"a minute more":         {Limit{news.ID, 2*hours + 60, 3 * hours}, 0},
		"two minutes more":      {Limit{news.ID, 2*hours + 120, 3 * hours}, 1},
		"a shorter wait":        {Limit{news.ID, hours, 3 * hours}, 0},
		"another interval":      {Limit{news.ID, 0, 4 * hours}, 1},
		"a shorter interval":    {Limit{news.ID, 0, 2 * hours}, 1},
		"nothing any more":      {Limit{news.ID, 0, 0}, 1},
		"of another channel":    {Limit{engine.PrefixID("51"), 9 * hours, 9 * hours}, 0},
		"about the same, again": {Limit{news.ID, 2*hours + 1, 3 * hours}, 0},
	} {
		before := a.machine.Limits(news.ID)
		a.machine.Deliver(news.ID, m.envs["91"].Self(), &c.limit)
		if polls := a.polls(); polls != c.polls || a.machine.Limits(news.ID) != before {
			t.Errorf("%s: it polls %d times, and heeds %v, not %v", what, polls, a.machine.Limits(news.ID), before)
		}
	}
	other := m.at("49")
	other.machine.Deliver(news.ID, m.envs["91"].Self(), &Limit{news.ID, 9 * hours, 9 * hours})
	if other.polls() > 0 || other.machine.Limits(news.ID) != (Limits{}) {
		t.Error("an owner that is not the primary heeds it")
	}
}

// Versions that are missing are asked for of so many channels at a time. Beyond that nothing is asked, and the bound is
// traced.
func TestMissingVersionsAreBounded(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	for i := range maxUnderWay + 3 {
		a.machine.MaybeBehind(owner, engine.IDOf(fmt.Append(nil, i)), 1<<tagBits)
	}
	if n := asked(env, owner); n != maxUnderWay {
		t.Errorf("%d are asked for", n)
	}
	if hit := events[machine.LimitHit](env); len(hit) != 3 || hit[0] != (machine.LimitHit{What: "gaps",
		Limit: maxUnderWay}) {
		t.Errorf("the bound is hit %d times: %v", len(hit), hit)
	}
}
