package news

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/feed"
)

var formats = []Format{NITF, NewsMLG2, Ninjs}

// What is written is read back the same, in every format.
func TestWrittenIsReadBack(t *testing.T) {
	for _, format := range formats {
		t.Run(format.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				it := drawItem(t, format)
				doc, err := Write(it, format)
				if err != nil {
					t.Fatal(err)
				}
				d, err := Parse(doc, "", Default())
				if err != nil {
					t.Fatalf("%v\n%s", err, doc)
				}
				if d.Format != format || len(d.Items) != 1 || len(d.Notes) != 0 || Sniff(doc, "") != format {
					t.Fatalf("%s, %d items, notes %q\n%s", d.Format, len(d.Items), d.Notes, doc)
				}
				if diff := differ(it, d.Items[0]); diff != "" {
					t.Fatalf("%s\n%s", diff, doc)
				}
			})
		})
	}
}

// differ says what two items differ in, "" if in nothing. NITF may change the order of subjects.
func differ(want, got Item) string {
	for _, it := range []*Item{&want, &got} {
		it.News.Subjects, it.News.Places = inOrder(it.News.Subjects), inOrder(it.News.Places)
		it.Categories = nil // which follow from the subjects
		if len(it.Enclosures) == 0 {
			it.Enclosures = nil
		}
	}
	a, b := reflect.ValueOf(want.News), reflect.ValueOf(got.News)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return fmt.Sprintf("News.%s: want %#v, got %#v", a.Type().Field(i).Name, a.Field(i).Interface(),
				b.Field(i).Interface())
		}
	}
	a, b = reflect.ValueOf(want.Item), reflect.ValueOf(got.Item)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return fmt.Sprintf("%s: want %#v, got %#v", a.Type().Field(i).Name, a.Field(i).Interface(),
				b.Field(i).Interface())
		}
	}
	return ""
}

func inOrder(list []tidings.Subject) []tidings.Subject {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b tidings.Subject) int {
		return strings.Compare(a.Scheme+"\x00"+a.Code+"\x00"+a.Name, b.Scheme+"\x00"+b.Code+"\x00"+b.Name)
	})
	return slices.Clip(list)
}

// drawItem draws an item as Parse gives them.
func drawItem(t *rapid.T, format Format) Item {
	p := parser{cfg: Default(), doc: &Document{}}
	line := func(label string) string { return p.line(rapid.String().Draw(t, label)) }
	date := func(label string) time.Time {
		if rapid.Bool().Draw(t, "no "+label) {
			return time.Time{}
		}
		seconds := rapid.Int64Range(-2e9, 2e11).Draw(t, label)
		return time.Unix(seconds, rapid.SampledFrom([]int64{0, 0, 1e8, 123456789}).Draw(t, "parts of "+label)).UTC()
	}
	n := tidings.News{
		GUID: p.id(rapid.SampledFrom([]string{"urn:newsml:a.example:1:", "http://a.example/", "x", `<&"'> `}).Draw(
			t, "prefix") + rapid.String().Draw(t, "guid")),
		Version:   rapid.IntRange(1, maxVersion).Draw(t, "version"),
		Publisher: line("publisher"),
		Status: rapid.SampledFrom([]tidings.NewsStatus{tidings.Usable, tidings.Withheld, tidings.Canceled}).Draw(t,
			"status"),
		Signal:   rapid.SampledFrom([]tidings.NewsSignal{"", tidings.Updated, tidings.Corrected}).Draw(t, "signal"),
		Urgency:  rapid.IntRange(1, 9).Draw(t, "urgency"),
		Language: rapid.SampledFrom([]string{"", "en", "en-gb", "zh-hant-tw"}).Draw(t, "language"),
		Genre:    line("genre"), Headline: line("headline"), Slugline: line("slugline"), Byline: line("byline"),
		Note:    line("note"),
		Created: date("created"), Revised: date("revised"), Embargo: date("embargo"), Expires: date("expires"),
	}
	for range rapid.IntRange(0, 5).Draw(t, "subjects") {
		p.add(&n.Subjects, drawSubject(t))
	}
	for range rapid.IntRange(0, 3).Draw(t, "places") {
		p.add(&n.Places, drawSubject(t))
	}
	it := Item{News: n}
	it.Content =
		p.markup(strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 8).Draw(t,
			"content"), ""))
	it.Summary = p.summary(rapid.String().Draw(t, "summary"))
	it.URL = webURL(rapid.SampledFrom([]string{"", "https://b.example/story?a=1&b=2"}).Draw(t, "url"))
	if format != NITF && rapid.Bool().Draw(t, "files") {
		p.enclose(&it, tidings.Enclosure{URL: "http://b.example/p.jpg?x=1&y", Type: "image/jpeg", Length: 12})
		p.enclose(&it, tidings.Enclosure{URL: "http://b.example/p.mp4"})
	}
	p.finish(&it)
	return it
}

