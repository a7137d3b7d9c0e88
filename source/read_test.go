package source

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// item is an item of an RSS feed.
func item(id int, title string) string {
	return fmt.Sprintf("<item><guid>%d</guid><link>https://origin.example/%d</link><title>%s</title></item>", id, id,
		title)
}

// changesOf sums up a change's items: "+title" is new, "~title" changed, "=title" as it was.
func changesOf(f *tidings.Change) string {
	var b strings.Builder
	for _, it := range f.Items {
		switch it.Change {
		case tidings.New:
			b.WriteString("+")
		case tidings.Changed:
			b.WriteString("~")
		default:
			b.WriteString("=")
		}
		b.WriteString(it.Title)
	}
	return b.String()
}

func TestAFeedIsReadOnceAndThenCompared(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(tagged(`"1"`, rss(item(1, "one"))))
		r := s.want(tidings.OutcomeChanged, true)
		if got := changesOf(r.Change); got != "+one" || r.Change.Kind != tidings.KindFeed || r.Change.Title != "Feed" ||
			r.Change.FoundBy != "node" {
			t.Errorf("first check: %q, %+v", got, r.Change)
		}
		if r.Poll.Why != "by plan" || r.Poll.Status != 200 || r.Poll.Bytes == 0 || r.Poll.NextWhy == "" ||
			r.Health != tidings.HealthGood {
			t.Errorf("first check: %+v, %s", r.Poll, r.Health)
		}
		s.want(tidings.OutcomeNotModified, false) // by its validator
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeUnchanged, false) // by its bytes
		s.serve(text("application/rss+xml", rssOf(item(1, "one"))+"<!-- made at noon -->"))
		s.want(tidings.OutcomeUnchanged, false) // by what it says
		s.serve(rss(item(2, "two") + item(1, "one")))
		if got := changesOf(s.want(tidings.OutcomeChanged, true).Change); got != "+two=one" {
			t.Errorf("a new item: %q", got)
		}
		s.serve(rss(item(2, "second") + item(1, "one")))
		if got := changesOf(s.want(tidings.OutcomeChanged, true).Change); got != "~second=one" {
			t.Errorf("a changed item: %q", got)
		}
		s.serve(rss(item(2, "second")))
		if f := s.want(tidings.OutcomeUnchanged, true).Change; changesOf(f) != "=second" || f.Partial {
			t.Errorf("an item that left: %q, partial %v", changesOf(f), f.Partial)
		}
	})
}

func TestTheFirstPollMakesAVersionOfAnEmptyFeed(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(text("application/rss+xml", `<rss><channel></channel></rss>`))
		s.want(tidings.OutcomeUnchanged, true)
		s.serve(text("application/rss+xml", `<rss><channel> </channel></rss>`))
		s.want(tidings.OutcomeUnchanged, false)
	})
}

func TestAQuietChangeIsStoredAndNotTold(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeChanged, true)
		s.serve(rss(strings.Replace(item(1, "one"), "example/1", "example/moved", 1)))
		if f := s.want(tidings.OutcomeUnchanged, true).Change; !f.Items[0].Quiet || changesOf(f) != "=one" {
			t.Errorf("a moved item: %q", changesOf(f))
		}
		s.want(tidings.OutcomeUnchanged, false)
	})
}

// hostile 8: a login or error page in place of a feed is no news, for however long, and
// nothing of the feed is forgotten over it.
func TestHostile8AFeedThatTurnsIntoALoginPage(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(tagged(`"1"`, rss(item(1, "one"))))
		s.want(tidings.OutcomeChanged, true)
		last := time.Duration(0)
		for i := 1; i <= 10; i++ {
			s.serve(tagged(`"login"`, html("<title>Log in</title><h1>Log in</h1><form><input type=password></form>")))
			r := s.want(tidings.OutcomeUnreadable, false)
			if r.Failures != i || r.Health != tidings.HealthFailing || r.Poll.Error == "" {
				t.Errorf("check %d: %d failures, %s, %q", i, r.Failures, r.Health, r.Poll.Error)
			}
			wait := r.Poll.Next.Sub(r.Poll.At)
			if i > 2 && wait < last && wait < 12*time.Hour {
				t.Errorf("check %d: the next is after %s, before it was %s", i, wait, last)
			}
			last = wait
		}
		s.serve(rss(item(2, "two") + item(1, "one")))
		if r := s.want(tidings.OutcomeChanged, true); changesOf(r.Change) != "+two=one" || r.Failures != 0 {
			t.Errorf("when it is back: %q, %d failures", changesOf(r.Change), r.Failures)
		}
	})
}

