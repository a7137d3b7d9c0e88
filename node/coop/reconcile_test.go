package coop

import (
	"log/slog"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/node/coop/sharing"
	"tidings/store"
)

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
	d := newCoop(t, time.Hour).desk
	for _, url := range []string{
		"", "http://127.0.0.1/", "http://10.0.0.1/feed", "http://router.local/feed", "file:///etc/passwd",
		"HTTPS://Example.org/feed",
		"https://u:p@example.org/feed", "https://example.org/feed?token=9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
	} {
		if d.fits(corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}) {
			t.Errorf("it checks %q", url)
		}
	}
	if d.fits(corona.Channel{ID: engine.PrefixID("12"), URL: "https://example.org/feed"}) {
		t.Error("it checks another address than the channel's")
	}
	if url := "https://example.org/feed"; !d.fits(corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}) {
		t.Error("it does not check a public channel")
	}
}

// If the owners deny what a node sees, it polls more often than if they do not, and more rarely than on its own.
func TestBackups(t *testing.T) {
	c := newCoop(t, time.Hour)
	for cadence, want := range map[channels.Cadence]time.Duration{channels.Backup: backupEvery * time.Hour,
		channels.Doubtful: deniedEvery * time.Hour, channels.Own: 0} {
		if got := c.keeper.slot(sharing.Channel{}, cadence, time.Hour).Interval; got != want {
			t.Errorf("%v: a check each %v, want %v", cadence, got, want)
		}
	}
}
