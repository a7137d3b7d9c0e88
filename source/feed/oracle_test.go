package feed

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/lab/effort"
)

// python is Debian's Python, which has Debian's feedparser.
const python = "/usr/bin/python3"

// oracleBase is the address that oracle.py gives to every document.
const oracleBase = "http://base.example/dir/feed.xml"

type oracleItem struct {
	ID, Link, Title, Type       string
	Published, Updated, Created *int64
	Text                        bool
	Links                       []string
}

// plainTitle is the title as it is to be compared: the oracle leaves markup in.
func (o oracleItem) plainTitle() string {
	if o.Type != "" && o.Type != "text/plain" {
		return plainTitle(plainText(o.Title), Default().MaxTitle)
	}
	return plainTitle(o.Title, Default().MaxTitle)
}

func (o oracleItem) saysNothing() bool {
	return o.ID == "" && o.Link == "" && o.plainTitle() == "" && !o.Text
}

type oracleDoc struct {
	Version, Title, Site, Error string
	Items                       []oracleItem
}

// oracle is a running feedparser.
type oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startOracle(t *testing.T) *oracle {
	t.Helper()
	if err := exec.Command(python, "-c", "import feedparser").Run(); err != nil {
		t.Skipf("needs Debian's python3-feedparser: %v", err)
	}
	cmd := exec.Command(python, "testdata/oracle.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	return &oracle{in, bufio.NewReader(out)}
}

func (o *oracle) read(t *testing.T, doc []byte) oracleDoc {
	t.Helper()
	if _, err := fmt.Fprintf(o.in, "%d\n%s", len(doc), doc); err != nil {
		t.Fatal(err)
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var d oracleDoc
	if err := json.Unmarshal(line, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// difference is one field of one item that the two readers see differently; for the
// field "items" the items as such.
type difference struct {
	doc        document
	field      string
	ours, want string
	item       Item
	oracle     oracleItem
	items      []oracleItem
	site       string // of the channel, as the oracle reads it
	count      int
}

// rule is a kind of difference, and why what this package does is right.
type rule struct {
	field, name, why string
	holds            func(d difference) bool
}

var rules = []rule{
	{"items", "an item that says nothing",
		"without id, link, title, text and file there is nothing to tell a reader, and nothing to know it by",
		func(d difference) bool {
			n := 0
			for _, it := range d.items {
				if !it.saysNothing() {
					n++
				}
			}
			return n == d.count
		}},
	{"items", "UTF-16 without a byte order mark",
		"the zero bytes show it; the oracle reads nothing",
		func(d difference) bool { return len(d.items) == 0 && d.doc.body[1] == 0 }},
	{"items", "an item within another",
		"an entry in an entry's source, or in a list of its conflicting versions, is mentioned, not published",
		func(d difference) bool {
			return d.count == len(d.items)-1 && (strings.Contains(string(d.doc.body), "<sx:conflict") ||
				strings.Contains(string(d.doc.body), "<entry/>"))
		}},
	{"items", "an image in a category",
		"its title and link are not the item's, which says nothing else",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "item_category_image.xml") }},
	{"items", "a root of another name",
		"RSS 1.1 with a capital letter too many, in its own namespace: its items are plain to see",
		func(d difference) bool { return len(d.items) == 0 && strings.HasSuffix(d.doc.name, "neg-anyarss.xml") }},

	{"title", "twice encoded in UTF-8",
		"what the publisher wrote is shown; the oracle guesses that it was meant otherwise",
		func(d difference) bool {
			var b []byte
			for _, r := range d.ours {
				if r > 0xff {
					return strings.Contains(d.ours, "Ã") // the second byte had no place in windows-1252
				}
				b = append(b, byte(r))
			}
			return string(b) == d.want || strings.Contains(d.ours, "Ã")
		}},
	{"title", "markup escaped twice",
		"type html: the first layer is the construct's, the text that is left is shown without its tags",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "entry_title_not_inline_cdata.xml") }},

	{"link", "the first of several",
		"the oracle takes the last, and every further link makes the item's address another one",
		func(d difference) bool {
			i := slices.IndexFunc(d.oracle.Links, func(l string) bool {
				return itemLink(oracleBase, l, MaxURL) == d.ours
			})
			return d.ours != "" && i >= 0 && i < slices.Index(d.oracle.Links, d.oracle.Link)
		}},
	{"link", "an alternate of another type",
		"better than an id that is no address",
		func(d difference) bool {
			return d.ours != "" && (d.want == "" || d.oracle.Link == d.oracle.ID) &&
				slices.ContainsFunc(d.oracle.Links, func(l string) bool {
					return itemLink(oracleBase, l, MaxURL) == d.ours
				})
		}},
	{"link", "an id that is no address",
		"the oracle takes any id for a relative link; only an absolute one leads anywhere",
		func(d difference) bool {
			return d.ours == "" && len(d.oracle.Links) == 0 || strings.HasSuffix(d.oracle.Link, d.item.ID) &&
				!strings.HasPrefix(d.item.ID, "http")
		}},
	{"link", "an empty address",
		"leads nowhere, so that the id, which is an address, is the link; the oracle takes it for the feed's own address",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "OneFootTsunami.atom") }},
	{"link", "the original behind a counter",
		"where a proxy counts clicks, the origLink beside its address is the item's own; the oracle leaves it apart",
		func(d difference) bool {
			return strings.Contains(unescape(string(d.doc.body)), "rigLink>"+d.ours) ||
				strings.Contains(string(d.doc.body), "rigLink><![CDATA["+d.ours)
		}},
	{"link", "base without its prefix",
		"only xml:base sets the base; the oracle takes CDF's attribute base of an item as well",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "cdf_item_abstract_xml_base.xml") }},

	{"link", "an address relative to the site",
		"without xml:base it refers to the channel's site, which the feed names; the oracle takes the feed's own address",
		func(d difference) bool {
			path, below := strings.CutPrefix(d.want, "http://base.example")
			if !below || d.site == "" {
				return false
			}
			// As it may have been written: from the root of the host, or beside the feed.
			return d.ours == itemLink(d.site, path, MaxURL) ||
				d.ours == itemLink(d.site, strings.TrimPrefix(path, "/dir/"), MaxURL)
		}},

	{"id", "the first of several", "the oracle takes the last",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "multiple-ids.xml") }},
	{"id", "as published",
		"an id is compared character by character (RFC 4287, 4.2.6.1); the oracle resolves it like a link",
		func(d difference) bool {
			return strings.HasSuffix(d.want, d.ours) || strings.EqualFold(d.want, d.ours) ||
				strings.TrimRight(d.ours, "?#") == d.want
		}},
	{"id", "entities that the document declares", "are not expanded, whatever they say",
		func(d difference) bool { return strings.Contains(string(d.doc.body), "<!ENTITY") }},
	{"id", "markup in a guid", "its text is the id; the oracle loses it",
		func(d difference) bool { return d.want == "" && strings.HasSuffix(d.doc.name, "guid_naked_markup.xml") }},

	{"published", "dc:date alone",
		"says when the item was published; the oracle calls it updated",
		func(d difference) bool { return d.oracle.Published == nil && d.ours == stampText(d.oracle.Updated) }},
	{"published", "the first of several", "the oracle takes the last",
		func(d difference) bool {
			return strings.Contains(d.doc.name, "multiple") || strings.Contains(d.doc.name, "duplicate")
		}},
	{"published", "no such time",
		"hour 25, minute 62, month 25: the oracle makes another time of it",
		func(d difference) bool { return d.ours == "" && strings.Contains(d.doc.name, "published_bad_") }},
	{"published", "a form the oracle cannot read",
		"it is a date all the same",
		func(d difference) bool { return d.want == "" }},
	{"published", "a time in twelve hours",
		"the half of the day belongs to it; the oracle leaves it out",
		func(d difference) bool { return strings.Contains(string(d.doc.body), "PM</pubDate>") }},
	{"published", "a time without colons",
		"belongs to the date; the oracle leaves it out",
		func(d difference) bool { return strings.HasSuffix(d.doc.name, "published_no_colons.xml") }},

	{"updated", "dc:date alone",
		"says when the item was published; the oracle calls it updated",
		func(d difference) bool { return d.ours == "" && d.want == stampTime(d.item.Published) }},
	{"updated", "dc:date beside a date of publication",
		"a bare date says least: an element that says updated goes before",
		func(d difference) bool { return d.ours != "" && strings.Contains(string(d.doc.body), "dc:date") }},
	{"updated", "the first of several", "the oracle takes the last",
		func(d difference) bool { return strings.Contains(d.doc.name, "multiple") }},
}

