package version

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A version of a channel without readers here makes the node disown the subscription, if it is well signed. It has no
// other effect.
func TestVersionsThatNobodyReads(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		number  uint64
		forged  bool
		disowns int
	}{
		"good":                 {1 << tagBits, false, 1},
		"forged":               {1 << tagBits, true, 0},
		"of the future":        {1 << 62, false, 0},
		"of another's content": {1<<tagBits + 1, false, 0},
	} {
		m := newMany()
		a, env := m.at("61"), m.envs["61"]
		u := m.at("51").sealedBy(c.number, "text", true)
		if c.forged {
			u.Hash[9]++
		}
		a.Receive(m.envs["51"].Self(), u)
		if n := len(events[disowned](env)); n != c.disowns {
			t.Errorf("%s: it is disowned %d times", what, n)
		}
		if env.Advance(time.Minute); a.version > 0 || len(env.Sent()) > 0 {
			t.Errorf("%s: it is kept, or acknowledged", what)
		}
	}
}

// A version that comes again while the library stores it, and after that, is acknowledged each time and kept once.
func TestAVersionThatComesSeveralTimes(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	for number := range uint64(3) {
		u := owner.sealedBy((number+1)<<tagBits, fmt.Sprint(number), true)
		for _, wait := range []time.Duration{0, 0, 0, 0, 0, 0, 0, 0, time.Second, time.Second} {
			a.Receive(owner.env.Self(), u)
			env.Advance(wait)
			to, got := sentBy[*Got](m, "61")
			if len(to) != 1 || to[0] != owner.env.Self() || *got[0] != (Got{Channel: news.ID, Version: u.Version}) {
				t.Fatalf("version %d: acknowledged to %v by %v", number, to, got)
			}
		}
		want := []Delivered{{Channel: news.ID, Version: u.Version, Hash: u.Hash, FoundBy: owner.env.Self().ID,
			News: true}}
		if got := events[Delivered](env); !slices.Equal(got, want) {
			t.Errorf("delivered are %v, want %v", got, want)
		}
	}
}

// A bounded number of updates wait while the library stores a version. The rest is not acknowledged, and comes again.
func TestVersionsThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	var acknowledged []uint64
	for number := range uint64(maxAfter + 4) {
		a.Receive(owner.env.Self(), owner.sealedBy((number+1)<<tagBits, fmt.Sprint(number), true))
		for _, s := range env.Sent() {
			if got, ok := s.Message.(*Got); ok {
				acknowledged = append(acknowledged, got.Version>>tagBits)
			}
		}
	}
	if want := []uint64{1, 2, 3, 4, 5}; !slices.Equal(acknowledged, want) {
		t.Errorf("acknowledged are %v, want %v", acknowledged, want)
	}
	env.Advance(time.Second)
	if a.version>>tagBits != maxAfter+1 {
		t.Errorf("version %d is kept", a.version>>tagBits)
	}
	a.Receive(owner.env.Self(), owner.sealedBy((maxAfter+4)<<tagBits, "last", true))
	if env.Advance(time.Second); a.held != "last" {
		t.Errorf("%q is held, and not what comes again", a.held)
	}
}

// A poller passes a version on once, however often it comes. If it first came without Quiet, it is passed on once more
// with it. An older version is not passed on.
func TestAVersionIsPassedOnOnce(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("51"), m.envs["51"], m.at("49")
	m.pollers = []engine.ID{env.Self().ID, m.envs["91"].Self().ID, m.envs["99"].Self().ID}
	older, u, later := owner.sealedBy(1<<tagBits, "older", true), owner.sealedBy(2<<tagBits, "text", true),
		owner.sealedBy(3<<tagBits, "later", true)
	for i, c := range []struct {
		u      *Update
		quiet  uint32
		passed bool
	}{{u, 0, true}, {u, 0, false}, {u, 0, false}, {u, 60, true}, {u, 60, false}, {u, 0, false}, {older, 60, false},
		{later, 60, true}, {later, 60, false}} {
		a.Receive(owner.env.Self(), &Shared{Update: *c.u, Quiet: c.quiet})
		to, list := sentBy[*Shared](m, "51")
		if want := 2 * count(c.passed); len(to) != want {
			t.Errorf("message %d: passed to %v", i, to)
		}
		for _, s := range list {
			if s.Quiet != c.quiet || s.Update.Version != c.u.Version {
				t.Errorf("message %d: passed as %d, quiet %d", i, s.Update.Version>>tagBits, s.Quiet)
			}
		}
		env.Advance(time.Second)
		env.Sent()
	}
}

