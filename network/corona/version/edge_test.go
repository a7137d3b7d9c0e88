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
		if asked(env, owner) != 1 || !slices.Contains(a.asked, "origin") || len(a.machine.gaps.of) > 0 {
			t.Errorf("round %d: the source is not asked once, or the origin not at all: %v; %d gaps go on", round,
				a.asked, len(a.machine.gaps.of))
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
	if got, want := events[Refused](env), (Refused{news.ID, u.Version, owner.ID, Unfit}); !slices.Equal(got,
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
		if len(at) != maxReports || around < 2 || len(a.machine.reports.sent) > 0 {
			t.Errorf("round %d: it is sent at %v, %d times round the primary; %d go on", round, at, around,
				len(a.machine.reports.sent))
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

// So many witnesses are asked in rings of so many nodes.
func TestWitnessesByNodes(t *testing.T) {
	t.Parallel()
	m := newManyWith(4)
	n := m.at("51").machine.attests
	for nodes, want := range map[int]int{1: 0, 7: 0, 8: 2, 15: 2, 16: 3, 23: 3, 24: 4, 31: 4, 32: 4, 1000: 4} {
		if got := n.needOf(nodes); got != want {
			t.Errorf("%d nodes: %d witnesses, want %d", nodes, got, want)
		}
	}
	g := &ground{witnesses: 4}
	if got := g.start(enginetest.NewEnv(enginetest.NewPeer("05"))).machine.attests.needOf(1000); got != 0 {
		t.Errorf("where nothing is signed there are %d witnesses", got)
	}
	for _, c := range []struct{ seen, witnesses, want int }{{0, 0, 1}, {0, 4, 1}, {2, 2, 4}, {4, 4, 6}, {6, 4, 7},
		{3, 2, 4}} {
		if got := outOfTurn(&Update{Seal: Seal{Seen: make([]Attestation, c.seen)}}, c.witnesses); got != c.want {
			t.Errorf("%d of %d witnesses: %d polls, want %d", c.seen, c.witnesses, got, c.want)
		}
	}
}

// An allowance lets so many through in a period. The most of the two latest periods is remembered for one more, and no
// longer.
func TestAllowances(t *testing.T) {
	t.Parallel()
	const period, most = time.Hour, 3
	var b allowance
	for at, want := range []struct{ spent, most int }{{3, 3}, {3, 3}, {0, 3}, {1, 1}, {0, 1}, {0, 0}, {2, 2}} {
		now := 10*period + time.Duration(at)*period
		tries := want.spent
		if tries == most {
			tries += 2
		}
		spent := 0
		for range tries {
			spent += count(b.spend(now, period, most))
		}
		if spent != want.spent {
			t.Errorf("period %d: %d are counted, not %d", at, spent, want.spent)
		}
		if got := b.most(now, period); got != want.most {
			t.Errorf("period %d: at most %d, not %d", at, got, want.most)
		}
		if got := b.most(now+period-1, period); got != want.most {
			t.Errorf("at the end of period %d: at most %d, not %d", at, got, want.most)
		}
	}
	if b.spend(100*period, period, most); b.most(102*period, period) != 0 {
		t.Error("events of two periods ago count")
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
		"patience":     {90 * time.Second, 0, true, []Limit{{news.ID, 90, 0}}},
		"rare polls":   {0, 2 * time.Hour, true, []Limit{{news.ID, 0, 7200}}},
		"both":         {time.Minute, time.Hour, true, []Limit{{news.ID, 60, 3600}}},
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
		a.Receive(noted[0].To, &Committed{news.ID, version})
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
	a.machine.config.Witnesses = 4
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
