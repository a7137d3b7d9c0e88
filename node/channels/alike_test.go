package channels

import (
	"log/slog"
	"testing"
	"time"

	"tidings"
	"tidings/source"
	"tidings/store"
)

// watched is a network that learns which channels are watched.
type watched struct {
	Network
	report func(url string)
}

func (w watched) Followed(url string) { w.report(url) }

// A new channel is watched before it is followed up. Else the address of a page could lead to its feed, and be left for
// it, before it is watched: the answer would say that nothing is followed.
func TestAChannelIsWatchedBeforeItIsFollowedUp(t *testing.T) {
	opened, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	const url = "https://news.example/"
	var c *Channels
	reported := 0
	c = New(Config{
		Store: opened, Log: slog.New(slog.DiscardHandler), Interval: time.Hour,
		Scheduler: source.NewScheduler(nil, nil, source.DefaultSchedule(), slog.New(slog.DiscardHandler)),
		Network: watched{report: func(reviewed string) {
			reported++
			if reviewed != url || len(c.followUps) != 0 {
				t.Errorf("%s is watched when %d orders wait to be followed up; want %s and none", reviewed,
					len(c.followUps), url)
			}
		}},
	})
	account, err := opened.Subscribers.Add(t.Context(), "xmpp:a@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.SubscribeOutside(t.Context(), account, url); err != nil || s.URL != url {
		t.Fatalf("subscription %+v, error %v", s, err)
	}
	if !c.config.Scheduler.Has(url) || reported != 1 || len(c.followUps) != 1 {
		t.Errorf("watched: %t, reported %d times, %d to follow up; want true, 1, 1", c.config.Scheduler.Has(url),
			reported, len(c.followUps))
	}
	if _, err := c.SubscribeOutside(t.Context(), account, "ftp://news.example/"); err == nil ||
		tidings.Reason(err) == "" {
		t.Errorf("an address that is none of the web: error %v", err)
	}
}
