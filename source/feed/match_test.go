package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
)

// story is an item of a test document.
type story struct{ guid, link, title, date, text string }

func (s story) xml() string {
	var b strings.Builder
	b.WriteString("<item>")
	for _, f := range [][2]string{{"guid", s.guid}, {"link", s.link}, {"title", s.title}, {"pubDate", s.date},
		{"description", s.text}} {
		if f[1] != "" {
			fmt.Fprintf(&b, "<%s>%s</%s>", f[0], escape(f[1]), f[0])
		}
	}
	return b.String() + "</item>"
}

func storyDoc(t interface{ Fatalf(string, ...any) }, stories ...story) *Document {
	var b strings.Builder
	for _, s := range stories {
		b.WriteString(s.xml())
	}
	d, err := Parse([]byte(rssDoc(b.String())), "", testBase, Default())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return d
}

// say writes what was found: n new, c changed, q quiet, = nothing.
func say(found []tidings.FoundItem) string {
	var b strings.Builder
	for _, f := range found {
		switch {
		case f.Change == tidings.New:
			b.WriteByte('n')
		case f.Change == tidings.Changed:
			b.WriteByte('c')
		case f.Quiet:
			b.WriteByte('q')
		default:
			b.WriteByte('=')
		}
	}
	return b.String()
}

