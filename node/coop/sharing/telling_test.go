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
		"owners without a version":          {Standing: Standing{Readers: 1, Acked: true}},
		"silent owners":                     {Standing: Standing{Readers: 1, Suspicion: corona.Silent}},
		"a channel polled for others alone": {Standing: Standing{Assigned: true, Slot: source.Slot{Interval: interval}}},
		"a numbered channel":                {Standing: Standing{Readers: 1}, Holding: Holding{Version: 7, Hash: corona.Hash{9}}},
		"owners that ask":                   {Standing: Standing{Readers: 1}, Telling: Telling{verifying: at}},
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

// What was withheld is offered once, when the owners say that they have no version, if the content is still here and leads
// on from what is held. Without a brief report all that leads to the content is to be reported.
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

// A content is reported briefly at first, as a change against the version held, and whole when that did not help. A poll
// that found nothing new, or did not read, reports none.
func TestHowAContentIsReported(t *testing.T) {
	at := time.Now()
	c := &Channel{Standing: Standing{Readers: 1, Acked: true}, Holding: Holding{Version: 7, Hash: corona.Hash{7}}}
	p := poll(corona.Hash{8}, at)
	p.Brief, p.Found = &corona.Update{}, at
	if r := c.Polled(p); r.Update == nil || r.Whole || r.Update.Base != c.Hash || r.Update.Version != 7 || r.Update.Hash != p.Hash || r.First || c.Seen != at {
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
