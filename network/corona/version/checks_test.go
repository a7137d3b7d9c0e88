package version

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// report returns what a node says that it has found, by a clock that is ahead by so much.
func (m *many) report(by, text string, ahead time.Duration) *Detected {
	a := m.at(by)
	u := a.sealedBy(0, text, false)
	u.FoundAt = m.envs["51"].Wall().Add(ahead).UnixMilli()
	u.Seal.Giver, u.Seal.Given = engine.Peer{}, nil
	u.Seal.Found = testKeys{u.FoundBy}.Sign(u.ReportWords())
	return &Detected{Update: *u}
}

// reports has the primary receive a report, as the ring brings it.
func (m *many) reports(by, text string) {
	m.at("51").machine.Deliver(news.ID, m.envs[by].Self(), m.report(by, text, 0))
}

// polls returns how often a node has polled the origin out of turn since the last call.
func (a *actor) polls() (polls int) {
	for _, of := range a.asked {
		polls += count(of == "origin")
	}
	a.asked = nil
	return polls
}

// A finder with a wrong clock is asked to confirm its report. Only its own confirmation of that content makes the
// primary poll. Without one the report ends, and the next is examined like the first.
func TestAFinderWithAWrongClockIsAsked(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, finder := m.at("51"), m.envs["51"], m.envs["91"].Self()
	for round, confirms := range []bool{false, false, true} {
		a.machine.Deliver(news.ID, finder, m.report("91", "text", time.Hour))
		to, asked := sentBy[*Verify](m, "51")
		if !slices.Equal(to, []engine.Peer{finder}) || asked[0].Channel != news.ID || asked[0].Hash != hashOf("text") {
			t.Fatalf("round %d: asked are %v", round, to)
		}
		a.Receive(m.envs["99"].Self(), &Verified{Channel: news.ID, Hash: hashOf("text")})
		a.Receive(finder, &Verified{Channel: news.ID, Hash: hashOf("another")})
		if env.Advance(confirmWait - time.Second); a.polls() > 0 {
			t.Errorf("round %d: it polls before the finder has said that it is the finder", round)
		}
		if confirms {
			a.content = "text"
			a.Receive(finder, &Verified{Channel: news.ID, Hash: hashOf("text")})
		}
		if env.Advance(2 * time.Second); a.polls() != count(confirms) {
			t.Errorf("round %d: the finder confirms: %v, and it does not poll once for that", round, confirms)
		}
		env.Sent()
	}
	if env.Advance(time.Minute); !slices.Equal(numberedTexts(env), []Hash{hashOf("text")}) {
		t.Error("no version is made of it")
	}
}

// numberedTexts returns the contents of which a node has made versions since the last call.
func numberedTexts(env *enginetest.Env) (list []Hash) {
	for _, e := range events[Numbered](env) {
		list = append(list, e.Hash)
	}
	return list
}

// A primary that sees something else asks two pollers, one after the other. It makes a version if one sees what was
// found and none sees something else, and then asks no more. Answers of other pollers do not count. A report is false
// if a poller sees something else, not if none can be reached.
func TestPollersAreAskedWhatTheySee(t *testing.T) {
	t.Parallel()
	const other = "the content before"
	for name, c := range map[string]struct {
		answers []string // of those that are asked, in order; empty: they see nothing
		asked   int
		made    bool
		untrue  bool
	}{
		"both see it":           {[]string{"found", "found"}, 2, true, false},
		"one, one sees nothing": {[]string{"", "found"}, 2, true, false},
		"neither sees anything": {[]string{"", ""}, 2, false, false},
		"the first does not":    {[]string{other}, 1, false, true},
		"the second does not":   {[]string{"found", other}, 2, false, true},
	} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.pollers = []engine.ID{env.Self().ID, m.envs["91"].Self().ID, m.envs["a1"].Self().ID, m.envs["b1"].Self().ID}
		m.makeVersion(t, other)
		env.Advance(2 * halfHour)
		env.Sent()
		env.Traced()
		for range 2 { // the second report is one more of the same, while the first is checked
			m.reports("91", "found")
		}
		if env.Advance(time.Second); a.polls() != 1 {
			t.Errorf("%s: it does not poll once itself", name)
		}
		asked := 0
		var seen []engine.Peer
		for range 6 {
			to, _ := sentBy[*Verify](m, "51")
			for _, p := range m.nodes {
				if !slices.Contains(to, p.env.Self()) { // the others have not been asked, or were before
					a.Receive(p.env.Self(), &Verified{Channel: news.ID, Hash: hashOf("found")})
				}
			}
			for _, p := range to {
				asked++
				if p == m.envs["91"].Self() || slices.Contains(seen, p) {
					t.Errorf("%s: %v is asked", name, p)
				}
				seen = append(seen, p)
				answer := &Verified{Channel: news.ID}
				if asked <= len(c.answers) && c.answers[asked-1] != "" {
					answer.Hash = hashOf(c.answers[asked-1])
				}
				a.Receive(p, answer)
			}
			if len(to) == 0 {
				break
			}
		}
		m.at("51").content = "found" // so that the library has it
		_, commits := sentBy[*Commit](m, "51")
		untrue := events[FalseReport](env)
		made := len(commits) > 0 || a.machine.report.Checks(news.ID)
		if asked != c.asked || made != c.made || (len(untrue) == 1) != c.untrue {
			t.Errorf("%s: %d are asked; made a version: %v; called false: %v", name, asked, made, untrue)
		}
		if c.untrue && (untrue[0] != FalseReport{Channel: news.ID, Node: m.envs["91"].Self().ID, Times: 1}) {
			t.Errorf("%s: called false is %v", name, untrue)
		}
	}
}

