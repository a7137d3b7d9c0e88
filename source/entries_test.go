package source

import (
	"fmt"
	"strings"
	"testing"

	"tidings"
)

// marked is a page that marks up entries of some numbers.
func marked(numbers ...int) string {
	var b strings.Builder
	b.WriteString(`<title>Notes</title><main class="h-feed"><h1 class="p-name">Notes</h1>`)
	for _, n := range numbers {
		fmt.Fprintf(&b, `<article class="h-entry"><a class="u-url p-name" href="/%d">Note %d</a><p class="e-content">The text of note %d, <a href="x">with a link</a>.</article>`, n, n, n)
	}
	return b.String() + "</main><footer>Made by hand</footer>"
}

// The entries of a page are its items from poll to poll, whatever else the page says.
func TestAPageOfEntriesIsAFeed(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(html(marked(2, 1)))
		first, err := s.poller.Preview(s.t.Context(), tidings.SubscribeRequest{URL: address}, tidings.Access{})
		if err != nil {
			t.Fatal(err)
		}
		if w := first.Watched; w.Kind != tidings.KindFeed || !w.Options.Entries ||
			first.Preview.Items[0].URL != "https://origin.example/2" {
			t.Fatalf("it is watched as a %s with %+v: %+v", w.Kind, w.Options, first.Preview.Items)
		}
		s.watch.Job = first.Watched
		s.settle(first.Result)
		s.serve(html("<p>A word from our sponsors" + marked(2, 1)))
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(html(marked(3, 2, 1)))
		if got := changesOf(s.want(tidings.OutcomeChanged, true).Change); got != "+Note 3=Note 2=Note 1" {
			t.Errorf("got %q", got)
		}
	})
}

// What stands in the place of such a page is no feed without items: its items stay.
func TestAPageOfEntriesThatTurnsIntoALoginPage(t *testing.T) {
	onStage(t, func(s *scene) {
		s.watch.Options, s.watch.Kind = tidings.PageOptions{Entries: true}, tidings.KindFeed
		s.serve(html(marked(2, 1)))
		s.want(tidings.OutcomeChanged, true)
		s.serve(html("<h1>Please log in</h1><form><input type=password></form>"))
		if r := s.want(tidings.OutcomeUnreadable, false); !strings.Contains(r.Poll.Error, "h-entry") {
			t.Errorf("the poll says %q", r.Poll.Error)
		}
		s.serve(text("application/json",
			`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"9","title":"Nine","content_text":"x"}]}`))
		s.want(tidings.OutcomeUnreadable, false)
		s.serve(html(marked(2, 1)))
		s.want(tidings.OutcomeUnchanged, false)
	})
}

// A feed does not become the entries of a page that answers in its place.
func TestAFeedIsNoPageOfEntries(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(rss(item(1, "one")))
		s.want(tidings.OutcomeChanged, true)
		s.watch.Kind = tidings.KindFeed
		s.serve(html(marked(2, 1)))
		s.want(tidings.OutcomeUnreadable, false)
	})
}
