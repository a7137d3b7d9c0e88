package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/roster"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

var one, other = enginetest.NewPeer("91"), enginetest.NewPeer("99")

// why returns why reports were dropped since the last call.
func (n *node) why() (list []update.Why) {
	for _, e := range n.env.Traced() {
		if d, ok := e.(Dropped); ok {
			list = append(list, d.Why)
		}
	}
	return list
}

// A report is true if the primary sees its content too. Several finders of one change make one version.
func TestAReportThatThePrimarySees(t *testing.T) {
	n := newNode("51", true)
	n.receives(one, "text")
	n.receives(other, "text")
	if h := n.confirmedTo(one); n.polls != 1 || len(h) != 1 || !h[0].Pending {
		t.Fatalf("it polls %d times, and answers %v", n.polls, h)
	}
	n.sees("text")
	accepted := returned[Accepted](n)
	if len(accepted) != 1 || accepted[0].Update.FoundBy != one.ID || string(accepted[0].Update.Payload) != "text" {
		t.Errorf("accepted is %v", accepted)
	}
}

// Nothing is made of a content that is or was the channel's, of one that nobody else sees, and of one that differs from
// request to request.
func TestNewsFromNoise(t *testing.T) {
	n := newNode("51", true)
	n.versions("first", "second")
	for _, c := range []struct {
		text, shows string
		why         update.Why
	}{
		{"second", "", update.Known}, {"first", "", update.Old}, {"invented", "second", update.Unconfirmed},
	} {
		n.why()
		n.receives(other, c.text)
		if c.shows != "" {
			n.sees(c.shows)
		}
		if why := n.why(); !slices.Equal(why, []update.Why{c.why}) || len(returned[Accepted](n)) > 0 {
			t.Errorf("%s: it is dropped for %q", c.text, why)
		}
	}
	n.receives(one, "third")
	n.sees("third")
	n.publish()
	n.why()
	for _, text := range []string{"a", "b", "c"} { // each poll shows something else
		if text == "a" {
			n.receives(one, text)
		} else {
			n.sees(text)
		}
	}
	if why := n.why(); !slices.Contains(why, update.Noise) || !n.Noisy(news.ID) || len(returned[Accepted](n)) > 0 {
		t.Errorf("noise is dropped for %q", why)
	}
}

// A finder whose reports nobody confirms three times is not believed, until a version has their contents.
func TestAFinderOfFalseContents(t *testing.T) {
	n := newNode("51", true)
	n.receives(other, "true")
	n.sees("true")
	n.publish()
	for _, text := range []string{"x", "y", "z", "w"} {
		n.env.Advance(halfHour)
		n.why()
		n.receives(one, text)
		n.sees("true")
	}
	if why := n.why(); !slices.Equal(why, []update.Why{update.FalseReporter}) {
		t.Errorf("the fourth is dropped for %q", why)
	}
	n.receives(other, "y")
	n.sees("y")
	n.publish()
	n.env.Advance(halfHour)
	n.receives(one, "v")
	if n.sees("v"); len(returned[Accepted](n)) != 1 {
		t.Error("it is not acquitted")
	}
}

// A finder repeats its report until it is answered, every second time around the primary. Then it suspects the owners.
func TestAReportIsRepeated(t *testing.T) {
	n := newNode("d1", false)
	second := enginetest.NewPeer("52")
	n.ring = []engine.Peer{enginetest.NewPeer("51"), second}
	u := find("text")
	n.do(n.Found(&u))
	n.env.Advance(time.Hour)
	direct := 0
	for _, s := range n.env.Sent() {
		if _, ok := s.Message.(*Detected); ok && s.To == second {
			direct++
		}
	}
	if len(n.routed) != maxReports-1 || direct != 1 || !slices.Equal(n.said, []Suspected{{news.ID, Silent}}) {
		t.Errorf("%d are routed, %d sent to the second owner; it says %v", len(n.routed), direct, n.said)
	}
	n.said = nil
	for range maxDismissals {
		n.do(n.Found(&u))
		n.do(n.Answered(second, &Heard{Channel: news.ID, Hash: u.Hash, Version: 7}))
		n.env.Advance(halfHour)
	}
	if got := returned[Behind](n); len(got) != maxDismissals || got[0] != (Behind{second, news.ID, 7}) {
		t.Errorf("it is behind by %v", got)
	}
	if n.Suspect(news.ID, Trusted); !slices.Equal(n.said, []Suspected{{news.ID, Trusted}}) {
		t.Errorf("it says %v", n.said)
	}
}

