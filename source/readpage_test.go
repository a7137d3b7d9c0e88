package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/delta"
	"tidings/source/fetch"
	"tidings/source/page"
)

// shop is a page whose prices are its news; token differs where a test lets it.
func shop(tea, token string) answer {
	return html("<h1>Shop</h1><p>All that one needs for a good cup, from near and far.<p>Tea " + tea +
		"<p>Coffee 3.00<p>Cocoa 2.80<p>Open all day, every day but Sunday<p class=visit>Your visit " + token)
}

// counting answers each request with another token.
func counting(document func(token string) answer) answer {
	n := 0
	return func(r fetch.Request) (*fetch.Response, error) {
		n++
		return document(fmt.Sprintf("%c%d", 'a'+n%26, n*7919))(r)
	}
}

func TestAPageIsReadOnceAndThenCompared(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(shop("2.50", "x"))
		f := s.want(tidings.OutcomeChanged, true).Change
		if f.Kind != tidings.KindPage || f.BaseHash != "" || f.Hash != delta.Hash(f.Lines) || len(f.Raw) == 0 ||
			f.RawType == "" {
			t.Errorf("first check: %+v", f)
		}
		s.serve(text("text/html", "<!-- made at noon -->"+bodyOf(t, shop("2.50", "x"))))
		s.want(tidings.OutcomeUnchanged, false)
		before := f
		s.serve(shop("2.60", "x"))
		f = s.want(tidings.OutcomeChanged, true).Change
		lines, err := delta.ApplyTo(before.Lines, f.BaseHash, f.Delta, f.Hash, delta.DefaultLimits())
		if err != nil || f.BaseHash != before.Hash || strings.Join(lines, "\n") != strings.Join(f.Lines, "\n") {
			t.Errorf("the delta does not lead from version 1 to 2: %v\n%s", err, f.Delta)
		}
	})
}

// A new title alone renames the channel, and is no version. A page without a title is named by its heading.
func TestAPagesNameFollowsItsTitle(t *testing.T) {
	onStage(t, func(s *scene) {
		titled := func(title string) answer {
			return text("text/html", title+`<link rel="icon" href="/own.png">`+bodyOf(t, shop("2.50", "x")))
		}
		s.serve(titled("<title>Old</title>"))
		first := s.want(tidings.OutcomeChanged, true).Change
		if first.Title != "Old" || !strings.HasSuffix(first.Icon, "/own.png") {
			t.Errorf("title %q, icon %q", first.Title, first.Icon)
		}
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(titled("<title>New</title>"))
		f := s.want(tidings.OutcomeUnchanged, true).Change
		if f.Title != "New" || f.Hash != first.Hash || f.BaseHash != first.Hash || f.Delta != "" {
			t.Errorf("the new name: %+v", f)
		}
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(titled("<title> </title>"))
		if f := s.want(tidings.OutcomeUnchanged, true).Change; f.Title != "Shop" {
			t.Errorf("without a title the page is %q, not what its heading says", f.Title)
		}
	})
}

func bodyOf(t *testing.T, a answer) string {
	t.Helper()
	res, err := a(fetch.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return string(res.Body)
}

// A page is asked twice about a change until it has shown that it holds still.
func TestAPageThatHoldsStillIsTrusted(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(shop("1.00", "x"))
		s.want(tidings.OutcomeChanged, true)
		for i := 1; i <= 6; i++ {
			before := len(s.requests())
			s.serve(shop(fmt.Sprint(i, ".50"), "x"))
			s.want(tidings.OutcomeChanged, true)
			s.want(tidings.OutcomeUnchanged, false)
			want := 2 // the second one changed nothing
			if i <= steadyEnough {
				want = 3
			}
			if n := len(s.requests()) - before; n != want {
				t.Errorf("change %d: %d requests for two checks, want %d", i, n, want)
			}
		}
	})
}

