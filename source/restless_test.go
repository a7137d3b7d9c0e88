package source

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// clocked is a page that says the time of the request within its text.
func clocked(layout, tea string) answer {
	return func(r fetch.Request) (*fetch.Response, error) {
		now := time.Now().UTC().Format(layout)
		return html("<h1>Shop</h1><p>All that one needs for a good cup, from near and far.<p>Welcome, " + now +
			" it is, and the shop is open<p>Tea " + tea + "<p>Coffee 3.00")(r)
	}
}

// TestHostile13AClockInASentenceIsNoNews guards against an update at every poll.
func TestHostile13AClockInASentenceIsNoNews(t *testing.T) {
	for _, layout := range []string{"15:04:05", "15:04", "3:04 PM", "3:04:05 PM"} {
		t.Run(layout, func(t *testing.T) {
			onStage(t, func(s *scene) {
				s.serve(clocked(layout, "2.50"))
				s.want(tidings.OutcomeChanged, true)
				for range 60 {
					s.want(tidings.OutcomeUnchanged, false)
				}
				s.serve(clocked(layout, "2.60"))
				f := s.want(tidings.OutcomeChanged, true).Change
				if !strings.Contains(f.Delta, "> Tea 2.60") {
					t.Errorf("the change beside the clock: %s", f.Delta)
				}
				for range 10 {
					s.want(tidings.OutcomeUnchanged, false)
				}
			})
		})
	}
}

// A clock of minutes mostly stands still from one poll to the next.
func TestHostile13AClockThatMovesSeldomIsNoNews(t *testing.T) {
	onStage(t, func(s *scene) {
		s.poller.Plan.Interval = 20 * time.Second
		s.serve(clocked("Monday, 15:04", "2.50"))
		s.want(tidings.OutcomeChanged, true)
		for range 100 {
			s.want(tidings.OutcomeUnchanged, false)
		}
	})
}

// TestHostile13ATimetableIsNews: a time that is content is reported like anything else.
func TestHostile13ATimetableIsNews(t *testing.T) {
	onStage(t, func(s *scene) {
		for _, departs := range []string{"14:05", "14:20", "15:05"} {
			s.serve(html("<h1>Ferry</h1><p>The harbour ferry, every day<p>Departs " + departs +
				"<p>Arrives an hour later"))
			s.want(tidings.OutcomeChanged, true)
		}
	})
}

// TestHostile13AShuffledListIsNoNews: a random order is learned, a new line is reported.
func TestHostile13AShuffledListIsNoNews(t *testing.T) {
	onStage(t, func(s *scene) {
		chance := rand.New(rand.NewPCG(3, 4))
		shuffled := func(stories int) answer {
			return func(r fetch.Request) (*fetch.Response, error) {
				var b strings.Builder
				for _, i := range chance.Perm(stories) {
					fmt.Fprintf(&b, "<li>Story number %d of the week", i)
				}
				return html("<h1>Popular</h1><p>What others read<ul>" + b.String() + "</ul>")(r)
			}
		}
		s.serve(shuffled(7))
		s.want(tidings.OutcomeChanged, true)
		told := 0
		for range 40 {
			if s.poll().Change != nil {
				told++
			}
		}
		if told > 1 {
			t.Errorf("%d updates of a shuffled list, want at most 1", told)
		}
		s.serve(shuffled(8))
		if f := s.want(tidings.OutcomeChanged, true).Change; !strings.Contains(f.Delta, "Story number 7") {
			t.Errorf("a new line in a shuffled list: %s", f.Delta)
		}
	})
}