// If the second owner finds a change itself, its report around the primary is for itself.
func TestTheSecondOwnerBypassesToItself(t *testing.T) {
	n := newNode("52", true)
	n.primary = false
	n.ring = []engine.Peer{enginetest.NewPeer("51"), n.env.Self()}
	u := find("text")
	n.do(n.Found(&u))
	n.env.Advance(reportSoon)
	got := returned[Bypassing](n)
	if len(got) != 1 || got[0].Report.Update.Hash != u.Hash {
		t.Fatalf("it returns %v", got)
	}
	n.acts = true
	if n.do(n.ReceiveBypassing(got[0].Report)); len(returned[Accepted](n)) != 1 {
		t.Error("it does not accept what it has found itself")
	}
}

// The primary compares the versions of another side of the ring with the origin's content.
func TestReunions(t *testing.T) {
	for what, c := range map[string]struct {
		shows              string
		doubled            bool
		resent, renumbered int
	}{
		"the latest":          {"text", false, 1, 0},
		"the latest, doubled": {"text", true, 0, 1},
		"a later one":         {"later", false, 0, 1},
		"nothing":             {"", false, 1, 0},
	} {
		n := newNode("51", true)
		n.receives(one, "text")
		n.sees("text")
		n.publish()
		n.env.Advance(halfHour)
		if c.doubled {
			n.floor = n.version
		}
		n.polls = 0
		n.do(n.Reunite(news.ID))
		n.do(n.Reunite(news.ID))
		if n.polls != 1 {
			t.Errorf("%s: it polls %d times", what, n.polls)
		}
		if c.shows != "" {
			n.sees(c.shows)
		} else {
			next, _ := n.Polled(news.ID, &update.PollResult{Verified: true})
			n.do(next)
		}
		var resent, renumbered int
		for _, s := range n.next {
			switch s.(type) {
			case Resend:
				resent++
			case Accepted:
				renumbered++
			}
		}
		if resent != c.resent || renumbered != c.renumbered {
			t.Errorf("%s: it is sent %d times, and renumbered %d times: %v", what, resent, renumbered, n.next)
		}
		n.next = nil
		if n.env.Advance(reunionWait); len(returned[Resend](n)) != 1 {
			t.Errorf("%s: it is not sent once more", what)
		}
	}
}

// A finder that repeats what nobody has confirmed is dismissed at once, for half an interval.
func TestAFalseReportIsRepeated(t *testing.T) {
	n := newNode("51", true)
	n.versions("true")
	n.polls = 0
	for round, c := range []struct {
		wait  time.Duration
		polls int
	}{{0, 1}, {0, 1}, {halfHour/2 - 1, 1}, {1, 2}} {
		n.env.Advance(c.wait)
		n.receives(other, "invented")
		if n.IsChecking(news.ID) {
			n.sees("true")
		}
		answers := n.confirmedTo(other)
		if last := len(answers) - 1; n.polls != c.polls || last < 0 || answers[last].Pending {
			t.Errorf("round %d: it has polled %d times, want %d, and answers %+v", round, n.polls, c.polls, answers)
		}
	}
	n.versions("later")
	if n.receives(other, "news"); !n.IsChecking(news.ID) {
		t.Error("a finder of one false content is not believed any more")
	}
}

// The node that has signed a report is its finder, whichever node sends it: that one is answered, and is blamed.
func TestTheSignerIsTheFinder(t *testing.T) {
	n := newNode("51", true)
	n.versions("true")
	n.env.Sent()
	u := find("invented")
	u.FoundAt = n.env.Wall().UnixMilli()
	u.FoundBy, u.Seal.Finder = one.ID, one.Address
	u.Seal.Found = keys{one.ID}.Sign(u.ReportWords())
	n.do(n.Receive(other, &Detected{Update: u}))
	n.env.Traced()
	n.sees("true")
	var blamed []engine.ID
	for _, e := range n.env.Traced() {
		if f, ok := e.(FalseReport); ok {
			blamed = append(blamed, f.Node)
		}
	}
	sent := n.env.Sent()
	if len(sent) != 2 || sent[0].To != one || sent[1].To != one || !slices.Equal(blamed, []engine.ID{one.ID}) {
		t.Errorf("answered by %+v; blamed are %v", sent, blamed)
	}
}