// generatedRules are the differences in generated documents.
var generatedRules = slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return r.name != "dc:date alone" })

func stampText(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	return stampTime(time.Unix(*seconds, 0))
}

func stampTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Truncate(time.Second).Format(time.RFC3339)
}

// compare returns the differences between the two readings.
func compare(r document, d *Document, o oracleDoc) []difference {
	if len(d.Items) != len(o.Items) {
		return []difference{{doc: r, field: "items", ours: fmt.Sprint(len(d.Items)), want: fmt.Sprint(len(o.Items)),
			items: o.Items, count: len(d.Items)}}
	}
	var out []difference
	for i, w := range o.Items {
		g := d.Items[i]
		link, id := itemLink(oracleBase, w.Link, MaxURL), w.ID
		if id == "" && g.ID == g.URL {
			id = g.ID // there is none
		}
		for _, f := range []struct{ field, ours, want string }{
			{"title", g.Title, w.plainTitle()},
			{"link", g.URL, link},
			{"id", g.ID, id},
			{"published", stampTime(g.Published), stampText(w.Published)},
			{"updated", stampTime(g.Updated), stampText(w.Updated)},
		} {
			if f.ours != f.want {
				out = append(out, difference{doc: r, field: f.field, ours: f.ours, want: f.want, item: g, oracle: w,
					site: o.Site})
			}
		}
	}
	return out
}

