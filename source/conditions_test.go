package source

import (
	"errors"
	"testing"

	"tidings"
)

// Each change is compared with the state before it, whether or not that was news: what goes and comes again is news
// each time.
func TestChangesThatMeetNoConditionAreQuiet(t *testing.T) {
	onStage(t, func(s *scene) {
		s.watch.Options, s.watch.Kind = tidings.PageOptions{Select: []string{"p"},
			NotifyIf: []string{"appears in stock", "below 20 of Price"}}, tidings.KindPage
		tell := func(body string, quiet bool) {
			t.Helper()
			s.serve(html(body))
			if f := s.want(tidings.OutcomeChanged, true).Change; f.Quiet != quiet {
				t.Errorf("after %q: quiet %v", body, f.Quiet)
			}
		}
		tell("<p>Sold out<p>Price 25", false) // the first version is what there is
		tell("<p>Sold out<p>Price 22", true)
		tell("<p>Sold out<p>Price 19", false)
		tell("<p>Sold out<p>Price 18", true)
		tell("<p>In stock<p>Price 18", false)
		tell("<p>Sold out<p>Price 21", true)
		tell("<p>In stock<p>Price 21", false)
	})
}

func TestConditionsAreChecked(t *testing.T) {
	for _, o := range []tidings.PageOptions{{NotifyIf: []string{"rises"}},
		{NotifyIf: []string{"below 3"}, Entries: true}} {
		if err := ValidateOptions(o); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
