package rappel

import (
	"testing"
	"time"

	"tidings/network/routers/rappel/window"
)

// The cache keeps the latest, in order, and remembers more events than it keeps.
func TestCache(t *testing.T) {
	var c cache
	for _, n := range []uint64{3, 1, 2, 5, 4, 4, 7} {
		c.add(&Update{Stamp: window.Stamp{Epoch: 2, Number: n}}, n, time.Second, 4)
	}
	c.add(&Update{Stamp: window.Stamp{Epoch: 1, Number: 9}}, 9, time.Second, 4)
	var got []uint64
	for _, u := range c.lacking(window.Have{}) {
		got = append(got, u.Stamp.Number)
	}
	if len(got) != 4 || got[0] != 3 || got[3] != 7 || c.behind(2, 7) != 2 || c.behind(3, 7) != 7 {
		t.Errorf("it keeps %v", got)
	}
	if !c.numbered(2, 7) || c.numbered(2, 9) || c.numbered(1, 7) {
		t.Error("it does not know which have numbers")
	}
	for n := range uint64(maxSeen) {
		if !c.first(n) || c.first(n) {
			t.Fatalf("event %d is not seen once", n)
		}
	}
	if c.first(0) || !c.first(maxSeen) || c.first(1) || !c.first(0) {
		t.Error("not the event of longest ago is forgotten")
	}
	if len(c.seen) != maxSeen {
		t.Errorf("%d events are remembered", len(c.seen))
	}
}

// A topic that is left twice has its deliveries remembered of both times.
func TestWhatWasSeenIsRememberedTwice(t *testing.T) {
	var l left
	for event := range uint64(4) {
		in := &tree{topic: subject, feed: feed{}}
		l.restore(in)
		for before := range event {
			if in.feed.cache.first(before) {
				t.Errorf("in time %d event %d of an earlier time counts as new", event, before)
			}
		}
		in.feed.cache.first(event)
		l.add(in)
		if len(l) != 1 {
			t.Errorf("after time %d the topic is remembered %d times; want once", event, len(l))
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []Config{Default(), Paper()} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for name, spoil := range map[string]func(*Config){
		"a time of zero":       func(c *Config) { c.Audit = 0 },
		"a time below zero":    func(c *Config) { c.PingRetry = -1 },
		"a gain above one":     func(c *Config) { c.Gain = 1.1 },
		"no children":          func(c *Config) { c.Children = 0 },
		"too many friends":     func(c *Config) { c.Friends = maxFriends + 1 },
		"too large a cache":    func(c *Config) { c.Cache = 65 },
		"nobody to be metered": func(c *Config) { c.MaxMetered = 0 },
	} {
		c := Default()
		if spoil(&c); c.Validate() == nil {
			t.Errorf("%s is valid", name)
		}
	}
}