// If an origin wants few polls, the primary polls for no report. It waits until another node finds the same, for as
// long as that may take. The same finder twice counts once.
func TestWhereFewPollsAreWantedTwoFindersAreNeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second string
		after  time.Duration
		made   bool
	}{
		"another":          {"99", 3 * time.Hour, true},
		"the same":         {"91", 3 * time.Hour, false},
		"another too late": {"99", 5 * time.Hour, false},
	} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		a.machine.Polled(news.ID, PollResult{Hash: hashOf("before"), Interval: 2 * time.Hour})
		a.content, a.seen, a.seenIs = "found", hashOf("found"), "found"
		m.reports("91", "found")
		env.Advance(c.after)
		m.reports(c.second, "found")
		env.Advance(5 * time.Second)
		if made := numberedTexts(env); a.polls() > 0 || (len(made) == 1) != c.made {
			t.Errorf("%s: made are %x", name, made)
		}
	}
}

// A find of the primary does not wait for the check of another's report. The latest report waits then: the one that was
// being checked does not replace a later one.
func TestOwnFindingsDoNotWait(t *testing.T) {
	t.Parallel()
	for _, third := range []bool{false, true} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		a.slow = 20 * time.Second
		m.reports("91", "one")
		if third {
			m.reports("99", "two")
		}
		a.slow, a.content = 0, "own"
		a.poll(false)
		env.Advance(102 * time.Millisecond)
		a.content = map[bool]string{false: "one", true: "two"}[third]
		finder := map[bool]string{false: "91", true: "99"}[third]
		env.Advance(10 * time.Second)
		made := events[Numbered](env)
		if len(made) != 2 || made[0].Hash != hashOf("own") || made[1].Hash != hashOf(a.content) ||
			made[1].FoundBy != m.envs[finder].Self().ID {
			t.Errorf("two reports: %v; made are %v", third, made)
		}
	}
}

// A stale number costs the owner that receives it nothing. A higher one of a node that could own the channel raises the
// next number, and makes the primary poll at once. An unsigned one only raises the next number.
func TestNumbersThatOthersHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by      string
		ahead   uint64 // of the primary's number
		text    string
		signed  bool
		polls   int
		raised  bool
		refused bool
	}{
		"lower":             {"49", ^uint64(0), "old", true, 0, false, false},
		"the same":          {"49", 0, "first", true, 0, false, false},
		"another content":   {"49", 0, "other", true, 1, true, false},
		"higher":            {"49", 7, "later", true, 1, true, false},
		"higher, unsigned":  {"49", 7, "later", false, 0, true, false},
		"higher, elsewhere": {"d1", 7, "later", true, 0, true, false},
		"of next week":      {"49", 7 * 24 * 3600, "later", true, 0, false, true},
	} {
		for _, direct := range []bool{false, true} {
			m := newMany()
			a, env, from := m.at("51"), m.envs["51"], m.envs["91"].Self()
			a.version, a.held = uint64(env.Wall().Add(-time.Hour).Unix())<<tagBits, "before"
			last := m.makeVersion(t, "first") >> tagBits
			env.Advance(time.Minute)
			env.Sent()
			env.Traced()
			u := m.at(c.by).sealedBy((last+c.ahead)<<tagBits, c.text, false)
			h := u.Header()
			if h.Given = nil; c.signed {
				h.Given = u.Seal.Given
			}
			if direct {
				a.Receive(from, &Ahead{Header: h})
			} else {
				a.machine.Deliver(news.ID, from, &Ahead{Header: h})
			}
			refused := slices.Contains(reasons(env), Impossible)
			env.Advance(10 * time.Millisecond)
			if polls := a.polls(); polls != c.polls || refused != c.refused {
				t.Errorf("%s, direct %v: it polls %d times, and refuses it: %v", name, direct, polls, refused)
			}
			env.Advance(2 * halfHour)
			env.Sent()
			next, beyond := m.makeVersion(t, "second")>>tagBits, last
			if c.raised {
				beyond += c.ahead
			}
			if next <= beyond || next > beyond+2 {
				t.Errorf("%s, direct %v: the next number is %d, after %d", name, direct, next, last)
			}
		}
	}
}

