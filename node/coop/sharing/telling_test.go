package sharing

import (
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/source"
)

const interval = time.Hour

// poll is a poll that has read a content.
func poll(h corona.Hash, at time.Time) Poll {
	return Poll{Terms: Terms{Interval: interval}, Began: at, Ended: at, Read: true, Hash: h}
}

// The first content of a channel is reported if its owners have none, do not answer, or ask, and with the second poll.
// Every content is then reported ever more rarely.
func TestWhenAContentIsReported(t *testing.T) {
	h, at := corona.Hash{1}, time.Now()
	reports := func(c *Channel, h corona.Hash, at time.Time) bool {
		r := c.Polled(poll(h, at))
		check(t, c)
		return r.Whole
	}
	for name, c := range map[string]*Channel{
		"owners without a version": {Standing: Standing{Readers: 1, Acked: true}},
		"silent owners":            {Standing: Standing{Readers: 1, Suspicion: corona.Silent}},
		"a channel polled for others alone": {Standing: Standing{Assigned: true,
			Slot: source.Slot{Interval: interval}}},
		"a numbered channel": {Standing: Standing{Readers: 1},
			Holding: Holding{Version: 7, Hash: corona.Hash{9}}},
		"owners that ask": {Standing: Standing{Readers: 1}, Telling: Telling{verifying: at}},
	} {
		if !reports(c, h, at) || c.withheld {
			t.Errorf("%s get no report", name)
		}
	}
	for name, c := range map[string]*Channel{
		"owners that have not answered": {Standing: Standing{Readers: 1}},
		"owners with a version":         {Standing: Standing{Readers: 1, Acked: true}, Telling: Telling{owned: 7}},
	} {
		if reports(c, h, at) || !c.withheld {
			t.Errorf("%s get a report at once", name)
		}
		next := at.Add(interval)
		if !reports(c, h, next) || c.withheld {
			t.Errorf("%s get no report with the second poll", name)
		}
		again := 0
		for range 40 {
			next = next.Add(interval)
			if reports(c, h, next) {
				again++
			}
		}
		if again < 2 || again > 5 {
			t.Errorf("%s get %d reports more", name, again)
		}
		c.Number(7, h)
		if !reports(c, corona.Hash{2}, next) {
			t.Errorf("%s get no report of the next content", name)
		}
	}
}

// The report of a first content, for owners without a number for it, is remembered from the poll, without the way that
// leads to it. That is not done if the whole is to be reported, or if it was reported already.
func TestAFirstContentIsWithheldBriefly(t *testing.T) {
	h, at := corona.Hash{1}, time.Now()
	withheld := func(brief *corona.Update) *Channel {
		c := &Channel{Standing: Standing{Readers: 1}}
		p := poll(h, at)
		p.Brief = brief
		if r := c.Polled(p); r.Update != nil || r.Whole || r.Hash != (corona.Hash{}) {
			t.Fatal("it is reported at once: the test says nothing")
		}
		check(t, c)
		return c
	}
	c := withheld(&corona.Update{Size: 1})
	if u := c.first; u == nil || u.Hash != h || u.Size != 1 {
		t.Fatalf("remembered is %+v", u)
	}
	if r := c.Polled(poll(h, at.Add(interval))); !r.Whole || c.first != nil {
		t.Error("it is remembered after it was reported")
	}
	if c := withheld(nil); c.first != nil {
		t.Errorf("of a whole report is remembered %+v", c.first)
	}
}

// What was withheld is offered once, when the owners say that they have no version, if the content is still here and
// leads on from what is held. Without a brief report all that leads to the content is to be reported.
func TestWhatWasWithheldIsOffered(t *testing.T) {
	h, at := corona.Hash{1}, time.Now()
	c := &Channel{Standing: Standing{Readers: 1}}
	p := poll(h, at)
	p.Brief = &corona.Update{Size: 1}
	c.Polled(p)
	if changed, offer := c.Acknowledge(true, 3); !changed || offer {
		t.Errorf("owners with a version: changed %v, offered %v", changed, offer)
	}
	if changed, offer := c.Acknowledge(true, 0); changed || !offer {
		t.Errorf("owners without a version: changed %v, offered %v", changed, offer)
	}
	if _, offer := c.Acknowledge(true, 0); offer {
		t.Error("it is offered twice")
	}
	if u, known := c.Offer(); u == nil || !known || u.Hash != h {
		t.Errorf("offered is %+v, %v", u, known)
	}
	if u, known := c.Offer(); u != nil || known {
		t.Errorf("offered again is %+v, %v", u, known)
	}
	c.first = p.Brief
	c.Number(4, h)
	if u, known := c.Offer(); u != nil || !known {
		t.Errorf("of what has a number is offered %+v, %v", u, known)
	}
	c.first = p.Brief
	c.Receive(corona.Hash{2})
	if u, known := c.Offer(); u != nil || known {
		t.Errorf("of what was replaced is offered %+v, %v", u, known)
	}
}