// For as long as changes need not be reported none is, and for an interval at most. After that they are.
func TestQuietEnds(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[uint32]time.Duration{0: 0, 60: time.Minute, 24 * 3600: halfHour} {
		m := newMany()
		a, env, owner := m.at("91"), m.envs["91"], m.at("51")
		m.pollers = []engine.ID{env.Self().ID}
		a.Receive(owner.env.Self(), &Shared{Update: *owner.sealedBy(1<<tagBits, "text", true), Quiet: seconds})
		reports := func() (reports int) {
			for _, e := range events[routed](env) {
				_, is := e.Message.(*Detected)
				reports += count(is)
			}
			return reports
		}
		found := func(text string) int {
			a.machine.Polled(news.ID, PollResult{Hash: hashOf(text), Size: 1, Update: &Update{Hash: hashOf(text),
				Size: 1}})
			return reports()
		}
		if want > 0 {
			env.Advance(want - 1)
			if n := found("noise"); n != 0 {
				t.Errorf("%d s: a change is reported", seconds)
			}
		}
		env.Advance(1)
		if n := found("change"); n != 1 {
			t.Errorf("%d s: after that a change is reported %d times", seconds, n)
		}
	}
}

// A node that distrusts the owners trusts them again when its own poll shows their version. A failed poll shows
// nothing.
func TestAPollThatShowsWhatIsHeldEndsADoubt(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("61"), m.envs["61"]
	m.subscribers = []engine.Peer{env.Self()}
	a.version, a.held = 1<<tagBits, "held"
	for round := range 2 {
		a.machine.Suspect(news.ID, Silent)
		if got := events[Suspected](env); !slices.Equal(got, []Suspected{{Channel: news.ID, Why: Silent}}) {
			t.Fatalf("round %d: %v", round, got)
		}
		a.machine.Polled(news.ID, PollResult{})
		if got := events[Suspected](env); len(got) > 0 {
			t.Errorf("round %d: a poll that fails makes it %v", round, got)
		}
		a.machine.Polled(news.ID, PollResult{Hash: hashOf("held"), Size: 4})
		if got := events[Suspected](env); !slices.Equal(got, []Suspected{{Channel: news.ID, Why: Trusted}}) {
			t.Errorf("round %d: a poll that shows what is held makes it %v", round, got)
		}
	}
}

// If the origin has asked this node for few polls, a version counts as seen with the signatures of its finder and
// another giver. A version with one signature is polled for, and so is one of an origin that has asked for nothing.
func TestFinderAndGiverAreEnoughWhereFewPollsAreWanted(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		asks   time.Duration
		finder string // empty: nobody is named
		shown  bool
	}{
		"two":                   {2 * time.Hour, "91", true},
		"one":                   {2 * time.Hour, "51", false},
		"one, nobody named":     {2 * time.Hour, "", false},
		"two, nothing is asked": {0, "91", false},
	} {
		m := newManyWith(4)
		a, env, giver := m.at("61"), m.envs["61"], m.at("51")
		m.subscribers = []engine.Peer{env.Self()}
		a.machine.Polled(news.ID, PollResult{Hash: hashOf("before"), Interval: c.asks})
		env.Advance(3 * time.Hour) // it may poll again
		u := giver.sealedBy(1<<tagBits, "text", true)
		if c.finder == "" {
			u.ForgetFinder()
		} else {
			found := m.at(c.finder).sealedBy(1<<tagBits, "text", true)
			u.FoundBy, u.Seal.Finder, u.Seal.Found = found.FoundBy, found.Seal.Finder, found.Seal.Found
		}
		h := u.Header()
		u.Seal.Given = testKeys{giver.env.Self().ID}.Sign(h.Words())
		a.Receive(giver.env.Self(), u)
		if env.Advance(10 * time.Millisecond); (a.held == "text") != c.shown || a.polls() > 0 {
			t.Errorf("%s: it holds %q at once", what, a.held)
		}
		if c.asks > 0 {
			if env.Advance(extraPatience - 11*time.Millisecond); a.polls() > 0 {
				t.Errorf("%s: it polls before others could send the version", what)
			}
		}
		if env.Advance(firstPollWithin); a.polls() != count(!c.shown) {
			t.Errorf("%s: it does not poll once", what)
		}
	}
}

