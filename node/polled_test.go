package node

import (
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/source"
)

// The first content of a channel is told of where its owners have none, where they do not answer, where they ask, and
// with the second poll; every content then less and less often.
func TestWhenAContentIsToldOf(t *testing.T) {
	config := Default()
	config.Data = t.TempDir()
	n, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := newSharing(n)
	h := corona.Hash{1}
	at := time.Now()
	tells := func(c *sharedChannel, h corona.Hash, at time.Time) bool { return s.tells(c, h, at, at) }
	for name, c := range map[string]*sharedChannel{
		"owners without a version": {readers: 1, acked: true},
		"silent owners":            {readers: 1, suspicion: corona.Silent},
		"a look for others alone":  {polled: true},
		"a numbered channel":       {readers: 1, version: 7},
		"owners that ask":          {readers: 1, checking: at},
	} {
		if !tells(c, h, at) || c.telling.withheld {
			t.Errorf("%s are not told", name)
		}
	}
	for name, c := range map[string]*sharedChannel{
		"owners that have not answered": {readers: 1},
		"owners with a version":         {readers: 1, acked: true, telling: telling{owned: 7}},
	} {
		if tells(c, h, at) || !c.telling.withheld {
			t.Errorf("%s are told at once", name)
		}
		next := at.Add(config.Interval)
		if !tells(c, h, next) || c.telling.withheld {
			t.Errorf("%s are not told with the second check", name)
		}
		told := 0
		for range 40 {
			next = next.Add(config.Interval)
			if tells(c, h, next) {
				told++
			}
		}
		if told < 2 || told > 5 {
			t.Errorf("%s are told %d times more", name, told)
		}
		c.version = 7
		if !tells(c, corona.Hash{2}, next) {
			t.Errorf("%s are not told of the next content", name)
		}
	}
}

// What is told of a first content once its owners have no number for it is remembered from the poll, without what leads
// to it; not where the origin wants to be asked seldom, or what was told already.
func TestAFirstContentIsWithheldBriefly(t *testing.T) {
	config := Default()
	config.Data = t.TempDir()
	n, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	s := newSharing(n)
	h, at := corona.Hash{1}, time.Now()
	found := source.Result{Finding: &tidings.Change{Found: at}}
	seldom := found
	seldom.Least = time.Hour
	withheld := func(r source.Result) *sharedChannel {
		c := &sharedChannel{readers: 1, url: "https://example.org/feed"}
		if s.tells(c, h, at, at) {
			t.Fatal("it is told at once: the test says nothing")
		}
		s.withhold(c, corona.Hash{}, r)
		return c
	}
	c := withheld(found)
	if u := c.telling.first; u == nil || u.Hash != h || len(u.Payload) > 0 || u.Size == 0 || u.FoundAt != at.UnixMilli() {
		t.Fatalf("remembered is %+v", u)
	}
	next := at.Add(config.Interval)
	if !s.tells(c, h, next, next) || c.telling.first != nil {
		t.Error("it is remembered after it was told")
	}
	for name, r := range map[string]source.Result{"an origin that wants to be asked seldom": seldom, "a check that found nothing": {}} {
		if c := withheld(r); c.telling.first != nil {
			t.Errorf("%s: remembered is %+v", name, c.telling.first)
		}
	}
}
