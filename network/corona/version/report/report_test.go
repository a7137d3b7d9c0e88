package report

import (
	"slices"
	"testing"
	"time"

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
	if got := returned[Behind](n); len(got) != maxDismissals || got[0].Version != 7 {
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