func drawSubject(t *rapid.T) tidings.Subject {
	return tidings.Subject{
		Scheme: rapid.SampledFrom([]string{"", "medtop", "subj", "alias", "Alias", "a:b", "a b", "a:",
			"http://s.example/x/", "http://s.example/x#",
			"http://s.example/x", "http://cv.iptc.org/newscodes/mediatopic/"}).Draw(t, "scheme"),
		Code: rapid.OneOf(rapid.SampledFrom([]string{"", "15000000", "15054000", "20000849", "20000822",
			"http://c.example", "a:b", "medtop:04000000"}),
			rapid.String()).Draw(t, "code"),
		Name: rapid.OneOf(rapid.SampledFrom([]string{"", "sport"}), rapid.String()).Draw(t, "name"),
	}
}

// pieces are what contents are made of: every element that may pass, and what has to be kept apart.
var pieces = append([]string{"a &amp; b", "&lt;p&gt;", "<p>", "</p>", "\r\n", "\r", "&#13;", "  ", "\n",
	"<![CDATA[x]]>", "<!-- x -->",
	`<a href="http://a.example/?a=1&amp;b=2" title="t">x</a>`, `<img src="http://a.example/i.png" alt="">`,
	`<img alt="&quot;x&quot;" width="3" src="http://a.example/i.png" title="t">`, `<ul><li>x</ul>`,
	`<table><tr><td colspan="2">x</table>`,
	"<pre>\n x\n</pre>", `<video src="http://a.example/v"><source src="http://a.example/w" type="video/mp4"></video>`,
	"<br>", "<hr>", "<wbr>",
	`<script>x</script>`, `<title>x`, `<p lang="en" dir="rtl">x</p>`, "\x00", "\u202e", "]]>",
}, everyElement()...)

func everyElement() (out []string) {
	for name := range classNames {
		out = append(out, "<"+name+">x</"+name+">")
	}
	for name := range nitfNames {
		out = append(out, "<"+name+">x</"+name+">")
	}
	for name := range renamed {
		out = append(out, "<"+name+">x</"+name+">")
	}
	slices.Sort(out)
	return out
}

// Every element that may pass is kept by NITF under the name it has.
func TestNITFKeepsEveryElement(t *testing.T) {
	for _, piece := range everyElement() {
		want := feed.Sanitize(piece, "")
		doc, err := Write(Item{Item: tidings.Item{Content: piece}, News: tidings.News{GUID: "x"}}, NITF)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Parse(doc, "", Default())
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Items[0].Content; got != want {
			t.Errorf("%s: want %q, got %q\n%s", piece, want, got, doc)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	if _, err := Write(Item{}, NITF); err == nil {
		t.Error("an item without a GUID was written")
	}
	if _, err := Write(Item{News: tidings.News{GUID: "x"}}, Unknown); err == nil {
		t.Error("an unknown format was written")
	}
}