// hostile 20: identity holds through everything that publishers do to items.
func TestHostile20Identity(t *testing.T) {
	const d1, d2 = "Mon, 06 May 2024 07:08:09 GMT", "Tue, 07 May 2024 07:08:09 GMT"
	a := story{"g1", "https://a.example/1", "One", d1, "text one"}
	b := story{"g2", "https://a.example/2", "Two", d1, "text two"}
	noGuid := func(s story) story { s.guid = ""; return s }
	with := func(s story, change func(*story)) story { change(&s); return s }
	for _, c := range []struct {
		name          string
		before, after []story
		want          string
	}{
		{"nothing changed", []story{a, b}, []story{a, b}, "=="},
		{"another order", []story{a, b}, []story{b, a}, "=="},
		{"a new one above", []story{a}, []story{b, a}, "n="},
		{"ascending order", []story{a}, []story{a, b}, "=n"},
		{"one left", []story{a, b}, []story{b}, "="},
		{"another link", []story{a}, []story{with(a, func(s *story) { s.link = "https://b.example/x" })}, "q"},
		{"another title", []story{a}, []story{with(a, func(s *story) { s.title = "One, corrected" })}, "c"},
		{"another text", []story{a}, []story{with(a, func(s *story) { s.text = "text one, corrected" })}, "c"},
		{"the text went", []story{a}, []story{with(a, func(s *story) { s.text = "" })}, "c"},
		{"another date", []story{a}, []story{with(a, func(s *story) { s.date = d2 })}, "q"},
		{"markup only", []story{a}, []story{with(a, func(s *story) { s.text = "<p>text <b>one</b></p>" })}, "="},
		{"everything but the guid", []story{a}, []story{{"g1", "https://x.example/", "Other", d2, "other"}}, "c"},
		{"guid rewritten", []story{a, b}, []story{with(a, func(s *story) { s.guid = "g1-new" }), b}, "q="},
		{"guid rewritten, date too", []story{a}, []story{with(a, func(s *story) { s.guid = "g9"; s.date = d2 })}, "q"},
		{"guid rewritten, text corrected", []story{a}, []story{with(a, func(s *story) { s.guid = "g9"; s.text = "x" })},
			"c"},
		{"guid new while the old one is there", []story{a}, []story{a, with(a, func(s *story) {
			s.guid = "g9"
			s.text = "x"
		})}, "=n"},
		{"guid, date and text new under the same link and title", []story{a}, []story{with(a, func(s *story) {
			s.guid = "g9"
			s.date = d2
			s.text = "x"
		})}, "n"},
		{"guid appears", []story{noGuid(a)}, []story{a}, "q"},
		{"guid disappears", []story{a}, []story{noGuid(a)}, "q"},
		{"http becomes https, tracking", []story{noGuid(a)}, []story{with(noGuid(a), func(s *story) {
			s.link = "http://www.a.example/1?utm_source=rss"
		})}, "="},
		{"no guid, another title", []story{noGuid(a), noGuid(b)}, []story{with(noGuid(a), func(s *story) {
			s.title = "Uno"
		}), noGuid(b)}, "c="},
		{"no guid, another link", []story{noGuid(a)}, []story{with(noGuid(a), func(s *story) {
			s.link = "https://a.example/1?token=9"
		})}, "q"},
		{"no guid, link and date changed, title and text not", []story{noGuid(a)}, []story{with(
			noGuid(a), func(s *story) { s.link = "/x"; s.date = d2 })}, "q"},
		{"no guid, only the title is the same", []story{noGuid(a)},
			[]story{{"", "https://a.example/9", "One", d2, "another"}}, "n"},
		{"no guid, one link for all", []story{{"", "/", "A", d1, "a"}, {"", "/", "B", d1, "b"}},
			[]story{{"", "/", "C", d2, "c"}, {"", "/", "A", d1, "a"}, {"", "/", "B", d1, "b"}}, "n=="},
		{"one guid for all", []story{{"g", "/1", "A", d1, "a"}, {"g", "/2", "B", d1, "b"}},
			[]story{{"g", "/3", "C", d1, "c"}, {"g", "/1", "A", d1, "a"}, {"g", "/2", "B", d1, "b2"}}, "n=c"},
		{"one guid for all, and one left", []story{{"g", "/1", "A", d1, "a"}, {"g", "/2", "B", d1, "b"}},
			[]story{{"g", "/3", "C", d1, "c"}}, "n"},
		{"twice the same", nil, []story{a, a}, "n"},
		{"twice the same, later", []story{a}, []story{a, b, a}, "=n"},
		{"titles only", []story{{"", "", "A", d1, ""}}, []story{{"", "", "A", d1, ""}, {"", "", "A", d2, ""}}, "=n"},
		{"texts only", []story{{"", "", "", "", "a"}}, []story{{"", "", "", "", "b"}, {"", "", "", "", "a"}}, "n="},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mem memory
			mem.keep(Match(mem.known, storyDoc(t, c.before...)))
			if got := say(Match(mem.known, storyDoc(t, c.after...))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// hostile 83: two elements of one document are two items unless everything about them is equal. If documents show that
// dates distinguish items, another date is another item, in later documents as well.
func TestHostile83DatesTellItemsApart(t *testing.T) {
	date := func(n int) string {
		if n == 0 {
			return ""
		}
		return time.Date(2026, 11, 2, 4, 10+n, 0, 0, time.UTC).Format(time.RFC1123)
	}
	type look struct {
		items []story
		want  string
	}
	for name, make := range map[string]func(n int) story{
		"nothing but the date": func(n int) story {
			return story{"", "/alarms", "Level alarm", date(n), "Level above 3 m."}
		},
		"no link":       func(n int) story { return story{"", "", "Level alarm", date(n), "Level above 3 m."} },
		"no text":       func(n int) story { return story{"", "/alarms", "Level alarm", date(n), ""} },
		"a title alone": func(n int) story { return story{"", "", "Level alarm", date(n), ""} },
		"a text alone":  func(n int) story { return story{"", "", "", date(n), "Level above 3 m."} },
		"a link alone":  func(n int) story { return story{"", "/alarms", "", date(n), "Level above 3 m."} },
		"other links": func(n int) story {
			return story{"", fmt.Sprint("/", n), "Level alarm", date(n), "Level above 3 m."}
		},
		"other texts": func(n int) story {
			return story{"", "/alarms", "Level alarm", date(n), fmt.Sprint("Level ", n, " m")}
		},
		"one guid": func(n int) story {
			return story{"g", "/alarms", "Level alarm", date(n), "Level above 3 m."}
		},
		"one guid, other texts": func(n int) story {
			return story{"g", "/alarms", "Level alarm", date(n), fmt.Sprint("Level ", n, " m")}
		},
		"one guid, texts alone": func(n int) story {
			return story{"g", "", "", date(n), fmt.Sprint("Level ", n, " m")}
		},
		"other guids": func(n int) story {
			return story{fmt.Sprint("g", n), "/alarms", "Level alarm", date(n), "Level above 3 m."}
		},
		"other guids, links and texts": func(n int) story {
			return story{fmt.Sprint("g", n), fmt.Sprint("/", n), "Level alarm", date(n), fmt.Sprint("Level ", n, " m")}
		},
	} {
		edited, change := make(5), "c="
		if edited.text += " Corrected."; edited.guid+edited.link+edited.title == "" {
			change = "n=" // nothing is left of it
		}
		for _, looks := range [][]look{
			{ // they move down and drop out, and come back
				{[]story{make(2), make(1)}, "nn"}, {[]story{make(2), make(1)}, "=="},
				{[]story{make(3), make(2), make(1)}, "n=="},
				{[]story{make(4), make(3)}, "n="}, {[]story{make(4), make(3)}, "=="},
				{[]story{make(6), make(5), make(4)}, "nn="},
				{[]story{edited, make(4)}, change}, {[]story{make(8), make(7)}, "nn"}, {[]story{make(9)}, "n"},
				{[]story{make(1), make(9)}, "=="},
			},
			{ // upwards, and what stands there twice
				{[]story{make(1)}, "n"}, {[]story{make(1), make(2), make(1)}, "=n"},
				{[]story{make(2), make(3), make(3)}, "=n"},
			},
		} {
			var mem memory
			for i, l := range looks {
				found := Match(mem.known, storyDoc(t, l.items...))
				if got := say(found); got != l.want {
					t.Errorf("%s: document %d: got %q, want %q", name, i+1, got, l.want)
				}
				mem.keep(found)
			}
		}
	}
}

// hostile 83: as long as no document shows that dates distinguish items, an item stays itself if only its date is
// edited.
func TestHostile83DatesThatAreEdited(t *testing.T) {
	const d1, d2, d3 = "2026-11-01", "2026-11-02", "2026-11-03"
	a := func(date string) story { return story{"", "/", "All systems operational", date, "No incidents."} }
	b := func(date string) story { return story{"", "/b", "Other", date, "Text."} }
	for _, looks := range [][][]story{
		{{a(d1)}, {a(d2)}, {a(d3)}},
		{{a(d1), b(d1)}, {a(d2), b(d2)}, {a(d3), b(d3)}},
		{{a("")}, {a(d1)}, {a("")}},
		{{b(d1), a("")}, {b(d1), a(d2)}},
	} {
		var mem memory
		for i, stories := range looks {
			found := Match(mem.known, storyDoc(t, stories...))
			if got := say(found); i > 0 && strings.Trim(got, "=q") != "" {
				t.Errorf("%v: %q", stories, got)
			}
			mem.keep(found)
		}
	}
}

// hostile 20: entries of Atom with one id are versions of one, unless they were published at different times.
func TestHostile20VersionsOfAnEntry(t *testing.T) {
	entry := func(published, updated, text string) string {
		return `<entry><id>1</id><title>t</title>` + published + `<updated>` + updated + `</updated><summary>` + text +
			`</summary></entry>`
	}
	const at1, at2 = `<published>2026-01-01T00:00:00Z</published>`, `<published>2026-01-02T00:00:00Z</published>`
	for _, c := range []struct {
		doc   string
		want  int
		notes int
	}{
		{entry("", "2026-01-03T00:00:00Z", "a") + entry("", "2026-01-04T00:00:00Z", "b"), 1, 1},
		{entry(at1, "2026-01-03T00:00:00Z", "a") + entry(at1, "2026-01-04T00:00:00Z", "b"), 1, 1},
		{entry(at1, "2026-01-03T00:00:00Z", "a") + entry(at1, "2026-01-03T00:00:00Z", "a"), 1, 0},
		{entry(at1, "2026-01-03T00:00:00Z", "a") + entry(at2, "2026-01-04T00:00:00Z", "b"), 2, 0},
		{entry(at1, "2026-01-03T00:00:00Z", "a") + entry(at2, "2026-01-04T00:00:00Z", "a"), 2, 0},
	} {
		d := mustParse(t, atomDoc(c.doc))
		if found := Match(nil, d); len(found) != c.want || len(d.Notes) != c.notes ||
			found[len(found)-1].Summary == "a" && c.notes > 0 {
			t.Errorf("%s: %d items, %q", c.doc, len(found), d.Notes)
		}
	}
}

func TestItemsThatComeBackAreNotNew(t *testing.T) {
	a, b := story{"g1", "/1", "One", "", "x"}, story{"g2", "/2", "Two", "", "y"}
	var mem memory
	for _, step := range []struct {
		doc  []story
		want string
	}{{[]story{a, b}, "nn"}, {[]story{b}, "="}, {nil, ""}, {[]story{a}, "="}, {[]story{b, a}, "=="}} {
		found := Match(mem.known, storyDoc(t, step.doc...))
		if got := say(found); got != step.want {
			t.Fatalf("%v gives %q, want %q", step.doc, got, step.want)
		}
		mem.keep(found)
	}
}

func TestOfTwoTheOneUpdatedLastStays(t *testing.T) {
	d := mustParse(t,
		atomDoc(`<entry><id>1</id><title>t</title><updated>2024-01-01T00:00:00Z</updated><summary>old</summary></entry>
		<entry><id>2</id><title>u</title></entry>
		<entry><id>1</id><title>t</title><updated>2024-01-02T00:00:00Z</updated><summary>new</summary></entry>`))
	found := Match(nil, d)
	if len(found) != 2 || found[0].Summary != "new" || found[1].ID != "2" {
		t.Errorf("got %+v", found)
	}
}

func TestOnlyWhatIsToldIsRendered(t *testing.T) {
	doc := storyDoc(t, story{"g1", "/1", "One", "", "<p>x</p>"})
	var mem memory
	first := Match(nil, doc)
	if first[0].Summary != "<p>x</p>" || first[0].Raw != "<p>x</p>" {
		t.Errorf("got %+v", first[0])
	}
	mem.keep(first)
	if again := Match(mem.known, storyDoc(t, story{"g1", "/1", "One", "", "<p>x</p>"})); again[0].Summary != "" ||
		again[0].Raw != "" || again[0].Row != 1 || again[0].Title != "One" {
		t.Errorf("got %+v", again[0])
	}
}

// Whatever a publisher does, a document read twice says nothing the second time, no
// known item is two items, and every new item is remembered.
func TestMatchProperties(t *testing.T) {
	pick := func(t *rapid.T, name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		var mem memory
		for range rapid.IntRange(1, 6).Draw(t, "looks") {
			var stories []story
			for range rapid.IntRange(0, 6).Draw(t, "items") {
				stories = append(stories, story{
					pick(t, "guid", "", "", "g1", "g2", "g3"), pick(t, "link", "", "/1", "/2", "/3"),
					pick(t, "title", "", "A", "B", "C"), pick(t, "date", "", "2024-01-01", "2024-01-02"),
					pick(t, "text", "", "x", "y")})
			}
			found := Match(mem.known, storyDoc(t, stories...))
			var rows []int64
			for _, f := range found {
				if (f.Change == tidings.New) != (f.Row == 0) {
					t.Fatalf("%q is new and row %d", f.Title, f.Row)
				}
				if f.Row != 0 && slices.Contains(rows, f.Row) {
					t.Fatalf("row %d is found twice", f.Row)
				}
				rows = append(rows, f.Row)
			}
			mem.keep(found)
			if again := say(Match(mem.known, storyDoc(t, stories...))); strings.Trim(again, "=") != "" {
				t.Fatalf("the same again gives %q: %q", again, stories)
			}
		}
	})
}

// Only known items that share a guid, link, title or text with an item of the document decide what the items are. If no
// two of those share one, it does not matter which were listed.
func TestWhatHasNothingInCommonDecidesNothing(t *testing.T) {
	part := rapid.Uint64Range(0, 4)
	mark := rapid.Custom(func(t *rapid.T) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: part.Draw(t, "guid"), Link: part.Draw(t, "link"), Title: part.Draw(t, "title"),
			Date:  part.Draw(t, "date"),
			Print: 1 + part.Draw(t, "print")}
	})
	have := func(a, b tidings.ItemIdentity) bool {
		return a.ID != 0 && a.ID == b.ID || a.Link != 0 && a.Link == b.Link || a.Title != 0 && a.Title == b.Title ||
			a.Print == b.Print
	}
	rapid.Check(t, func(rt *rapid.T) {
		var known []tidings.KnownItem
		for i, m := range rapid.SliceOfN(mark, 0, 8).Draw(rt, "known") {
			known = append(known,
				tidings.KnownItem{Row: int64(i + 1), ItemIdentity: m, Listed: rapid.Bool().Draw(rt, "listed")})
		}
		marks := rapid.SliceOfN(mark, 0, 4).Draw(rt, "document")
		of := func() *Document {
			d := &Document{}
			for _, m := range marks {
				d.Items = append(d.Items, Item{Mark: m, content: body{text: fmt.Sprint(m.Print)}})
			}
			return d
		}
		var some []tidings.KnownItem
		for _, k := range known {
			if slices.ContainsFunc(marks, func(m tidings.ItemIdentity) bool { return have(k.ItemIdentity, m) }) {
				some = append(some, k)
			}
		}
		ambiguous := false
		for i := range some {
			for j := range i {
				ambiguous = ambiguous || have(some[i].ItemIdentity, some[j].ItemIdentity)
			}
		}
		for i := range some {
			some[i].Listed = some[i].Listed && ambiguous
		}
		want, got := Match(known, of()), Match(some, of())
		for i := range want {
			if want[i].Row != got[i].Row || want[i].Change != got[i].Change || want[i].Quiet != got[i].Quiet {
				rt.Fatalf("item %d is %+v among all, %+v among %v", i, want[i], got[i], some)
			}
		}
	})
}
