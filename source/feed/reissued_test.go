package feed

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reissuedAt is the n-th story as a feed gives it at its fetch-th fetch, with a guid and link of that fetch alone.
func reissuedAt(fetch, n int) story {
	return without(dated("https://a.example", n), func(s *story) {
		s.guid, s.link = fmt.Sprintf("%x-%x", fetch*7919, n*31+fetch),
			fmt.Sprintf("https://a.example/t/%x%x", n*17+fetch, fetch)
	})
}

func fetched(fetch int, change func(*story), ns ...int) (doc []story) {
	for _, n := range ns {
		doc = append(doc, without(reissuedAt(fetch, n), change))
	}
	return doc
}

// hostile 71: a feed whose guids and links change at each fetch reports nothing twice, and all that is new.
func TestHostile71NewIdentifiersAtEveryFetch(t *testing.T) {
	as := func(*story) {}
	undated := func(s *story) { s.date = "" }
	stamp := func(date string) func(*story) { return func(s *story) { s.date = date } }
	untitled := func(s *story) { s.title, s.date = "", "" }
	empty := func(s *story) { s.text, s.date = "", "" }
	for _, c := range []struct {
		name          string
		before, after []story
		want          string
	}{
		{"dated", fetched(1, as, 1, 2, 3), fetched(2, as, 4, 1, 2, 3), "nqqq"},
		{"dated, text edited", fetched(1, as, 1, 2, 3), append(
			fetched(2, as, 1, 2), fetched(2, func(s *story) { s.text = "other" }, 3)...), "qqc"},
		{"undated", fetched(1, undated, 1, 2, 3), fetched(2, undated, 4, 1, 2, 3, 5), "nqqqn"},
		{"undated, text edited, which is told", fetched(1, undated, 1, 2, 3, 4), append(
			fetched(2, undated, 1, 2, 3), fetched(2, func(s *story) { undated(s); s.text = "other" }, 4)...), "qqqn"},
		{"dated with the time of the fetch", fetched(1, stamp("01 May 2024 00:00:00 GMT"), 1, 2, 3),
			fetched(2, stamp("02 May 2024 00:00:00 GMT"), 4, 1, 2, 3), "nqqq"},
		{"without titles", fetched(1, untitled, 1, 2, 3), fetched(2, untitled, 4, 1, 2, 3), "nqqq"},
		{"one item, the same in everything", fetched(1, as, 1), fetched(2, as, 1), "q"},
		{"one item, of another date", fetched(1, as, 1), fetched(2, stamp("02 Jun 2024 00:00:00 GMT"), 1), "n"},
		{"one item, without a date", fetched(1, undated, 1), fetched(2, undated, 1), "n"},
		{"titles alone are too little", fetched(1, empty, 1, 2, 3), fetched(2, empty, 1, 2, 3), "nnn"},
		{"the same every day, each with its date", fetched(1, as, 1, 2, 3), fetched(2, func(s *story) {
			s.date = strings.Replace(s.date, "May", "June", 1)
		}, 1, 2, 3), "nnn"},
		{"the old ones are there still", fetched(1, undated, 1, 2, 3),
			append(fetched(1, undated, 1, 2, 3), fetched(2, undated, 1, 2, 3)...), "===nnn"},
		{"guids that hold, and items that say the same again", fetched(1, undated, 1, 2, 3, 4, 5, 6, 7),
			append(fetched(1, undated, 4, 5, 6, 7), fetched(2, undated, 1, 2, 3)...), "====nnn"},
		{"the same title twice", fetched(1, func(s *story) { s.title, s.date = "Passed", "" }, 1, 2, 3),
			fetched(2, func(s *story) { s.title, s.date = "Passed", "" }, 4, 5, 6), "nnn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := seen(t, c.before)
			if got := say(Match(mem.known, storyDoc(t, c.after...))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// hostile 71: items that were reported many times before this was recognised are recognised all the same.
func TestHostile71CopiesAreNotAnObstacle(t *testing.T) {
	mem := new(memory)
	for fetch := range 3 {
		mem.keep(Match(nil, storyDoc(t, fetched(fetch, func(s *story) { s.date = "" }, 1, 2, 3)...)))
	}
	if got := say(Match(mem.known, storyDoc(t, fetched(9, func(s *story) { s.date = "" }, 1, 2, 3)...))); got != "qqq" {
		t.Errorf("got %q", got)
	}
}

// hostile 71, over any history.
func TestHostile71NothingIsToldTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		isDated := rapid.Bool().Draw(t, "dated")
		mem, from, to := new(memory), 0, 0
		for fetch := range rapid.IntRange(1, 8).Draw(t, "fetches") {
			fresh := rapid.IntRange(0, 4).Draw(t, "new")
			if fetch == 0 {
				fresh += leastReissued
			}
			to += fresh
			from = max(from, to-fresh-8)
			var doc []story
			for n := to - 1; n >= from; n-- {
				doc = append(doc, without(reissuedAt(fetch, n), func(s *story) {
					if !isDated {
						s.date = ""
					}
				}))
			}
			found := Match(mem.known, storyDoc(t, doc...))
			if got := say(found); strings.Count(got, "n") != fresh || strings.Contains(got, "c") {
				t.Fatalf("fetch %d, %d new: got %q", fetch, fresh, got)
			}
			mem.keep(found)
		}
	})
}
