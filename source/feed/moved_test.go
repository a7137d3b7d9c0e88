package feed

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seen is what a store knows after it was shown some documents.
func seen(t interface{ Fatalf(string, ...any) }, docs ...[]story) *memory {
	var mem memory
	for _, doc := range docs {
		mem.keep(Match(mem.known, storyDoc(t, doc...)))
	}
	return &mem
}

// dated is the n-th story of a feed whose addresses begin with base; its date is its own.
func dated(base string, n int) story {
	return story{
		guid: fmt.Sprintf("%s/posts/%d", base, n), link: fmt.Sprintf("%s/posts/%d.html", base, n),
		title: fmt.Sprint("Story ", n),
		date:  fmt.Sprintf("%02d May 2024 07:08:09 GMT", 1+n%28), text: fmt.Sprint("what story ", n, " says"),
	}
}

func feedOf(story func(base string, n int) story, base string, ns ...int) (doc []story) {
	for _, n := range ns {
		doc = append(doc, story(base, n))
	}
	return doc
}

func without(s story, change func(*story)) story { change(&s); return s }

// hostile 20: a permalink as guid is compared as links are.
func TestHostile20PermalinksAsGuids(t *testing.T) {
	guid := func(guid, title string) []story { return []story{{guid, "", title, "", "text"}} }
	for _, c := range []struct{ name, before, after, want string }{
		{"http becomes https", "http://a.example/1", "https://a.example/1", "c"},
		{"and back", "https://a.example/1", "http://a.example/1", "c"},
		{"tracking comes", "https://a.example/?p=1", "https://a.example/?p=1&utm_source=rss&utm_medium=feed", "c"},
		{"tracking goes", "https://a.example/1?utm_source=rss", "https://a.example/1", "c"},
		{"capital letters in the host", "https://a.example/1", "HTTPS://A.example/1", "c"},
		{"www and a slash", "https://a.example/1", "https://www.a.example/1/", "n"},
		{"another number", "https://a.example/?p=1", "https://a.example/?p=2", "n"},
		{"another letter", "https://a.example/x", "https://a.example/X", "n"},
		{"a number that others call a session", "https://a.example/article?sid=1", "https://a.example/article?sid=2",
			"n"},
		{"no address", "http:1", "https:1", "n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := seen(t, guid(c.before, "Title"))
			if got := say(Match(mem.known, storyDoc(t, guid(c.after, "Title, edited")...))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// hostile 20: what a document lists as several items is several.
func TestHostile20GuidsThatDifferInLittleInOneDocument(t *testing.T) {
	doc := func(a, b string) []story {
		return []story{{"https://a.example/latest", "", "Latest", "", a},
			{"http://a.example/latest", "", "Latest", "", b}, {"https://a.example/1", "", "One", "", "x"}}
	}
	mem := seen(t, doc("a", "b"))
	if len(mem.known) != 3 {
		t.Fatalf("%d items", len(mem.known))
	}
	if got := say(Match(mem.known, storyDoc(t, doc("a", "c")...))); got != "=c=" {
		t.Errorf("got %q", got)
	}
}

// hostile 20: a site that moves causes no news, except what is new in the document that shows the move.
func TestHostile20SitesThatMove(t *testing.T) {
	undated := func(base string, n int) story {
		return without(dated(base, n), func(s *story) { s.date = "" })
	}
	tag := func(base string, n int) story {
		return without(dated("https://a.example", n), func(s *story) {
			s.guid = fmt.Sprintf("tag:%s:/posts/%d", base, n)
			s.link = "https://" + base + s.link
		})
	}
	bare := func(base string, n int) story {
		return without(dated(base, n), func(s *story) { s.guid = strings.TrimPrefix(s.guid, "https://a.example/") })
	}
	twice := func(base string, n int) story { // two stories of one title and day
		return without(dated(base, n), func(s *story) { s.title = "Release"; s.date = "01 May 2024 00:00:00 GMT" })
	}
	for _, c := range []struct {
		name          string
		before, after []story
		want          string
	}{
		{"from localhost", feedOf(dated, "http://localhost:4000", 1, 2, 3), feedOf(dated, "https://a.example", 1, 2, 3),
			"qqq"},
		{"to another host", feedOf(dated, "https://a.example", 1, 2, 3), feedOf(dated, "https://b.example", 4, 1, 2, 3),
			"nqqq"},
		{"under a path", feedOf(dated, "https://a.example", 1, 2), feedOf(dated, "https://a.example/blog", 3, 1, 2),
			"nqq"},
		{"tag: of another authority", feedOf(tag, "a.example,2020", 1, 2), feedOf(tag, "b.example,2024", 1, 2), "qq"},
		{"from a bare address", feedOf(bare, "https://a.example", 1, 2), feedOf(dated, "https://b.example", 1, 2),
			"qq"},
		{"without dates", feedOf(undated, "https://a.example", 1, 2, 3),
			feedOf(undated, "https://b.example", 4, 1, 2, 3), "nqqq"},
		{"two without dates are too few", feedOf(undated, "https://a.example", 1, 2),
			feedOf(undated, "https://b.example", 1, 2), "nn"},
		{"titles and dates that are the same", feedOf(twice, "https://a.example", 1, 2, 3),
			feedOf(twice, "https://b.example", 4, 3, 2, 1), "nqqq"},
		{"and a text is edited", feedOf(dated, "https://a.example", 1, 2, 3),
			append(feedOf(dated, "https://b.example", 1, 2), without(dated("https://b.example", 3), func(s *story) {
				s.text = "other"
			})), "qqc"},
		{"and a title is edited, which is told", feedOf(dated, "https://a.example", 1, 2, 3),
			append(feedOf(dated, "https://b.example", 1, 2), without(dated("https://b.example", 3), func(s *story) {
				s.title = "Other"
			})), "qqn"},
		{"an item under the old title, but of another day", feedOf(dated, "https://a.example", 1, 2, 3),
			append(feedOf(dated, "https://b.example", 1, 2), without(dated("https://b.example", 9), func(s *story) {
				s.title = "Story 3"
			})), "qqn"},
		{"the same titles of the next week", feedOf(dated, "https://a.example/w1", 1, 2, 3), func() []story {
			next := feedOf(dated, "https://a.example/w2", 1, 2, 3)
			for i := range next {
				next[i].date = strings.Replace(next[i].date, "May", "June", 1)
			}
			return next
		}(), "nnn"},
		{"the same titles without dates, other texts", feedOf(undated, "https://a.example/w1", 1, 2, 3),
			func() []story {
				next := feedOf(undated, "https://a.example/w2", 1, 2, 3)
				for i := range next {
					next[i].text += " this week"
				}
				return next
			}(), "nnn"},
		{"the old ones are there still", feedOf(undated, "https://a.example", 1, 2, 3),
			append(feedOf(undated, "https://a.example", 1, 2, 3), feedOf(undated, "https://b.example", 1, 2, 3)...),
			"===nnn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := seen(t, c.before)
			after := storyDoc(t, c.after...)
			if got := say(Match(mem.known, after)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			part := storyDoc(t, c.after...)
			part.Partial = true
			if got := say(Match(mem.known, part)); strings.Contains(got, "q") {
				t.Errorf("of a part, which says nothing of what is gone: %q", got)
			}
		})
	}
}

// After a move, the new addresses are what items are known by: an edited item is a revision.
func TestAfterAMoveItemsAreKnownByTheirNewAddresses(t *testing.T) {
	mem := seen(t, feedOf(dated, "https://a.example", 1, 2, 3), feedOf(dated, "https://b.example", 1, 2, 3))
	edited := feedOf(dated, "https://b.example", 4, 1, 2, 3)
	edited[1].title, edited[1].text, edited[1].date = "Another title", "and text", "09 Jul 2025 00:00:00 GMT"
	found := Match(mem.known, storyDoc(t, edited...))
	if got := say(found); got != "nc==" || found[1].Row != 1 {
		t.Errorf("got %q, item %d", got, found[1].Row)
	}
}

// The hash of an address before its latest part is that of what stood there.
func TestHashesAreUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		want := printStart
		want.add(a)
		got := want
		got.add(b)
		got.undo(b)
		if got != want {
			t.Fatalf("%q, %q", a, b)
		}
	})
}

// Whatever a feed has been through, and wherever it moves, the move is not reported. All that is new in the same
// document is.
func TestMovesTellNothing(t *testing.T) {
	const shows = 3 // so many items that stay, at least, show the move
	bases := []string{"http://localhost:4000", "https://a.example", "https://b.example/blog",
		"https://a.example/~x/2024", "http://192.0.2.1:81"}
	rapid.Check(t, func(t *rapid.T) {
		var mem memory
		from, to := 0, 0
		at := rapid.SampledFrom(bases).Draw(t, "base")
		for range rapid.IntRange(1, 6).Draw(t, "states") {
			fresh := rapid.IntRange(0, 3).Draw(t, "new")
			if next := rapid.SampledFrom(bases).Draw(t, "next base"); to-from >= shows {
				at = next
			}
			from, to = max(from, min(to-shows, to+fresh-12)), to+fresh
			var doc []story
			for n := to - 1; n >= from; n-- {
				doc = append(doc, without(dated(at, n), func(s *story) {
					if n%5 == 0 {
						s.date = "" // recognised by its text
					}
				}))
			}
			found := Match(mem.known, storyDoc(t, doc...))
			if got := say(found); strings.Count(got, "n") != fresh || strings.Contains(got, "c") {
				t.Fatalf("at %s, %d new: got %q", at, fresh, got)
			}
			mem.keep(found)
		}
	})
}