// Of every feed that is well-formed, both readers give the same items, but for the
// differences that a rule explains. With -short it is every fourth feed, so that
// some rules may have nothing to explain. Of generated documents is known what must be read
// (TestGeneratedDocumentsReadAsTheyWereMeant), so that their rules are the oracle's faults.
func TestFeedsReadAsByAnIndependentReader(t *testing.T) {
	for _, c := range []struct {
		name  string
		docs  func(testing.TB) []document
		rules []rule
		least int // documents that are compared
	}{
		{"generated", generatedFeeds, generatedRules, 1000},
		{"recorded", recordedFeeds, rules, 2500},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs, o, every := c.docs(t), startOracle(t), 1
			switch {
			case testing.Short():
				every = 16
			case !effort.All():
				every = 2
			}
			if read := compareAll(t, o, docs, every, c.rules); read < c.least/every {
				t.Errorf("only %d documents were compared", read)
			}
		})
	}
}

// compareAll compares every nth document, and returns how many they were.
func compareAll(t *testing.T, o *oracle, docs []document, every int, rules []rule) int {
	read, neither, items, hits := 0, 0, 0, make([]int, len(rules))
	for i, r := range docs {
		if i%every != 0 || !r.wellformed {
			continue
		}
		switch r.kind {
		case "json", "jsonfeed", "json feed", "json list", "opml", "html", "other", "xml-other":
			continue
		}
		want := o.read(t, r.body)
		if want.Error != "" {
			t.Errorf("%s: the oracle failed: %s", r.name, want.Error)
			continue
		}
		d, err := Parse(r.body, "application/xml", oracleBase, Default())
		if errors.Is(err, ErrNotFeed) && len(want.Items) == 0 {
			neither++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		read++
		items += len(d.Items)
		for _, diff := range compare(r, d, want) {
			i := slices.IndexFunc(rules, func(r rule) bool { return r.field == diff.field && r.holds(diff) })
			if i < 0 {
				t.Errorf("%s: %s is %q, the oracle has %q", r.name, diff.field, diff.ours, diff.want)
				continue
			}
			hits[i]++
		}
	}
	t.Logf("%d documents, %d items; %d in which neither reader finds a feed", read, items, neither)
	for i, r := range rules {
		t.Logf("%4d × %s: %s (%s)", hits[i], r.field, r.name, r.why)
		if hits[i] == 0 && every == 1 {
			t.Errorf("rule %q explains nothing", r.name)
		}
	}
	return read
}
