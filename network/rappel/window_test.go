package rappel

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A window knows of the latest numbers what a list of them all knows.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		w.begin(1, 0)
		came, last := map[uint64]bool{}, uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			number := last + 1 + uint64(rapid.IntRange(0, 80).Draw(t, "ahead"))
			if last > 0 && rapid.Bool().Draw(t, "back") {
				number = uint64(rapid.IntRange(int(max(last, 80))-79, int(last)).Draw(t, "number"))
			}
			if rapid.IntRange(0, 3).Draw(t, "told") == 0 {
				w.know(1, number)
				last = max(last, number)
				continue
			}
			within := number+reach > last
			got := w.note(Stamp{Epoch: 1, Number: number})
			if number > last {
				within, last = true, number
			}
			if want := !came[number] && within; want != got {
				t.Fatalf("%d of %d: %v", number, last, got)
			}
			came[number] = true
		}
		missing := 0
		for n := uint64(1); n <= last; n++ {
			lacks := w.lacks(Stamp{Epoch: 1, Number: n})
			if n+reach > last && lacks != !came[n] || n+reach <= last && lacks {
				t.Fatalf("%d of %d is lacking: %v", n, last, lacks)
			}
			if lacks {
				missing++
			}
		}
		if w.missing() != missing || !w.lacks(Stamp{Epoch: 1, Number: last + 1}) || w.lacks(Stamp{Epoch: 0, Number: last + 1}) || !w.lacks(Stamp{Epoch: 2, Number: 1}) {
			t.Fatalf("%d are missing, want %d", w.missing(), missing)
		}
	})
}

// Epochs rise. Of one that is over numbers tell nothing; a new one begins at 1.
func TestWindowEpochs(t *testing.T) {
	var w window
	w.begin(5, 7)
	for _, c := range []struct {
		epoch, number uint64
		fresh         bool
		missing       int
	}{
		{5, 7, false, 0}, {5, 8, true, 0}, {4, 9, false, 0}, {6, 3, true, 2}, {6, 1, true, 1}, {6, 1, false, 1},
		{5, 9, false, 1}, {6, 2, true, 0}, {6, 67, true, 63},
	} {
		if got := w.note(Stamp{Epoch: c.epoch, Number: c.number}); got != c.fresh || w.missing() != c.missing {
			t.Errorf("%d of epoch %d: %v and %d missing, want %v and %d", c.number, c.epoch, got, w.missing(), c.fresh, c.missing)
		}
	}
	for _, c := range []struct {
		epoch, last uint64
		want        Have
	}{
		{6, 67, w.Have}, {5, 100, w.Have}, {7, 0, w.Have}, {6, 68, Have{6, 68, w.Missing<<1 | 1}}, {7, 1, Have{7, 1, 1}},
	} {
		heard := w
		if heard.know(c.epoch, c.last); heard.Have != c.want {
			t.Errorf("of %d numbers of epoch %d is known %+v, want %+v", c.last, c.epoch, heard.Have, c.want)
		}
	}
}

// The cache keeps the latest, in order, and remembers more events than it keeps.
func TestCache(t *testing.T) {
	var c cache
	for _, n := range []uint64{3, 1, 2, 5, 4, 4, 7} {
		c.add(&Update{Stamp: Stamp{Epoch: 2, Number: n}}, n, time.Second, 4)
	}
	c.add(&Update{Stamp: Stamp{Epoch: 1, Number: 9}}, 9, time.Second, 4)
	var got []uint64
	for _, u := range c.lacking(Have{}) {
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