// Only what can be lent is offered: nothing that is not newer, nothing to the node itself, nothing unpublished.
// Requests that come before publication are answered after it, each once, at most maxLacking of them.
func TestWhatIsNotPublishedIsNotLent(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	a, env := m.at("51"), m.envs["51"]
	m.pollers = []engine.ID{env.Self().ID, m.envs["91"].Self().ID}
	m.subscribers = peers(6)
	a.content = "text"
	a.poll(false)
	env.Advance(200 * time.Millisecond)
	to, commits := sentBy[*Commit](m, "51")
	number := commits[0].State.Version
	askers := peers(6 + maxLacking + 3)[6:]
	for _, p := range askers {
		a.Receive(p, &Missing{Channel: news.ID})
		a.machine.Deliver(news.ID, p, &Missing{Channel: news.ID})
	}
	env.Advance(10 * time.Millisecond)
	if sent := env.Sent(); len(sent) > 0 {
		t.Errorf("before it is published %T is sent", sent[0].Message)
	}
	for _, p := range to {
		a.Receive(p, &Committed{Channel: news.ID, Version: number})
	}
	env.Advance(attestWait + 10*time.Millisecond) // no witness answers
	lent := make(map[engine.Peer]int)
	for _, s := range env.Sent() {
		if u, ok := s.Message.(*Update); ok && len(u.Payload) > 0 {
			lent[s.To]++
		}
	}
	for i, p := range askers {
		if want := count(i < maxLacking); lent[p] != want {
			t.Errorf("requester %d is lent it %d times, not %d", i, lent[p], count(i < maxLacking))
		}
	}
	stranger := enginetest.NewPeer("f1")
	for what, c := range map[string]struct {
		from    engine.Peer
		has     uint64
		offered bool
	}{
		"an older one": {stranger, 1, true}, "none": {stranger, 0, true}, "the same": {stranger, number, false},
		"a later one": {stranger, number + 1, false},
		"itself":      {env.Self(), 0, false},
	} {
		env.Sent()
		a.machine.Deliver(news.ID, c.from, &Missing{Channel: news.ID, Version: c.has})
		_, offers := sentBy[*Heard](m, "51")
		if len(offers) != count(c.offered) || c.offered && (*offers[0] != Heard{Channel: news.ID, Version: number}) {
			t.Errorf("a node that has %s is offered %v", what, offers)
		}
	}
}

// An origin can keep a reader's node from polling for a day at most, whatever it asks for.
func TestAnOriginIsLeftAloneForADayAtMost(t *testing.T) {
	t.Parallel()
	for asked, free := range map[time.Duration]time.Duration{time.Hour: time.Hour, 7 * 24 * time.Hour: MaxWait} {
		for _, early := range []bool{true, false} {
			m := newManyWith(4)
			a, env, owner := m.at("61"), m.envs["61"], m.at("51")
			m.subscribers = []engine.Peer{env.Self()}
			a.machine.Polled(news.ID, PollResult{Hash: hashOf("before"), Interval: asked})
			if env.Advance(free - time.Minute); !early {
				env.Advance(time.Minute)
			}
			u := owner.sealedBy(1<<tagBits, "text", true)
			a.Receive(owner.env.Self(), u)
			if env.Advance(extraPatience + firstPollWithin); a.polls() != count(!early) {
				t.Errorf("asked for %v, early %v: it does not poll as it may", asked, early)
			}
		}
	}
}