// Another finder with a wrong clock is asked as well. Its confirmation, however often it comes, makes one version.
func TestASecondFinderIsAskedOnce(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, second := m.at("51"), m.envs["51"], m.envs["99"].Self()
	a.machine.Polled(news.ID, PollResult{Hash: hashOf("before"), Interval: 2 * time.Hour})
	a.content, a.seen, a.seenIs = "found", hashOf("found"), "found"
	m.reports("91", "found")
	env.Sent()
	a.machine.Deliver(news.ID, second, m.report("99", "found", time.Hour))
	if to, _ := sentBy[*Verify](m, "51"); !slices.Equal(to, []engine.Peer{second}) {
		t.Errorf("asked are %v", to)
	}
	var numbers []uint64
	for range 40 {
		a.Receive(second, &Verified{Channel: news.ID, Hash: hashOf("found")})
		env.Advance(100 * time.Millisecond)
		_, commits := sentBy[*Commit](m, "51")
		for _, c := range commits {
			if !slices.Contains(numbers, c.State.Version) {
				numbers = append(numbers, c.State.Version)
			}
		}
	}
	if made := numbered(m, "51"); len(numbers) != 1 || !slices.Equal(made, numbers) {
		t.Errorf("the numbers %d are noted, and %d sent out", numbers, made)
	}
}

// A finder that bypasses the primary names the version that it holds. The next number is above that, if a node that
// could own the channel has signed it, for this channel, and it is possible by now. Otherwise it does not count.
func TestTheHeaderOfAFinderCounts(t *testing.T) {
	t.Parallel()
	const days = 24 * 3600
	for what, c := range map[string]struct {
		by     string
		number uint64 // beyond now, in seconds
		damage func(h *Header)
		raised bool
	}{
		"good":         {"49", 3600, func(*Header) {}, true},
		"of next week": {"49", 7 * days, func(*Header) {}, false},
		"elsewhere":    {"d1", 3600, func(*Header) {}, false},
		"of another channel": {"49", 3600,
			func(h *Header) { h.Channel[3]++; h.Given = testKeys{h.Giver.ID}.Sign(h.Words()) }, false},
		"of another content": {"49", 3600, func(h *Header) { h.Hash[9]++ }, false},
		"of another report":  {"49", 3600, func(h *Header) { h.Report[9]++ }, false},
		"of another number":  {"49", 3600, func(h *Header) { h.Version += 1 << tagBits }, false},
		"by another giver":   {"49", 3600, func(h *Header) { h.Giver = enginetest.NewPeer("59") }, false},
		"with no signature":  {"49", 3600, func(h *Header) { h.Given = nil }, false},
		"cut short":          {"49", 3600, func(h *Header) { h.Given = h.Given[1:] }, false},
	} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		now := uint64(env.Wall().Unix())
		u := m.at(c.by).sealedBy((now+c.number)<<tagBits, "given", false)
		report := m.report("91", "found", 0)
		report.Held = u.Header()
		report.Held.Given = slices.Clone(u.Seal.Given)
		c.damage(&report.Held)
		a.content = "found"
		a.Receive(m.envs["91"].Self(), report)
		env.Advance(time.Minute)
		made := numbered(m, "51")
		if len(made) != 1 {
			t.Fatalf("%s: %d versions are made", what, len(made))
		}
		if raised := made[0]>>tagBits > now+c.number; raised != c.raised {
			t.Errorf("%s: the next number is above it: %v", what, raised)
		}
	}
}

// After a content that differs from request to request, versions go down the polling set with Quiet for four intervals.
// Before and after that they go without it.
func TestVersionsAfterNoiseAskForQuiet(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	m.pollers = []engine.ID{env.Self().ID, m.envs["91"].Self().ID}
	quiet := func(text string) uint32 {
		m.makeVersion(t, text)
		_, list := sentBy[*Shared](m, "51")
		if len(list) != 1 {
			t.Fatalf("%s: it goes down the set %d times", text, len(list))
		}
		return list[0].Quiet
	}
	if q := quiet("first"); q != 0 {
		t.Errorf("before the noise changes are not reported for %d s", q)
	}
	env.Advance(time.Minute)
	events[Dropped](env)
	for i := range 20 {
		a.content = fmt.Sprint(i, " of the noise")
		if i == 0 {
			a.poll(false)
		}
		env.Advance(70 * time.Millisecond)
	}
	if !slices.ContainsFunc(events[Dropped](env), func(d Dropped) bool { return d.Why == Noise }) {
		t.Fatal("it does not count as noise")
	}
	env.Sent()
	for i, c := range []struct {
		wait time.Duration
		want uint32
	}{{halfHour, 1800}, {2 * halfHour, 1800}, {3 * halfHour, 0}} {
		env.Advance(c.wait)
		env.Sent()
		if q := quiet(fmt.Sprint(i, " later")); q != c.want {
			t.Errorf("version %d after the noise: changes are not reported for %d s, want %d", i, q, c.want)
		}
	}
}
