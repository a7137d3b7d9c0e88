package version

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

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
		"the same":              {Limit{Channel: news.ID, Wait: 2 * hours, Interval: 3 * hours}, 0},
		"a minute more":         {Limit{Channel: news.ID, Wait: 2*hours + 60, Interval: 3 * hours}, 0},
		"two minutes more":      {Limit{Channel: news.ID, Wait: 2*hours + 120, Interval: 3 * hours}, 1},
		"a shorter wait":        {Limit{Channel: news.ID, Wait: hours, Interval: 3 * hours}, 0},
		"another interval":      {Limit{Channel: news.ID, Wait: 0, Interval: 4 * hours}, 1},
		"a shorter interval":    {Limit{Channel: news.ID, Wait: 0, Interval: 2 * hours}, 1},
		"nothing any more":      {Limit{Channel: news.ID, Wait: 0, Interval: 0}, 1},
		"of another channel":    {Limit{Channel: engine.PrefixID("51"), Wait: 9 * hours, Interval: 9 * hours}, 0},
		"about the same, again": {Limit{Channel: news.ID, Wait: 2*hours + 1, Interval: 3 * hours}, 0},
	} {
		before := a.machine.Limits(news.ID)
		a.machine.Deliver(news.ID, m.envs["91"].Self(), &c.limit)
		if polls := a.polls(); polls != c.polls || a.machine.Limits(news.ID) != before {
			t.Errorf("%s: it polls %d times, and heeds %v, not %v", what, polls, a.machine.Limits(news.ID), before)
		}
		if c.polls > 0 { // the poll shows what is known
			a.machine.Polled(news.ID, PollResult{Verified: true, Hash: hashOf("text"), Wait: 2 * time.Hour,
				Interval: 3 * time.Hour})
		}
	}
	other := m.at("49")
	other.machine.Deliver(news.ID, m.envs["91"].Self(), &Limit{Channel: news.ID, Wait: 9 * hours, Interval: 9 * hours})
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