// A page that has no feed at first sight stays a page, and a feed stays a feed.
func TestAKindOnceKnownStays(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(html("<h1>Prices</h1><p>Tea 2.50"))
		if r := s.want(tidings.OutcomeChanged, true); r.Change.Kind != tidings.KindPage {
			t.Errorf("it is a %s", r.Change.Kind)
		}
		s.serve(rss(item(1, "one")))
		if r := s.poll(); r.Change == nil || r.Change.Kind != tidings.KindPage {
			t.Errorf("a page's text turned into a feed's: %+v", r.Change)
		}
	})
}

func TestADeltaLeavesWhatItDoesNotName(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(tagged(`"1"`, rss(item(2, "two")+item(1, "one"))))
		s.want(tidings.OutcomeChanged, true)
		s.serve(func(r fetch.Request) (*fetch.Response, error) {
			if !r.Delta || r.ETag != `"1"` {
				t.Errorf("asked for %+v", r)
			}
			res, _ := rss(item(3, "three"))(r)
			res.Status, res.ETag = http.StatusIMUsed, `"3"`
			return res, nil
		})
		f := s.want(tidings.OutcomeChanged, true).Change
		if changesOf(f) != "+three" || !f.Partial {
			t.Errorf("delta: %q, partial %v", changesOf(f), f.Partial)
		}
		s.serve(func(r fetch.Request) (*fetch.Response, error) {
			res, _ := rss(item(2, "two"))(r)
			res.Status, res.ETag = http.StatusIMUsed, `"3b"`
			return res, nil
		})
		s.want(tidings.OutcomeUnchanged, false) // it names nothing new
		s.serve(rss(item(3, "three") + item(2, "two") + item(1, "one")))
		s.want(tidings.OutcomeUnchanged, false) // all of it is known and listed
		// A delta that cannot be read is not asked for again.
		s.serve(tagged(`"4"`, rss(item(4, "four")+item(3, "three"))))
		s.want(tidings.OutcomeChanged, true)
		s.serve(func(r fetch.Request) (*fetch.Response, error) {
			res, _ := html("<p>no feed")(r)
			res.Status = http.StatusIMUsed
			return res, nil
		})
		s.want(tidings.OutcomeUnreadable, false)
		s.serve(rss(item(5, "five") + item(4, "four")))
		s.want(tidings.OutcomeChanged, true)
		if r := s.requests()[len(s.requests())-1]; r.Delta {
			t.Error("a delta is asked for again")
		}
	})
}

// hostile 20: items without a guid, with one for all, or with another one at each fetch,
// in whatever order, are announced once.
func TestHostile20NothingIsAnnouncedTwice(t *testing.T) {
	titles := []string{"one", "two", "three", "four", "five"}
	for name, guid := range map[string]func(poll, i int) string{
		"no guid":                  func(int, int) string { return "" },
		"one guid for all":         func(int, int) string { return "<guid>same</guid>" },
		"another guid at any time": func(poll, i int) string { return fmt.Sprintf("<guid>%d-%d</guid>", poll, i) },
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *scene) {
				for poll := range 8 {
					var items strings.Builder
					for n := range titles {
						i := (n*(poll%4+1) + poll) % len(titles) // every order is another one
						fmt.Fprintf(&items, "<item>%s<link>/%d</link><title>%s</title></item>", guid(poll, i), i,
							titles[i])
					}
					s.serve(rss(items.String()))
					r := s.poll()
					if want := tidings.OutcomeUnchanged; poll > 0 && r.Poll.Outcome != want {
						t.Fatalf("check %d: %s, %q", poll, r.Poll.Outcome, changesOf(r.Change))
					}
				}
				if n := len(s.shelf.items); n != len(titles) {
					t.Errorf("%d items are stored", n)
				}
			})
		})
	}
}

// hostile 14: an origin with several servers serves two versions of a feed alternately. Each is reported once, and the
// server that lags behind is no news.
func TestHostile14AFeedServedInTwoVersionsByTurns(t *testing.T) {
	onStage(t, func(s *scene) {
		older, newer := rss(item(1, "one")), rss(item(1, "one, corrected"))
		s.serve(older)
		s.want(tidings.OutcomeChanged, true)
		s.serve(newer)
		s.want(tidings.OutcomeChanged, true)
		for range 5 {
			s.serve(older, newer)
			s.want(tidings.OutcomeUnchanged, false)
			s.serve(newer)
			s.want(tidings.OutcomeUnchanged, false)
		}
		// In the end the correction is undone everywhere.
		s.serve(older)
		if got := changesOf(s.want(tidings.OutcomeChanged, true).Change); got != "~one" {
			t.Errorf("taken back: %q", got)
		}
	})
}

