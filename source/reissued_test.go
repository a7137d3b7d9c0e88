package source

import (
	"fmt"
	"testing"

	"tidings"
)

// fetchedItems are n stories with the guids and links of one fetch.
func fetchedItems(fetch, n int) (items string) {
	for i := range n {
		items = fmt.Sprintf(`<item><guid>%x</guid><link>https://origin.example/%x</link><title>Story %d</title><description>what %d says</description></item>`,
			fetch*1009+i*31, fetch*7919+i*17, i, i) + items
	}
	return items
}

// hostile 71: nothing is reported twice, and what is new is reported. The channel says why it is odd, but no longer
// than that lasts. It says nothing after a single event, such as a move of the site.
func TestHostile71NewIdentifiersAtEveryFetchAreSaid(t *testing.T) {
	onStage(t, func(s *scene) {
		said := func(r Result) bool {
			noted := r.Poll.Error == ReissuedNote
			if noted != (r.Health == tidings.HealthNoisy) || !noted && r.Poll.Error != "" {
				t.Errorf("%s, %q", r.Health, r.Poll.Error)
			}
			return noted
		}
		s.serve(rss(fetchedItems(0, 4)))
		s.want(tidings.OutcomeChanged, true)
		s.serve(rss(fetchedItems(1, 4)))
		if said(s.want(tidings.OutcomeUnchanged, true)) {
			t.Error("said of a feed that may have moved")
		}
		for fetch := 2; fetch < 6; fetch++ {
			s.serve(rss(fetchedItems(fetch, 4)))
			if !said(s.want(tidings.OutcomeUnchanged, true)) {
				t.Error("not said")
			}
		}
		s.serve(rss(fetchedItems(6, 5)))
		r := s.want(tidings.OutcomeChanged, true)
		if got := changesOf(r.Change); got != "+Story 4=Story 3=Story 2=Story 1=Story 0" || !said(r) {
			t.Errorf("got %q", got)
		}
		s.serve(text("application/rss+xml", rssOf(fetchedItems(6, 5))+"<!-- made again -->"))
		if said(s.want(tidings.OutcomeUnchanged, false)) {
			t.Error("still said when the identifiers held")
		}
	})
}
