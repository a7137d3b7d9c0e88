package coop

import (
	"log/slog"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/source"
	"tidings/store"
)

// The first content of a channel is reported if its owners have none, do not answer, or ask, and with the second poll.
// Every content is then reported ever more rarely.
func TestWhenAContentIsToldOf(t *testing.T) {
	const interval = time.Hour
	s := newCoop(t, interval).reporter
	h := corona.Hash{1}
	at := time.Now()
	tells := func(c *channel, h corona.Hash, at time.Time) bool { return s.tells(c, h, at, at) }
	for name, c := range map[string]*channel{
		"owners without a version":          {readers: 1, acked: true},
		"silent owners":                     {readers: 1, suspicion: corona.Silent},
		"a channel polled for others alone": {polled: true},
		"a numbered channel":                {readers: 1, version: 7},
		"owners that ask":                   {readers: 1, checking: at},
	} {
		if !tells(c, h, at) || c.telling.withheld {
			t.Errorf("%s are not told", name)
		}
	}
	for name, c := range map[string]*channel{
		"owners that have not answered": {readers: 1},
		"owners with a version":         {readers: 1, acked: true, telling: telling{owned: 7}},
	} {
		if tells(c, h, at) || !c.telling.withheld {
			t.Errorf("%s are told at once", name)
		}
		next := at.Add(interval)
		if !tells(c, h, next) || c.telling.withheld {
			t.Errorf("%s are not told with the second check", name)
		}
		told := 0
		for range 40 {
			next = next.Add(interval)
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

// The report of a first content, for owners without a number for it, is remembered from the poll, without the way that
// leads to it. That is not done if the origin wants to be polled rarely, or if it was reported already.
func TestAFirstContentIsWithheldBriefly(t *testing.T) {
	const interval = time.Hour
	s := newCoop(t, interval).reporter
	h, at := corona.Hash{1}, time.Now()
	found := source.Result{Change: &tidings.Change{Found: at}}
	seldom := found
	seldom.Least = time.Hour
	withheld := func(r source.Result) *channel {
		c := &channel{readers: 1, url: "https://example.org/feed"}
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
	next := at.Add(interval)
	if !s.tells(c, h, next, next) || c.telling.first != nil {
		t.Error("it is remembered after it was told")
	}
	for name, r := range map[string]source.Result{"an origin that wants to be asked seldom": seldom, "a check that found nothing": {}} {
		if c := withheld(r); c.telling.first != nil {
			t.Errorf("%s: remembered is %+v", name, c.telling.first)
		}
	}
}

// newCoop returns a Coop without a network.
func newCoop(t *testing.T, interval time.Duration) *Coop {
	t.Helper()
	s := store.Default(t.TempDir())
	opened, err := store.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return New(Config{
		Store: opened, Log: slog.New(slog.DiscardHandler), NodeID: engine.PrefixID("1").String(), Interval: interval,
		Own: corona.Default().Paced(interval),
	}, nil, nil)
}

// Hostile 1: other nodes cannot make a node poll a private address, or another than the channel's.
func TestWhatANodeDoesNotPollForOthers(t *testing.T) {
	s := newCoop(t, time.Hour)
	for _, url := range []string{
		"", "http://127.0.0.1/", "http://10.0.0.1/feed", "http://router.local/feed", "file:///etc/passwd", "HTTPS://Example.org/feed",
		"https://u:p@example.org/feed", "https://example.org/feed?token=9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
	} {
		if fits(s.core, corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}) {
			t.Errorf("it checks %q", url)
		}
	}
	if fits(s.core, corona.Channel{ID: engine.PrefixID("12"), URL: "https://example.org/feed"}) {
		t.Error("it checks another address than the channel's")
	}
	if url := "https://example.org/feed"; !fits(s.core, corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}) {
		t.Error("it does not check a public channel")
	}
}

// If the owners deny what a node sees, it polls more often than if they do not, and more rarely than on its own.
func TestBackups(t *testing.T) {
	r := newCoop(t, time.Hour).reconciler
	for cadence, want := range map[channels.Cadence]time.Duration{channels.Backup: backupEvery * time.Hour, channels.Doubtful: deniedEvery * time.Hour, channels.Own: 0} {
		if got := r.slot(channel{}, cadence).Interval; got != want {
			t.Errorf("%v: a check each %v, want %v", cadence, got, want)
		}
	}
}