// A change is put off because the latest version was served too. If only the change is served from then on, under the
// validators and bytes already seen, it is not forgotten.
func TestWhatWasServedByTurnsIsReadAgain(t *testing.T) {
	onStage(t, func(s *scene) {
		older, newer := tagged(`"old"`, rss(item(1, "one"))), tagged(`"new"`, rss(item(1, "one, corrected")))
		s.serve(older)
		s.want(tidings.OutcomeChanged, true)
		s.serve(newer)
		s.want(tidings.OutcomeChanged, true)
		s.serve(older, newer)
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(older)
		s.want(tidings.OutcomeChanged, true)
	})
}

// hostile 9: a document that comes with the validators of the one before is compared
// with it all the same.
func TestHostile9ValidatorsDoNotDecideWhatChanged(t *testing.T) {
	onStage(t, func(s *scene) {
		lying := func(items string) answer {
			return func(r fetch.Request) (*fetch.Response, error) {
				res, err := rss(items)(r)
				res.ETag, res.LastModified = `"same"`, "Fri, 01 Jan 2100 00:00:00 GMT"
				return res, err
			}
		}
		s.serve(lying(item(1, "one")))
		s.want(tidings.OutcomeChanged, true)
		s.serve(lying(item(2, "two") + item(1, "one")))
		if r := s.want(tidings.OutcomeChanged, true); !r.Change.OriginChanged.IsZero() {
			t.Errorf("a date to come is believed: %s", r.Change.OriginChanged)
		}
	})
}

func TestTheSameBytesAreNotReadAgain(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeChanged, true)
		s.shelf.broken = errors.New("nobody asks the shelf")
		s.want(tidings.OutcomeUnchanged, false)
	})
}

func TestAPollThatCannotReadTheStoreIsThisNodesFault(t *testing.T) {
	for name, document := range map[string]answer{"feed": rss(item(1, "one")), "page": html("<p>text")} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *scene) {
				s.serve(document)
				s.shelf.broken = errors.New("disk gone")
				r := s.poller.Poll(s.t.Context(), s.watch.Job, "by plan")
				if !errors.Is(r.Err, s.shelf.broken) || r.Change != nil || r.Memory != nil {
					t.Errorf("error %v, change %v", r.Err, r.Change)
				}
			})
		})
	}
}

// hostile 7: what broke off is no version, and is tried again later and later.
func TestHostile7FailuresAreNoVersions(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeChanged, true)
		s.serve(failing(fmt.Errorf("reading: %w", io.ErrUnexpectedEOF)))
		var first time.Time
		for i := range 3 {
			r := s.want(tidings.OutcomeFailed, false)
			if r.Failures != i+1 {
				t.Errorf("%d failures after %d", r.Failures, i+1)
			}
			if i == 0 {
				first = r.Poll.At
			}
			if since := r.Since.Sub(first).Abs(); since > time.Minute {
				t.Errorf("failure %d is counted since %v after the first", i+1, since)
			}
		}
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeUnchanged, false)
	})
}

func TestGoneIsTheEnd(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(failing(&fetch.StatusError{Status: http.StatusGone}))
		if r := s.want(tidings.OutcomeGone, false); !r.Ended || !r.Poll.Next.IsZero() || !s.watch.Next.IsZero() {
			t.Errorf("%+v", r)
		}
		s.serve(rss(item(1, "one"))) // a person polls again by hand
		if r := s.want(tidings.OutcomeChanged, true); r.Ended || s.watch.Next.IsZero() {
			t.Errorf("when it is back: %+v", r)
		}
	})
}

func TestAFeedMayEndItself(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(text("application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"T","expired":true,"items":[{"id":"1","title":"last"}]}`))
		if r := s.want(tidings.OutcomeChanged, true); !r.Ended || r.Health != tidings.HealthEnded {
			t.Errorf("%+v", r.Poll)
		}
	})
}

