package source

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// stuck answers under validators that never move. A request with one of them gets "not modified".
func stuck(etag, lastModified string, a answer) answer {
	return func(r fetch.Request) (*fetch.Response, error) {
		if r.ETag != "" || r.LastModified != "" {
			return &fetch.Response{Status: http.StatusNotModified, ETag: etag, LastModified: lastModified}, nil
		}
		res, err := a(r)
		res.ETag, res.LastModified = etag, lastModified
		return res, err
	}
}

// hostile 84: an origin says "not modified" for ever. What is new is found within a day, whenever it comes and however
// often the channel is polled. If the date cannot be true, it is found at the next poll.
func TestHostile84ValidatorsThatNeverMove(t *testing.T) {
	dated := func(n int) string { // newer than every date below that may be true; the clock stands in 2000
		return fmt.Sprintf(
			`<item><guid>%d</guid><title>Story %d</title><pubDate>0%d Jan 2000 00:00:00 GMT</pubDate></item>`, n, n, n)
	}
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		etag, date string
		atOnce     bool
	}{
		"1980":                       {"", "Tue, 01 Jan 1980 00:00:01 GMT", true},
		"2041":                       {"", "Tue, 01 Jan 2041 00:00:00 GMT", true},
		"older than the newest item": {"", "Tue, 01 Jun 1999 00:00:00 GMT", false},
		"constant ETag":              {`"1"`, "", false},
		"constant ETag, 1980":        {`"1"`, "Tue, 01 Jan 1980 00:00:01 GMT", false},
	} {
		for _, interval := range []time.Duration{10 * time.Minute, 30 * time.Minute, 5 * time.Hour, 12 * time.Hour} {
			for _, after := range []time.Duration{0, 7 * time.Hour, 17 * time.Hour, 23 * time.Hour} {
				t.Run(fmt.Sprint(name, ", polled every ", interval, ", new after ", after), func(t *testing.T) {
					onStage(t, func(s *scene) {
						s.poller.Plan.Interval = interval
						s.serve(stuck(test.etag, test.date, rss(dated(1))))
						s.want(tidings.OutcomeChanged, true)
						for since := time.Now(); time.Since(since) < after; {
							s.poll()
						}
						changed := time.Now()
						s.serve(stuck(test.etag, test.date, rss(dated(2)+dated(1))))
						polls := 1
						for s.poll().Poll.Outcome != tidings.OutcomeChanged && polls < 1000 {
							polls++
						}
						if took := s.watch.Last.At.Sub(changed); took > day || test.atOnce && polls > 1 {
							t.Errorf("found after %v, by poll %d", took, polls)
						}
					})
				})
			}
		}
	}
}

// hostile 84: once the validators were caught, news is found at every poll for a week.
func TestHostile84ValidatorsThatWereCaught(t *testing.T) {
	onStage(t, func(s *scene) {
		items := item(0, "item 0")
		s.serve(stuck(`"1"`, "", rss(items)))
		s.want(tidings.OutcomeChanged, true)
		items = item(1, "item 1") + items
		s.serve(stuck(`"1"`, "", rss(items)))
		for s.poll().Poll.Outcome != tidings.OutcomeChanged {
		}
		caught := time.Now()
		for n := 2; time.Since(caught) < 6*24*time.Hour; n++ {
			items = item(n, fmt.Sprint("item ", n)) + items
			s.serve(stuck(`"1"`, "", rss(items)))
			s.want(tidings.OutcomeChanged, true)
		}
	})
}

// hostile 84: where another node has seen a change, the next poll asks for the whole document, and no other does.
func TestHostile84WhatOthersSawIsAskedForWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var whole []bool
		s := newStage(10*time.Second, time.Hour)
		x := NewScheduler(func(ctx context.Context, w Job, why string) Result {
			whole = append(whole, w.Whole)
			return s.poll(ctx, w, why)
		}, s, DefaultSchedule(), slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { x.Run(ctx); close(done) }()
		const url = "https://one.example/"
		x.Add(channelAt(url, time.Now()))
		time.Sleep(time.Second)
		x.CheckWhole(url, "another saw a change") // during a poll: of the next
		time.Sleep(time.Minute)
		x.Check(url, "a turn")
		time.Sleep(time.Minute)
		x.CheckWhole(url, "another saw a change") // at rest
		time.Sleep(2 * time.Hour)
		cancel()
		<-done
		if want := []bool{false, true, false, true, false}; !slices.Equal(whole[:5], want) {
			t.Errorf("asked for the whole document: %v, want %v", whole, want)
		}
	})
	onStage(t, func(s *scene) {
		s.serve(stuck(`"1"`, "", rss(item(0, "item 0"))))
		s.want(tidings.OutcomeChanged, true)
		s.serve(stuck(`"1"`, "", rss(item(1, "item 1")+item(0, "item 0"))))
		s.want(tidings.OutcomeNotModified, false)
		s.watch.Whole = true
		s.want(tidings.OutcomeChanged, true)
	})
}

// A whole document is read though it is the same, byte for byte, as the last one: it may say what was of no use when
// nobody here followed the channel.
func TestAWholeDocumentIsReadThoughItIsTheSame(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(stuck("", "", rss(item(0, "item 0"))))
		s.want(tidings.OutcomeChanged, true)
		if r := s.want(tidings.OutcomeUnchanged, false); r.Document != nil {
			t.Error("the same document was read once more")
		}
		s.watch.Whole = true
		if r := s.want(tidings.OutcomeUnchanged, false); r.Document == nil {
			t.Error("the whole document was not read")
		}
	})
}