// In an interval a primary checks a bounded number of others' reports, and more if more nodes poll.
func TestChecksOfReportsAreBounded(t *testing.T) {
	for pollers, most := range map[int]int{1: FreeChecks, FreeChecks + 2: FreeChecks + 2} {
		n := newNode("51", true)
		n.versions("true")
		for i := range pollers - 1 {
			n.below = append(n.below, numbered(0x40+i))
		}
		for interval := range 2 {
			n.env.Advance(halfHour)
			n.polls = 0
			for i := range most + 3 {
				n.receives(numbered(0x80+i+100*interval), string(rune('a'+i)))
				n.sees("true")
				n.env.Advance(time.Minute / 2) // the pollers do not answer
			}
			if n.polls != most {
				t.Errorf("%d pollers, interval %d: %d polls, want %d", pollers, interval, n.polls, most)
			}
		}
	}
}

func numbered(i int) engine.Peer {
	return engine.Peer{ID: engine.ID{byte(i), byte(i >> 8)}, Address: engine.Address(rune('A' + i))}
}

// Where the load of hosts is bounded, a primary polls out of turn a bounded number of times, and not if it polls alone
// or has no permit. A node that acts for the primary without a permit uses its polls for missing versions.
func TestChecksOfABoundedHost(t *testing.T) {
	for what, c := range map[string]struct {
		host    ceilings
		primary bool
		polls   int
	}{
		"the primary":                     {ceilings{hosted: true}, true, VerifiesPerSet},
		"the primary, not bounded":        {ceilings{barred: true, alone: true}, true, VerifiesPerSet + 2},
		"the primary, alone":              {ceilings{hosted: true, alone: true}, true, 0},
		"the primary, without a permit":   {ceilings{hosted: true, barred: true, gapPolls: 9}, true, 0},
		"in its place":                    {ceilings{hosted: true, alone: true}, false, VerifiesPerSet},
		"in its place, without a permit":  {ceilings{hosted: true, barred: true, gapPolls: 2}, false, 2},
		"in its place, without any polls": {ceilings{hosted: true, barred: true}, false, 0},
	} {
		n := newNode("51", true)
		n.host, n.primary, n.acts = c.host, c.primary, true
		for range VerifiesPerSet + 2 {
			n.judge.verify(n.find(news.ID))
		}
		if n.polls != c.polls {
			t.Errorf("%s: %d polls, want %d", what, n.polls, c.polls)
		}
	}
}

// An owner that learns another's state knows that owner's earlier versions, and for how long it has watched.
func TestAnotherOwnersState(t *testing.T) {
	n := newNode("51", true)
	n.versions("first", "second", "third")
	n.env.Advance(time.Minute)
	var s roster.State
	n.Fill(news.ID, &s)
	s.Hash = n.content
	m := newNode("52", true)
	m.version, m.held, m.content = n.version, n.held, n.content
	m.Adopt(news.ID, &s, true)
	var again roster.State
	if m.Fill(news.ID, &again); again.Age != s.Age || !slices.Equal(again.Recent, s.Recent) || len(s.Recent) != 3 ||
		again.Watched < s.Watched-1e-6 || math.Abs(again.Interval/s.Interval-1) > 1e-6 {
		t.Errorf("%+v is adopted as %+v", s, again)
	}
	for _, text := range []string{"first", "second"} {
		m.receives(one, text)
		if why := m.why(); !slices.Equal(why, []update.Why{update.Old}) {
			t.Errorf("%s is dropped for %q", text, why)
		}
	}
}

