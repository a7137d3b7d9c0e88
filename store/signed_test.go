package store

import (
	"testing"
	"time"

	"tidings"
)

// pushSigned stores what a publisher has signed of an item: text is that of the feed, full that of the push.
func pushSigned(t *testing.T, s *Store, number uint64, id, text, full string) Applied {
	t.Helper()
	all := pushes(t, s, number, story{id, text})
	f := all[0].Change
	f.FoundBy, f.SignedBy = "", "ab"
	item := &f.Items[0]
	item.Content, item.Raw = "<p>"+full+"</p>", "<p>"+text+"</p>"
	item.Signed = item.Change == ""
	taken, err := pushAll(t.Context(), s, all...)
	if err != nil {
		t.Fatal(err)
	}
	return taken[0]
}

// What a poll has found before its publisher's push comes becomes what the publisher has signed, whichever comes first.
func TestAPushAfterAPollBringsAllOfAnItem(t *testing.T) {
	t.Parallel()
	const full = "short and much more"
	for name, c := range map[string]struct {
		// p: a poll finds the item short, a: with another item beside it, f: its push comes in full, s: as short as the
		// feed has it
		steps string
		told  string // of each step: n: new, c: changed, -: nothing
		text  string
	}{
		"the push first":             {"fp", "n-", full},
		"the check first":            {"pf", "nc", full},
		"the check first, and again": {"pfp", "nc-", full},
		"with another beside it":     {"af", "nc", full},
		"pushed twice":               {"pff", "nc-", full},
		"with nothing more":          {"ps", "n-", "short"},
		"beside another":             {"as", "n-", "short"},
		"in short at last":           {"pfs", "ncc", "short"},
		"and in short again":         {"pss", "n--", "short"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			pinned(t, s)
			publish(t, s, pinnedURL, story{"old", "x"})
			told, number := "", uint64(5)
			tell := func(u *tidings.Update) {
				if u == nil {
					told += "-"
					return
				}
				told += string(u.Items[len(u.Items)-1].Change)[:1]
			}
			for _, step := range c.steps {
				switch step {
				case 'p':
					tell(publish(t, s, pinnedURL, story{"one", "short"}, story{"old", "x"}))
				case 'a':
					tell(publish(t, s, pinnedURL, story{"two", "y"}, story{"one", "short"}, story{"old", "x"}))
				case 'f', 's':
					text := full
					if step == 's' {
						text = "short"
					}
					taken := pushSigned(t, s, number, "one", "short", text)
					if first := number == 5 && c.steps[0] != 'f'; taken.Late != first && taken.Update != nil {
						t.Errorf("push %d is late: %v", number, taken.Late)
					}
					if taken.Update != nil && taken.Update.SignedBy != "ab" {
						t.Errorf("an update signed by %q", taken.Update.SignedBy)
					}
					tell(taken.Update)
					number++
				}
			}
			if told != c.told {
				t.Errorf("%q was told, want %q", told, c.told)
			}
			var latest tidings.Entry
			for _, e := range river(t, s, tidings.EntryQuery{}) {
				if e.Content.ID == "one" && e.ID > latest.ID {
					latest = e
				}
			}
			if latest.Content.Content != "<p>"+c.text+"</p>" || latest.SignedBy != "ab" || latest.FoundBy != "" {
				t.Errorf("the item is %+v", latest)
			}
			for _, e := range river(t, s, tidings.EntryQuery{}) {
				if e.Content.ID == "two" && (e.FoundBy != "n1" || e.SignedBy != "") {
					t.Errorf("the item beside it is %+v", e)
				}
			}
			if got := titles(
				river(t, s, tidings.EntryQuery{Search: "more",
					Unread: true})); got != map[bool]string{true: "one"}[c.text == full] {
				t.Errorf("searched by what it has more, it found %q", got)
			}
		})
	}
}

// What was in the feed before it was trusted to a publisher gets what that one has signed without a word to readers.
func TestWhatWasThereIsFilledInSilently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	p := pinned(t, s)
	u := publish(t, s, pinnedURL, story{"two", "y"}, story{"one", "short"})
	p.Pinned = u.Received.Add(time.Second)
	if err := s.Pushed.SetPin(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := titles(river(t, s, tidings.EntryQuery{Search: "short"})); got != "one" { // the search index knows it
		t.Fatalf("found %q", got)
	}
	if taken := pushSigned(t, s, 5, "one", "short", "short and much more"); taken.Update != nil || !taken.Late {
		t.Errorf("%+v", taken)
	}
	all := river(t, s, tidings.EntryQuery{})
	if titles(all) != "two one" || all[1].Content.Content != "<p>short and much more</p>" || all[1].SignedBy != "ab" ||
		all[0].SignedBy != "" {
		t.Errorf("%+v", all)
	}
	if got := titles(river(t, s, tidings.EntryQuery{Search: "much"})); got != "one" {
		t.Errorf("searched by what it has more, it found %q", got)
	}
	if raw, err := s.rawText(t.Context(), tidings.Owner, all[1].ID); err != nil || raw != "<p>short</p>" {
		t.Errorf("raw: %q, %v", raw, err)
	}
}
