package feed

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"tidings"
	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/lab/dataset"
)

// Every document is read without a panic, within a second of the processor, into
// valid texts. Under the race detector, which makes it slow, nothing is measured. With -short it is every fifth.
func TestEveryDocumentIsRead(t *testing.T) {
	for _, c := range []struct {
		name        string
		docs        func(testing.TB) []document
		least, most int // documents; and of them some that are no feeds
	}{
		{"generated", generatedFeeds, 4000, 30},
		{"recorded", recordedFeeds, 3389, 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := c.docs(t)
			if len(docs) < c.least {
				t.Errorf("only %d documents", len(docs))
			}
			if feeds, tried := readAll(t, docs); feeds < tried-c.most {
				t.Errorf("only %d of %d documents are feeds", feeds, tried)
			} else {
				t.Logf("%d of %d documents are feeds", feeds, tried)
			}
		})
	}
}

// readAll reads documents, and returns how many of them are feeds.
func readAll(t *testing.T, docs []document) (feeds, tried int) {
	slow := cost.RaceDetector()
	most := time.Second
	if !slow {
		most = time.Duration(float64(most) * cost.Pace())
	}
	for i, r := range docs {
		if testing.Short() && i%5 != 0 {
			continue
		}
		tried++
		start := cpu.Time()
		d, err := Parse(r.body, r.contentType, testBase, Default())
		if took := cpu.Time() - start; took > most && !slow {
			t.Errorf("%s took %v", r.name, took)
		}
		if err != nil {
			if !errors.Is(err, ErrNotFeed) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrLimit) {
				t.Errorf("%s: %v", r.name, err)
			}
			continue
		}
		feeds++
		checkDocument(t, d)
	}
	return feeds, tried
}

// checkDocument checks what Parse and Match promise of any document.
func checkDocument(t interface{ Errorf(string, ...any) }, d *Document) {
	cfg := Default()
	if len(d.Items) > cfg.MaxItems || len(d.Notes) > maxNotes {
		t.Errorf("%d items, %d notes", len(d.Items), len(d.Notes))
	}
	found := Match(nil, d)
	for _, f := range found {
		for _, s := range append([]string{f.ID, f.URL, f.Title, f.Author, f.Summary, f.Content, f.Raw},
			f.Categories...) {
			if !isText(s) {
				t.Errorf("%q is no clean text", s)
			}
		}
		if utf8.RuneCountInString(f.Title) > cfg.MaxTitle+1 || len(f.URL) > cfg.MaxURL || len(f.Raw) > cfg.MaxText {
			t.Errorf("%q is over a limit", f.ID)
		}
		checkSafe(t, f.Raw, f.Content)
		checkSafe(t, f.Raw, f.Summary)
		if f.Change != tidings.New {
			t.Errorf("%q is %q on first sight", f.ID, f.Change)
		}
	}
	var mem memory
	mem.keep(found)
	for _, f := range Match(mem.known, d) {
		if f.Change != "" || f.Quiet {
			t.Errorf("%q: the same document again gives %q", f.ID, f.Change)
		}
	}
}

func isText(s string) bool {
	for _, r := range s {
		if isIllegal(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// feedSeeds are documents for the fuzzers: some of our own, generated ones, and small ones of every recorded
// kind where there are any.
func feedSeeds(f *testing.F) [][]byte {
	seeds := [][]byte{
		[]byte(rssDoc(
			`<item><title>a &amp; b</title><guid>1</guid><description>&lt;p>x<![CDATA[<b>]]></description></item>`)),
		[]byte(atomDoc(`<entry xml:base="/x/"><id>1</id><link href="y"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><br/></div></content></entry>`)),
		[]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":1,"content_html":"<p>","authors":[{"name":"x"}]}]}`),
		[]byte("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"id\":{\"$oid\":1},\"tags\":\"a,b\",\"content_html\":\"a\nb\\'\"},]}"),
		[]byte(`[{"link":"/x","title":"y","date":1700000000}]`),
		[]byte("\xff\xfe<\x00r\x00s\x00s\x00>\x00"),
		[]byte(`<rss><channel><title>t<link>/<item><title>a<link>x<source url='y'>z<description>d<guid>1<category>c<item><link><title>b</channel>`),
		[]byte(`<feed><entry><id>1</id><content type="html">&lt;p&gt;a&lt;/p&gt;<div>&lt;b&gt;x</div><p>&lt;i&gt;</p>&#60;</content><link rel="enclosure" href="a"/><link href="b/" xml:base="c:d"/></entry><link href="/e/"/></feed>`),
		[]byte(`<!DOCTYPE html><html><head><base href="//b.example"><link rel=alternate type=application/rss+xml href=/f></head><a href=/x.rss>y</a>`),
	}
	for _, docs := range collections(f) {
		seen := make(map[string]int)
		for _, r := range docs {
			if seen[r.kind]++; seen[r.kind] <= 4 && len(r.body) < 4096 {
				seeds = append(seeds, r.body)
			}
		}
	}
	return seeds
}

func TestFuzzersHaveSeeds(t *testing.T) {
	kinds := make(map[string]bool)
	for _, docs := range collections(t) {
		for _, r := range docs {
			kinds[r.kind] = true
		}
	}
	wanted := []string{"rss", "rdf", "atom", "cdf", "json feed", "json list", ""}
	if _, err := dataset.Dir(); err == nil {
		wanted = append(wanted, "rss2.0", "rss1.0", "atom1.0", "atom0.3", "jsonfeed", "html", "cdf-or-channel")
	}
	for _, kind := range wanted {
		if !kinds[kind] {
			t.Errorf("no seed of kind %s", kind)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range feedSeeds(f) {
		f.Add(seed, "")
	}
	f.Add([]byte(
		rssDoc("<item><content:encoded>&lt;br>\u200b</content:encoded><description>Gr\xfc\xdfe \xe2\x80</description></item>")), "text/xml; charset=gbk")
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		if d, err := Parse(doc, contentType, testBase, Default()); err == nil {
			checkDocument(t, d)
		} else if !errors.Is(err, ErrNotFeed) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrLimit) {
			t.Errorf("%v", err)
		}
	})
}

func FuzzSniff(f *testing.F) {
	for _, seed := range feedSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		// If a feed fits into what Sniff reads, Sniff and Parse find the same format.
		format := Sniff(doc, "")
		if d, err := Parse(doc, "", testBase, Default()); err == nil && len(doc) < sniffed && format != d.Format &&
			format != JSON && format != JSONFeed {
			t.Errorf("sniffed %q, parsed %q", format, d.Format)
		}
	})
}

func FuzzDiscover(f *testing.F) {
	for _, seed := range feedSeeds(f) {
		f.Add(seed, "https://site.example/a/b")
	}
	f.Fuzz(func(t *testing.T, page []byte, pageURL string) {
		choices := Discover(page, "", pageURL, Link{string(page), "alternate", "application/rss+xml", string(page)})
		for _, c := range append(choices, WellKnown(pageURL)...) {
			if again, err := Canonical(c.URL); err != nil || again != c.URL || !isText(c.Title) || !isText(c.Type) {
				t.Errorf("%+v: %q, %v", c, again, err)
			}
		}
		if len(choices) > maxChoices {
			t.Errorf("%d choices", len(choices))
		}
	})
}