// hostile 13: what differs from fetch to fetch is learned at the first change, never reported, and hides no other
// change.
func TestHostile13WhatDiffersFromFetchToFetchIsLearned(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(counting(func(token string) answer { return shop("2.50", token) }))
		s.want(tidings.OutcomeChanged, true)
		r := s.want(tidings.OutcomeUnchanged, false)
		if noise, err := page.DecodeNoise(string(r.Noise)); err != nil || noise.Len() == 0 {
			t.Fatalf("nothing was learned: %q, %v", r.Noise, err)
		}
		before := len(s.requests())
		for range 10 {
			s.want(tidings.OutcomeUnchanged, false)
		}
		if n := len(s.requests()) - before; n != 10 {
			t.Errorf("%d requests for 10 checks of what is learned", n)
		}
		s.serve(counting(func(token string) answer { return shop("2.60", token) }))
		f := s.want(tidings.OutcomeChanged, true).Change
		if !strings.Contains(strings.Join(f.Lines, "\n"), "Tea 2.60") ||
			strings.Contains(strings.Join(f.Lines, "\n"), "visit a") {
			t.Errorf("the change among the noise: %q", f.Lines)
		}
		s.want(tidings.OutcomeUnchanged, false)
	})
}

// hostile 13: what cannot be learned is reported at most once a poll, and the page is called noisy in the end.
func TestHostile13WhatCannotBeLearnedIsToldOnceAPoll(t *testing.T) {
	onStage(t, func(s *scene) {
		s.poller.Plan.NoisyAfter = 5
		s.serve(counting(func(token string) answer {
			var b strings.Builder
			for i := range 40 {
				sum := sha256.Sum256(fmt.Append(nil, token, i))
				fmt.Fprintf(&b, "<p>%x %x", sum[:4], sum[4:8])
			}
			return html(b.String())
		}))
		s.want(tidings.OutcomeChanged, true)
		for i := range 5 {
			before := len(s.requests())
			r := s.want(tidings.OutcomeChanged, true)
			if n := len(s.requests()) - before; n > 1+maxAgain {
				t.Errorf("check %d: %d requests", i, n)
			}
			if next := r.Poll.Next.Sub(r.Poll.At); next < s.poller.Plan.Interval/2 {
				t.Errorf("check %d: the next is after %s", i, next)
			}
		}
		if r := s.poll(); r.Health != tidings.HealthNoisy {
			t.Errorf("it is called %s", r.Health)
		}
	})
}

// A page that was trusted and turns restless is doubted again.
func TestATrustedPageThatTurnsRestlessIsDoubted(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(shop("1.00", "x"))
		s.want(tidings.OutcomeChanged, true)
		for i := range steadyEnough {
			s.serve(shop(fmt.Sprint(i, ".50"), "x"))
			s.want(tidings.OutcomeChanged, true)
			s.want(tidings.OutcomeUnchanged, false)
		}
		s.serve(counting(func(token string) answer { return shop("2.50", token) }))
		told := 0
		for range 20 {
			if s.poll().Poll.Outcome == tidings.OutcomeChanged {
				told++
			}
		}
		if told > restless {
			t.Errorf("%d updates of nothing but noise, want %d at most", told, restless)
		}
	})
}

// hostile 14: two alternating versions of a page are reported at most once each. When one of them wins, it is the one
// that remains.
func TestHostile14APageServedInTwoVersionsByTurns(t *testing.T) {
	a, b := shop("2.50", "x"), shop("2.60", "x")
	turns := func() answer {
		n := 0
		return func(r fetch.Request) (*fetch.Response, error) {
			n++
			if n%2 == 1 {
				return a(r)
			}
			return b(r)
		}
	}
	for name, winner := range map[string]answer{"the one": a, "the other": b} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *scene) {
				s.serve(turns())
				told := 0
				for range 12 {
					if s.poll().Poll.Outcome == tidings.OutcomeChanged {
						told++
					}
				}
				if told > 2 {
					t.Errorf("%d updates of two versions", told)
				}
				s.serve(winner)
				for range 3 {
					s.poll()
				}
				want := "Tea 2.50"
				if name == "the other" {
					want = "Tea 2.60"
				}
				if got := strings.Join(s.shelf.lines, "\n"); !strings.Contains(got, want) && len(s.watch.Noise) == 0 {
					t.Errorf("want %s in\n%s", want, got)
				}
			})
		})
	}
}

// If one of an origin's servers does not have a change yet, it is reported as soon as all have it. That its validators
// and bytes were seen before does not matter.
func TestAChangeThatALaggingServerHidesIsToldLater(t *testing.T) {
	onStage(t, func(s *scene) {
		older, newer := tagged(`"old"`, shop("2.50", "x")), tagged(`"new"`, shop("2.60", "x"))
		s.serve(older)
		s.want(tidings.OutcomeChanged, true)
		s.serve(newer, older)
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(newer)
		if f := s.want(tidings.OutcomeChanged, true).Change; !strings.Contains(f.Delta, "Tea 2.60") {
			t.Errorf("delta %q", f.Delta)
		}
	})
}