// The time of the origin's change is reported if it is credible: between the last poll and now.
func TestOriginChanged(t *testing.T) {
	dated := func(modified time.Time, published ...time.Time) answer {
		var items strings.Builder
		for i, at := range published {
			fmt.Fprintf(&items, "<item><guid>%d</guid><title>at %d</title><pubDate>%s</pubDate></item>", at.Unix(), i,
				at.Format(time.RFC1123Z))
		}
		return func(r fetch.Request) (*fetch.Response, error) {
			res, err := rss(items.String())(r)
			if !modified.IsZero() {
				res.LastModified = modified.UTC().Format(http.TimeFormat)
			}
			return res, err
		}
	}
	var none time.Time
	for name, c := range map[string]struct {
		modified  time.Duration // against the second poll
		published []time.Duration
		clock     time.Duration // of the origin, against ours
		want      time.Duration // 1: nothing is reported
	}{
		"Last-Modified":                       {-time.Minute, nil, 0, -time.Minute},
		"Last-Modified before an item's date": {-time.Minute, []time.Duration{-2 * time.Minute}, 0, -time.Minute},
		"Last-Modified before the last check": {-24 * time.Hour, []time.Duration{-2 * time.Minute}, 0,
			-2 * time.Minute},
		"Last-Modified to come":               {time.Hour, nil, 0, 1},
		"to come by the origin's clock alone": {-time.Minute, nil, -5 * time.Minute, 1},
		"to come by our clock alone":          {5 * time.Minute, nil, 10 * time.Minute, 5 * time.Minute},
		"newest of the items": {0, []time.Duration{-3 * time.Minute, -2 * time.Minute, time.Hour,
			-24 * time.Hour}, 0, -2 * time.Minute},
		"nothing that can be believed": {0, []time.Duration{time.Hour, -24 * time.Hour}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *scene) {
				s.serve(rss(item(1, "one")))
				s.want(tidings.OutcomeChanged, true)
				now := time.Now()
				modified, published := none, []time.Time{now.Add(-25 * time.Hour)}
				if c.modified != 0 {
					modified = now.Add(c.modified)
				}
				for _, p := range c.published {
					published = append(published, now.Add(p))
				}
				s.serve(func(r fetch.Request) (*fetch.Response, error) {
					res, err := dated(modified, published...)(r)
					res.Date = now.Add(c.clock)
					return res, err
				})
				got := s.want(tidings.OutcomeChanged, true).Change.OriginChanged
				want := now.Add(c.want).Truncate(time.Second)
				if c.want == 1 {
					want = none
				}
				if !got.Equal(want) {
					t.Errorf("got %s, want %s; the check was at %s", got, want, now)
				}
			})
		})
	}
}

// A node that has content from another looks for the first time: what the origin says is believed of
// changes since then, and of none where that is not remembered.
func TestOriginChangedSinceContentCameFromElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		took, modified time.Duration // against the poll
		forgotten      bool
		believed       bool
	}{
		"since then":     {-time.Hour, -30 * time.Minute, false, true},
		"before that":    {-time.Hour, -2 * time.Hour, false, false},
		"not remembered": {-time.Hour, -30 * time.Minute, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *scene) {
				s.serve(rss(item(1, "one")))
				first := s.want(tidings.OutcomeChanged, true).Change
				now := time.Now().Truncate(time.Second)
				first.Found = now.Add(c.took)
				s.watch.Memory = nil
				if !c.forgotten {
					s.watch.Took(first)
				}
				modified := now.Add(c.modified)
				s.serve(func(r fetch.Request) (*fetch.Response, error) {
					res, err := rss(item(1, "one") + item(2, "two"))(r)
					res.LastModified = modified.UTC().Format(http.TimeFormat)
					return res, err
				})
				got := s.want(tidings.OutcomeChanged, true).Change.OriginChanged
				if got.Equal(modified) != c.believed || !c.believed && !got.IsZero() {
					t.Errorf("got %s, modified %s, believed: %v", got, modified, c.believed)
				}
			})
		})
	}
}

// hostile 15: items whose dates are absurd or missing are reported in the document's order, with their dates as
// claimed.
func TestHostile15DatesAreKeptAsClaimed(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(rss(`<item><guid>a</guid><title>a</title><pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate></item>
			<item><guid>b</guid><title>b</title><pubDate>2099-01-01T00:00:00Z</pubDate></item>
			<item><guid>c</guid><title>c</title><pubDate>2026-03-01 12:00:00</pubDate></item><item><guid>d</guid><title>d</title></item>`))
		f := s.want(tidings.OutcomeChanged, true).Change
		var years []int
		for _, it := range f.Items {
			years = append(years, it.Published.Year())
		}
		if got := changesOf(f); got != "+a+b+c+d" || fmt.Sprint(years) != "[1970 2099 2026 1]" {
			t.Errorf("%s, years %v", got, years)
		}
		if !f.OriginChanged.Equal(time.Unix(0, 0)) {
			t.Errorf("origin changed %s", f.OriginChanged)
		}
	})
}