// An owner that a report of the latest version reaches around the primary sends it on, as the primary has not. It does
// so a few times an interval. A primary only answers.
func TestALatestVersionThatThePrimaryWithholds(t *testing.T) {
	for _, primary := range []bool{false, true} {
		n := newNode("52", true)
		n.versions("text")
		n.primary, n.acts = primary, true
		for interval := range 2 {
			n.env.Sent()
			n.next = nil
			for i := range maxReunions + 2 {
				u := find("text")
				u.FoundBy, u.Seal.Finder = one.ID, one.Address
				n.do(n.ReceiveBypassing(&Detected{Update: u}))
				if len(n.confirmedTo(one)) != 1 {
					t.Errorf("report %d is not answered", i)
				}
			}
			want := maxReunions
			if primary {
				want = 0
			}
			got := returned[Resend](n)
			if len(got) != want || want > 0 && got[0] != (Resend{news.ID}) {
				t.Errorf("the primary %v, interval %d: it is sent by %v, want %d", primary, interval, got, want)
			}
			n.env.Advance(halfHour)
		}
	}
}

// The time that reports take until their number is an average of late.
func TestTheTimeUntilANumber(t *testing.T) {
	n := newNode("51", true)
	for i, c := range []struct{ took, want time.Duration }{{8 * time.Second, 8 * time.Second},
		{4 * time.Second, 7 * time.Second}, {7 * time.Second, 7 * time.Second}} {
		n.receives(one, string(rune('a'+i)))
		n.env.Advance(c.took)
		n.sees(string(rune('a' + i)))
		if n.publish(); n.ConfirmsWithin(news.ID) != c.want {
			t.Errorf("after %v: %v, want %v", c.took, n.ConfirmsWithin(news.ID), c.want)
		}
		n.env.Advance(2 * halfHour)
	}
}

// After a change of the polling interval channels are expected to change as often as before, and all bounds are those
// of the new interval.
func TestANewInterval(t *testing.T) {
	n := newNode("51", true)
	n.versions("a", "b", "c", "d")
	before := n.ChangesEvery(news.ID)
	const minute = time.Minute
	n.Reconfigure(update.Config{Interval: minute})
	if after := n.ChangesEvery(news.ID); math.Abs(float64(after)/float64(before)-1) > 0.2 {
		t.Errorf("it is expected to change every %v, before every %v", after, before)
	}
	n.BeQuiet(news.ID, 3600)
	if until := n.quiet[news.ID]; until != n.env.Now()+minute {
		t.Errorf("it is quiet for %v", until-n.env.Now())
	}
	for range 2 {
		n.receives(one, "invented")
		n.sees("d")
		n.env.Advance(minute / 2)
	}
	if n.polls != 4+2 {
		t.Errorf("%d polls: a false report is not checked again half a new interval later", n.polls-4)
	}
}

// A finder's report is proved by this node's own find of the same content, as by its poll.
func TestAnOwnFindProvesAReport(t *testing.T) {
	n := newNode("51", true)
	n.versions("before")
	n.receives(one, "text")
	own := find("text")
	n.do(n.Found(&own))
	if got := returned[Accepted](n); len(got) != 1 || got[0].Update.FoundBy != one.ID ||
		string(got[0].Update.Payload) != "text" {
		t.Errorf("accepted are %+v", got)
	}
}

// Where the origin wants few polls, a report waits for another finder. One that has not just signed, as its clock is
// wrong, is asked whether it stands by the content.
func TestAnotherFinderConfirmsAReport(t *testing.T) {
	for what, c := range map[string]struct {
		late      bool // the other has signed some time ago
		by        engine.Peer
		hash      update.Hash
		confirmed bool
	}{
		"just signed":             {false, engine.Peer{}, update.Hash{}, true},
		"asked":                   {true, other, find("text").Hash, true},
		"asked, sees another":     {true, other, find("else").Hash, false},
		"a third node's answer":   {true, one, find("text").Hash, false},
		"asked, does not see any": {true, other, update.Hash{}, false},
	} {
		n := newNode("51", true)
		n.versions("before")
		n.Learn(news.ID, 0, time.Hour, true)
		n.polls = 0
		n.receives(one, "text")
		n.env.Sent()
		u := find("text")
		u.FoundAt = n.env.Wall().UnixMilli()
		if c.late {
			u.FoundAt -= 2 * update.ClockSkew.Milliseconds()
		}
		u.FoundBy, u.Seal.Finder = other.ID, other.Address
		u.Seal.Found = keys{other.ID}.Sign(u.ReportWords())
		n.do(n.Receive(other, &Detected{Update: u}))
		asked := 0
		for _, s := range n.env.Sent() {
			if m, ok := s.Message.(*update.Verify); ok && s.To == other && m.Channel == news.ID && m.Hash == u.Hash {
				asked++
			}
		}
		if c.late {
			n.do(n.ReceiveVerified(c.by, &update.Verified{Channel: news.ID, Hash: c.hash}))
		}
		got := returned[Accepted](n)
		if asked != map[bool]int{true: 1}[c.late] || (len(got) == 1) != c.confirmed || n.polls > 0 {
			t.Errorf("%s: asked %d times, accepted %d, and polled %d times", what, asked, len(got), n.polls)
		}
	}
}