func TestContentThatComesBackIsPolledTwice(t *testing.T) {
	onStage(t, func(s *scene) {
		for _, price := range []string{"1.00", "2.00", "3.00"} { // until it is trusted
			s.serve(shop(price, "x"))
			s.want(tidings.OutcomeChanged, true)
			s.want(tidings.OutcomeUnchanged, false)
		}
		before := len(s.requests())
		s.serve(shop("4.00", "x"))
		s.want(tidings.OutcomeChanged, true)
		if n := len(s.requests()) - before; n != 1 {
			t.Fatalf("%d requests for a change of a trusted page", n)
		}
		before = len(s.requests())
		s.serve(shop("2.00", "x"))
		s.want(tidings.OutcomeChanged, true) // it is really back
		if n := len(s.requests()) - before; n != 2 {
			t.Errorf("%d requests for content that came back", n)
		}
		s.serve(shop("3.00", "x"), shop("2.00", "x"))
		s.want(tidings.OutcomeUnchanged, false) // only one of its servers has it
	})
}

// hostile 8: a login or error page in place of a page is no news. After maxSuspect polls it is the page.
func TestHostile8APageThatTurnsIntoALoginPage(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(shop("2.50", "x"))
		s.want(tidings.OutcomeChanged, true)
		login := html("<h1>Please log in</h1><form><input type=password></form>")
		for range maxSuspect {
			s.serve(login)
			if r := s.want(tidings.OutcomeUnreadable, false); !strings.Contains(r.Poll.Error, "a login page") {
				t.Errorf("the reason is %q", r.Poll.Error)
			}
		}
		s.serve(shop("2.50", "x"))
		s.want(tidings.OutcomeUnchanged, false)
		s.serve(login)
		for range maxSuspect {
			s.want(tidings.OutcomeUnreadable, false)
		}
		s.want(tidings.OutcomeChanged, true)
	})
}

func TestAPageWhoseOptionsFindNothingIsUnreadable(t *testing.T) {
	onStage(t, func(s *scene) {
		s.watch.Options.Select = []string{"#news"}
		s.serve(html("<div id=news>Bridge opens</div><p>Weather: rain"))
		if f := s.want(tidings.OutcomeChanged, true).Change; strings.Join(f.Lines, "|") != "Bridge opens" {
			t.Errorf("%q", f.Lines)
		}
		s.serve(html("<p>Weather: sun"))
		if r := s.want(tidings.OutcomeUnreadable, false); !strings.Contains(r.Poll.Error, "--select") {
			t.Errorf("the reason is %q", r.Poll.Error)
		}
	})
}

// With other options the same document is read again, and compared at once.
func TestForgetHasADocumentReadAgain(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(tagged(`"1"`, html("<div id=news>Bridge opens</div><p>Weather: rain")))
		s.want(tidings.OutcomeChanged, true)
		s.watch.Options.Select = []string{"#news"}
		s.want(tidings.OutcomeNotModified, false)
		s.watch.Memory = Forget(s.watch.Memory, s.watch.ID())
		before := len(s.requests())
		if f := s.want(tidings.OutcomeChanged, true).Change; strings.Join(f.Lines, "|") != "Bridge opens" {
			t.Errorf("%q", f.Lines)
		}
		if n := len(s.requests()) - before; n != 1 {
			t.Errorf("%d requests", n)
		}
		s.want(tidings.OutcomeNotModified, false)
	})
}

// A poll that the program's end interrupts while it confirms a change reports nothing.
func TestAPollThatIsBrokenOffTellsNothing(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(shop("2.50", "x"))
		s.want(tidings.OutcomeChanged, true)
		s.serve(shop("2.60", "x"))
		ctx, cancel := context.WithCancel(s.t.Context())
		time.AfterFunc(time.Second, cancel) // within Poller.Again
		if r := s.poller.Poll(ctx, s.watch.Job, "by plan"); !errors.Is(r.Err, context.Canceled) || r.Change != nil {
			t.Errorf("error %v, change %v", r.Err, r.Change)
		}
		// One that has no time left reports what it has.
		ctx, cancel = context.WithTimeout(s.t.Context(), time.Second)
		defer cancel()
		if r := s.poller.Poll(ctx, s.watch.Job, "by plan"); r.Err != nil || r.Poll.Outcome != tidings.OutcomeChanged {
			t.Errorf("error %v, outcome %q", r.Err, r.Poll.Outcome)
		}
	})
}