// A content is reported briefly at first, as a change against the version held, and whole when that did not help. A
// poll that found nothing new, or did not read, reports none.
func TestHowAContentIsReported(t *testing.T) {
	at := time.Now()
	c := &Channel{Standing: Standing{Readers: 1, Acked: true}, Holding: Holding{Version: 7, Hash: corona.Hash{7}}}
	p := poll(corona.Hash{8}, at)
	p.Brief, p.Found = &corona.Update{}, at
	if r := c.Polled(p); r.Update == nil || r.Whole || r.Update.Base != c.Hash || r.Update.Version != 7 ||
		r.Update.Hash != p.Hash || r.First || c.Seen != at {
		t.Errorf("at first: %+v", r)
	}
	p.Began, p.Ended = at.Add(2*interval), at.Add(2*interval)
	if r := c.Polled(p); r.Update != nil || !r.Whole || r.Hash != p.Hash {
		t.Errorf("again: %+v", r)
	}
	if r := c.Polled(poll(c.Hash, at)); r.Update != nil || r.Whole || r.Hash != c.Hash {
		t.Errorf("of the version held: %+v", r)
	}
	p = poll(corona.Hash{8}, at)
	p.Read = false
	if r := c.Polled(p); r != (Report{}) || c.Content != c.Hash {
		t.Errorf("of what was not read: %+v", r)
	}
	check(t, c)
}

// A content without a number is reported again at most half a day of hourly polls apart, however often that was in
// vain. If Corona asks for a poll, the content is reported though the pause is not over.
func TestReportsThatAreInVainComeMoreRarelyToABound(t *testing.T) {
	h, at := corona.Hash{1}, time.Now()
	c := &Channel{Standing: Standing{Readers: 1}, Holding: Holding{Version: 7, Hash: corona.Hash{9}}}
	pause, longest, reports := 0, 0, 0
	for range 300 {
		at, pause = at.Add(interval), pause+1
		if c.Polled(poll(h, at)).Whole {
			longest, pause, reports = max(longest, pause), 0, reports+1
		}
	}
	if want := 1 << maxDoublings; longest != want || reports < 300/want || reports > 20 {
		t.Errorf("%d reports of 300 polls, at most %d polls apart", reports, longest)
	}
	if c.Polled(poll(h, at)).Whole {
		t.Error("the pause is over: the test says nothing of a requested poll")
	}
	if c.Verify(at); !c.Polled(poll(h, at)).Whole {
		t.Error("a requested poll reports nothing")
	}
}

// However often one content was reported in vain, the next one is reported at once and briefly, and again after one
// interval.
func TestPausesBeginAnewWithAnotherContent(t *testing.T) {
	at := time.Now()
	c := &Channel{Standing: Standing{Readers: 1}, Holding: Holding{Version: 7, Hash: corona.Hash{9}}}
	for range 20 {
		at = at.Add(interval)
		c.Polled(poll(corona.Hash{1}, at))
	}
	p := poll(corona.Hash{2}, at)
	p.Brief = &corona.Update{Size: 1}
	if r := c.Polled(p); r.Update == nil || r.Update.Hash != p.Hash {
		t.Errorf("at once is reported %+v", r)
	}
	if r := c.Polled(poll(p.Hash, at.Add(interval-1))); r.Whole || r.Hash != (corona.Hash{}) {
		t.Errorf("before the interval is over is reported %+v", r)
	}
	if r := c.Polled(poll(p.Hash, at.Add(interval))); !r.Whole {
		t.Errorf("after it is reported %+v", r)
	}
}

// The first poll that sees what others have seen confirms that; later ones do not confirm it again. A poll that sees
// something else confirms nothing.
func TestAPollConfirmsOnce(t *testing.T) {
	at, c := time.Now(), &Channel{Standing: Standing{Readers: 1}}
	confirms := func(h corona.Hash) bool { return c.Polled(poll(h, at)).Confirms }
	one, two := corona.Hash{1}, corona.Hash{2}
	if confirms(one) {
		t.Error("what no other node has seen is confirmed")
	}
	for range 2 {
		c.Receive(two)
		if confirms(one) {
			t.Error("another content confirms it")
		}
		if !confirms(two) || confirms(two) || confirms(one) || confirms(two) {
			t.Error("it is not confirmed once")
		}
	}
}

// A poll is the requested one if it began after the request, and only once.
func TestAVerificationIsReportedOnce(t *testing.T) {
	at, c := time.Now(), &Channel{}
	if c.Verified(at) {
		t.Error("nobody has asked")
	}
	c.Verify(at)
	if c.Verified(at.Add(-1)) || !c.Verifies(at) || !c.Verified(at.Add(1)) || c.Verified(at.Add(2)) {
		t.Error("the request is not answered once, by a poll that began later")
	}
}