// An owner that is said to have assigned other versions, again and again, asks the origin a few times an interval.
func TestReunionsAreBounded(t *testing.T) {
	n := newNode("51", true)
	n.versions("text")
	for interval := range 3 {
		n.polls = 0
		for range maxReunions + 3 {
			n.do(n.Reunite(news.ID))
			if n.env.Advance(time.Millisecond); n.find(news.ID).contents.verifying {
				n.sees("text")
			}
			n.env.Advance(2 * reunionWait)
		}
		if n.polls != maxReunions {
			t.Errorf("interval %d: it polls %d times, want %d", interval, n.polls, maxReunions)
		}
		n.env.Advance(halfHour)
	}
}

// A report of what an origin asks for causes no other poll for an interval if this node's poll contradicts it. What the
// origin asks this node for holds, for a day at most.
func TestLimitsOfLiars(t *testing.T) {
	n := newNode("51", true)
	n.versions("text")
	limit := func() (polled int) {
		before := n.polls
		n.ReceiveLimit(news.ID, &Limit{Channel: news.ID, Wait: 7200, Interval: 7200})
		return n.polls - before
	}
	for interval := range 3 {
		if limit() != 1 || limit() != 0 {
			t.Errorf("interval %d: not one poll is made", interval)
		}
		n.Learn(news.ID, 0, 0, true)
		if n.env.Advance(halfHour - 1); limit() != 0 {
			t.Errorf("interval %d: it is checked once more within the interval", interval)
		}
		n.env.Advance(1)
	}
	n.Learn(news.ID, 0, 3*MaxWait, true)
	if l := n.Limits(news.ID); l.Interval != MaxWait {
		t.Errorf("a wish for %v is granted", l.Interval)
	}
	n.Learn(news.ID, 0, -time.Hour, true)
	if l := n.Limits(news.ID); l.Interval != 0 {
		t.Errorf("a wish for less than nothing is %v", l.Interval)
	}
}

// Two pollers are asked about a report that the primary does not see, one after the other. Each counts once. A second
// answer of the first does not count, nor does the answer of a node that was not asked.
func TestEachPollerCountsOnce(t *testing.T) {
	for what, c := range map[string]struct {
		last     string // what the second poller sees
		accepted int
	}{
		"both see it":       {"text", 1},
		"the second denies": {"true", 0},
	} {
		n := newNode("51", true)
		n.versions("true")
		n.below = []engine.Peer{numbered(0x40), numbered(0x41)}
		says := func(by engine.Peer, text string) {
			n.do(n.ReceiveVerified(by, &update.Verified{Channel: news.ID, Hash: find(text).Hash}))
		}
		asked := func() (to []engine.Peer) {
			for _, s := range n.env.Sent() {
				if _, ok := s.Message.(*update.Verify); ok {
					to = append(to, s.To)
				}
			}
			return to
		}
		n.receives(one, "text")
		n.sees("true")
		first := asked()
		if len(first) != 1 {
			t.Fatalf("%s: asked are %v", what, first)
		}
		says(other, "text")
		if early := asked(); len(early) > 0 {
			t.Errorf("%s: %v is asked before the first has answered", what, early)
		}
		says(first[0], "text")
		second := asked()
		if len(second) != 1 || second[0] == first[0] {
			t.Fatalf("%s: after %v are asked %v", what, first, second)
		}
		says(first[0], "text")
		says(other, "text")
		if got := returned[Accepted](n); len(got) > 0 {
			t.Errorf("%s: it is accepted before the second has answered", what)
		}
		says(second[0], c.last)
		if got := returned[Accepted](n); len(got) != c.accepted {
			t.Errorf("%s: it is accepted %d times, want %d", what, len(got), c.accepted)
		}
	}
}
