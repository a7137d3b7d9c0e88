package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// events returns the trace events of one type since the last call. All others are dropped.
func events[E any](env *enginetest.Env) (list []E) {
	for _, e := range env.Traced() {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// A subscriber that no node sends a version asks a few nodes, warns its reader once, of that channel, and stops. It
// does the same with the next version.
func TestAGapEndsWithAWarning(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("05"))
	g := &ground{signs: true, subscribers: []engine.Peer{env.Self()}}
	a, owner := g.start(env), enginetest.NewPeer("07")
	a.blind = true
	for round := range uint64(3) {
		a.asked = nil
		a.machine.MaybeBehind(owner, news.ID, (round+1)<<tagBits)
		env.Advance(time.Hour)
		got := events[warned](env)
		if want := []warned{{Silent, news.ID}}; (round == 0) != slices.Equal(got, want) || round > 0 && len(got) > 0 {
			t.Errorf("round %d: warned of %v, want %v", round, got, want)
		}
		if asked(env, owner) != 1 || !slices.Contains(a.asked, "origin") || a.machine.deliver.Lacks(news.ID) {
			t.Errorf("round %d: the source is not asked once, or the origin not at all: %v; or it goes on", round,
				a.asked)
		}
		a.asked = nil
		env.Advance(time.Hour)
		if n := asked(env, owner); n > 0 || len(a.asked) > 0 {
			t.Errorf("round %d: after the end %d times the source and %v are asked", round, n, a.asked)
		}
	}
}

// A version that the library refuses is traced as unfit, and requested whole from its sender.
func TestWhatTheLibraryRefuses(t *testing.T) {
	t.Parallel()
	a, env, owner := alone()
	a.refuses, a.blind = true, true
	u := after(0, Hash{}, "text")
	a.Receive(owner, u)
	env.Advance(time.Second)
	if got, want := events[Refused](env),
		(Refused{Channel: news.ID, Version: u.Version, From: owner.ID, Why: Unfit}); !slices.Equal(got,
		[]Refused{want}) {
		t.Errorf("refused: %v, want %v", got, want)
	}
	if n := asked(env, owner); n != 1 {
		t.Errorf("the whole is asked for %d times", n)
	}
}

// A report that no owner answers is sent maxReports times, every other time round the primary, ever more seldom. Then
// the reader is warned, and the reports end. A later report is sent as often.
func TestReportsThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("d1"), m.envs["d1"]
	m.pollers = []engine.ID{env.Self().ID}
	for round, text := range []string{"one", "two"} {
		a.content = text
		a.poll(false)
		var at []time.Duration
		around := 0
		for range 2400 {
			env.Advance(500 * time.Millisecond)
			for _, s := range env.Sent() {
				if r, ok := s.Message.(*Detected); ok && r.Update.Hash == hashOf(text) {
					at = append(at, env.Now())
					around++
				}
			}
			for _, e := range env.Traced() {
				switch e := e.(type) {
				case routed:
					if r, ok := e.Message.(*Detected); ok && r.Update.Hash == hashOf(text) {
						at = append(at, env.Now())
						around += count(e.To != m.envs["51"].Self())
					}
				case warned:
					if e != (warned{Silent, news.ID}) || len(at) != maxReports {
						t.Errorf("round %d: warned of %v after %d reports", round, e, len(at))
					}
				}
			}
		}
		stands := func() bool { // the node still confirms it
			a.Receive(m.envs["51"].Self(), &Verify{Channel: news.ID, Hash: hashOf(text)})
			to, _ := sentBy[*Verified](m, "d1")
			return len(to) > 0
		}
		if len(at) != maxReports || around < 2 || stands() {
			t.Errorf("round %d: it is sent at %v, %d times round the primary; or it goes on", round, at, around)
		}
		for i := 2; i < len(at); i++ {
			if at[i]-at[i-1] <= at[i-1]-at[i-2] {
				t.Errorf("round %d: the pauses do not grow: %v", round, at)
				break
			}
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A requester is sent what it lacks, or the number alone if it has the content. One that lacks nothing is sent nothing.
func TestLackingVersionsAreSent(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		ask     Missing
		sent    bool
		payload bool
	}{
		"an older one":           {Missing{Channel: news.ID, Version: 1, Base: hashOf("old")}, true, true},
		"the content, no number": {Missing{Channel: news.ID, Version: 1, Base: hashOf("text")}, true, false},
		"the same": {Missing{Channel: news.ID, Version: 5 << tagBits, Base: hashOf("text")}, false,
			false},
		"a later one": {Missing{Channel: news.ID, Version: 6 << tagBits, Base: hashOf("text")}, false,
			false},
	} {
		a, env, other := alone()
		a.version, a.held = 5<<tagBits, "text"
		a.Receive(other, &c.ask)
		env.Advance(time.Second)
		var sent []*Update
		for _, s := range env.Sent() {
			if u, ok := s.Message.(*Update); ok && s.To == other {
				sent = append(sent, u)
			}
		}
		if len(sent) != count(c.sent) {
			t.Errorf("%s: %v is sent", what, sent)
		} else if c.sent && (sent[0].Version != a.version || sent[0].Hash != hashOf("text") ||
			len(sent[0].Payload) > 0 != c.payload || sent[0].Channel != news.ID) {
			t.Errorf("%s: %+v is sent", what, sent[0])
		}
	}
}

// An origin's wishes go from a poller to the primary, in seconds. Nothing is sent if there are none beyond the known
// limits.
func TestWhatOriginsAskForIsPassedOn(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		wait, interval time.Duration
		polls          bool
		want           []Limit
	}{
		"patience":     {90 * time.Second, 0, true, []Limit{{Channel: news.ID, Wait: 90, Interval: 0}}},
		"rare polls":   {0, 2 * time.Hour, true, []Limit{{Channel: news.ID, Wait: 0, Interval: 7200}}},
		"both":         {time.Minute, time.Hour, true, []Limit{{Channel: news.ID, Wait: 60, Interval: 3600}}},
		"nothing":      {0, 0, true, nil},
		"not a poller": {time.Minute, time.Hour, false, nil},
	} {
		m := newMany()
		a, env := m.at("d1"), m.envs["d1"]
		if c.polls {
			m.pollers = []engine.ID{env.Self().ID}
		}
		a.machine.Polled(news.ID, PollResult{Hash: hashOf("x"), Wait: c.wait, Interval: c.interval})
		var got []Limit
		for _, e := range events[routed](env) {
			if l, ok := e.Message.(*Limit); ok {
				got = append(got, *l)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}

// The library of a node that makes a channel's versions keeps it, by its URL, even if the node neither polls nor
// subscribes.
func TestAMakerOfVersionsKeepsThem(t *testing.T) {
	t.Parallel()
	m := newMany()
	owner, env := m.at("51"), m.envs["51"]
	env.Traced()
	owner.content = "text"
	found := m.at("d1").sealedBy(0, "text", true)
	found.Seal.Giver, found.Seal.Given = engine.Peer{}, nil
	owner.machine.Deliver(news.ID, m.envs["d1"].Self(), &Detected{Update: *found})
	env.Advance(10 * time.Second)
	if got := events[relays](env); !slices.Equal(got, []relays{{news.URL}}) {
		t.Errorf("kept: %v", got)
	}
}

// An owner that has noted a later version than the primary is about to publish is asked for that one.
func TestALaterVersionOfAnotherOwner(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.pollers = []engine.ID{env.Self().ID}
		a.content = "text"
		a.poll(false)
		var noted []enginetest.Sent
		for range 100 {
			env.Advance(100 * time.Millisecond)
			for _, s := range env.Sent() {
				if _, ok := s.Message.(*Commit); ok {
					noted = append(noted, s)
				}
			}
			if len(noted) > 0 {
				break
			}
		}
		if len(noted) == 0 {
			t.Fatal("no other owner is sent the number")
		}
		version := noted[0].Message.(*Commit).State.Version
		if later {
			version += 1 << tagBits
		}
		a.Receive(noted[0].To, &Committed{Channel: news.ID, Version: version})
		env.Advance(time.Second)
		if n := asked(env, noted[0].To); (n > 0) != later {
			t.Errorf("later %v: that owner is asked %d times", later, n)
		}
	}
}

// A reader's node that looks for itself, and sees the version that it looks for, reports nothing.
func TestWhatIsLookedForIsNoReport(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, owner := m.at("61"), m.envs["61"], m.at("51")
	m.subscribers = []engine.Peer{env.Self()}
	a.configure(func(c *Config) { c.Witnesses = 4 })
	a.content = "text"
	a.Receive(owner.env.Self(), owner.sealedBy(1<<tagBits, a.content, true))
	env.Advance(time.Minute)
	if a.held != "text" || !slices.Contains(a.asked, "origin") {
		t.Fatalf("it holds %q after asking %v", a.held, a.asked)
	}
	for _, e := range events[routed](env) {
		if r, ok := e.Message.(*Detected); ok {
			t.Errorf("it reports %+v", r)
		}
	}
}

// An owner sends the others what is left of an origin's wait.
func TestPatienceThatIsLeft(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	env.Advance(time.Hour)
	a.content = "text"
	a.machine.Polled(news.ID, PollResult{Hash: hashOf("text"), Size: 4, Wait: 10 * time.Minute,
		Interval: 2 * time.Hour})
	for _, c := range []struct {
		after time.Duration
		want  uint32
	}{{0, 600}, {4 * time.Minute, 360}, {5*time.Minute + 59*time.Second, 1}, {2 * time.Second, 0}, {time.Hour, 0}} {
		env.Advance(c.after)
		if s := a.State(news.ID); s.Wait != c.want || s.Least != 7200 {
			t.Errorf("%v later the state says %d s and %d s, want %d", c.after, s.Wait, s.Least, c.want)
		}
	}
}
