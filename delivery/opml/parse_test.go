package opml

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"tidings/lab/dataset"
)

func parse(t *testing.T, doc string) List {
	t.Helper()
	l, err := Parse(strings.NewReader(doc), Limits{})
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return l
}

func body(outlines string) string {
	return `<opml version="2.0"><head><title>mine</title></head><body>` + outlines + `</body></opml>`
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []Entry
	}{
		{"plain", body(
			`<outline text="A" title="T" type="rss" xmlUrl="https://a.example/f" htmlUrl="https://a.example/"/>`),
			[]Entry{{URL: "https://a.example/f", Title: "A", Site: "https://a.example/"}}},
		{"attribute names in any case, no type",
			body(`<OUTLINE TEXT="A" XMLURL="http://a.example/f"/><outline Title="B" xmlurl='http://b.example/f'/>`),
			[]Entry{{URL: "http://a.example/f", Title: "A"}, {URL: "http://b.example/f", Title: "B"}}},
		{"nested folders",
			body(`<outline text="X"><outline text="Y"><outline text="A" xmlUrl="http://a.example/"/></outline><outline text="B" xmlUrl="http://b.example/"/></outline><outline text="C" xmlUrl="http://c.example/"/>`),
			[]Entry{{URL: "http://a.example/", Title: "A", Folder: "X/Y"},
				{URL: "http://b.example/", Title: "B", Folder: "X"}, {URL: "http://c.example/", Title: "C"}}},
		{"a slash in a folder's name",
			body(`<outline text="Music"><outline text=" AC/DC "><outline text="A" xmlUrl="http://a.example/"/></outline></outline>`),
			[]Entry{{URL: "http://a.example/", Title: "A", Folder: "Music/AC%2FDC"}}},
		{"a category that looks escaped", body(`<outline text="A" category="//%2F/b/" xmlUrl="http://a.example/"/>`),
			[]Entry{{URL: "http://a.example/", Title: "A", Folder: "%252F/b"}}},
		{"category where there is no folder",
			body(`<outline text="A" category="/News/Local,/Other" xmlUrl="http://a.example/"/><outline text="X"><outline text="B" category="no" xmlUrl="http://b.example/"/></outline>`),
			[]Entry{{URL: "http://a.example/", Title: "A", Folder: "News/Local", Tags: []string{"Other"}},
				{URL: "http://b.example/", Title: "B", Folder: "X", Tags: []string{"no"}}}},
		{"feed inside of a feed",
			body(`<outline text="A" xmlUrl="http://a.example/"><outline text="B" xmlUrl="http://b.example/"/></outline>`),
			[]Entry{{URL: "http://a.example/", Title: "A"}, {URL: "http://b.example/", Title: "B"}}},
		{"entities",
			body(`<outline text="caf&eacute; &unknown; R&D &amp; &#233;&#1;" xmlUrl="http://a.example/?a=1&amp;b=2"/>`),
			[]Entry{{URL: "http://a.example/?a=1&b=2", Title: "café &unknown; R&D & é"}}},
		{"control characters and line breaks",
			body("<outline text=\"a\x01b\n  c\" xmlUrl=\"http://a.example/\x0bf\"/>"),
			[]Entry{{URL: "http://a.example/f", Title: "ab c"}}},
		{"feed scheme",
			body(`<outline text="A" xmlUrl="feed://a.example/f"/><outline text="B" xmlUrl="FEED:https://b.example/f"/>`),
			[]Entry{{URL: "http://a.example/f", Title: "A"}, {URL: "https://b.example/f", Title: "B"}}},
		{"type rss with url, feedUrl of old programs",
			body(`<outline text="A" type="RSS" url="http://a.example/"/><outline text="B" feedURL="http://b.example/"/>`),
			[]Entry{{URL: "http://a.example/", Title: "A"}, {URL: "http://b.example/", Title: "B"}}},
		{"credentials are kept", body(`<outline text="A" xmlUrl="https://me:secret@10.0.0.1/f"/>`),
			[]Entry{{URL: "https://me:secret@10.0.0.1/f", Title: "A"}}},
		{"no opml element, prefix, no quotes", `<o:outline text=A xmlUrl="http://a.example/"/>`,
			[]Entry{{URL: "http://a.example/", Title: "A"}}},
		{"XML 1.1 and blanks before the declaration", "\n <?xml version=\"1.1\" encoding=\"utf-8\"?>" +
			body(`<outline text="é" xmlUrl="http://a.example/"/>`),
			[]Entry{{URL: "http://a.example/", Title: "é"}}},
		{"empty list", body(""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := parse(t, c.doc)
			if !reflect.DeepEqual(l.Entries, asNamed(c.want)) {
				t.Errorf("got  %+v\nwant %+v", l.Entries, c.want)
			}
			if len(l.Problems) > 0 {
				t.Errorf("unexpected problems: %v", l.Problems)
			}
		})
	}
	if l := parse(t, body("")); l.Title != "mine" {
		t.Errorf("title %q", l.Title)
	}
}

func TestProblemsNameTheirLine(t *testing.T) {
	doc := strings.Join([]string{
		`<?xml version="1.0"?>`,
		`<opml><body>`,
		`<outline text="twice" xmlUrl="http://u:pw@a.example/f"/>`,
		`<outline text="again"`,
		` xmlUrl="http://u:pw@a.example/f"/>`,
		`<outline text="other" type="include" url="http://x.example/more.opml"/>`,
		`<outline text="site" type="link" url="http://x.example/"/>`,
		`<outline text="lost" type="rss"/>`,
		`<outline text="script" xmlUrl="javascript:alert(1)"/>`,
		`<outline text="unquoted < bracket" xmlUrl="http://b.example/"/>`,
		`<outline text="good" xmlUrl="http://c.example/"/>`,
		`<outline text="hostless" xmlUrl="http:///f"/>`,
		`<outline text="long" xmlUrl="http://d.example/` + strings.Repeat("x", 100_000) + `"/>`,
		`</body></opml>`,
	}, "\n")
	l := parse(t, doc)
	want := []Problem{
		{4, "http://a.example/f is already in line 3"},
		{6, `"other" is a link to another document (type "include"), which is not followed`},
		{7, `"site" is a link to another document (type "link"), which is not followed`},
		{8, `"lost" has no address (xmlUrl)`},
		{9, `"script" has an address that is neither http nor https`},
		{10, "cannot be read: unescaped < inside quoted string"},
		{12, `"hostless" has an address without a host`},
		{13, `"long" has an address of 100017 bytes (at most 4096 can be used)`},
	}
	if !reflect.DeepEqual(l.Problems, want) {
		t.Errorf("got  %v\nwant %v", l.Problems, want)
	}
	if len(l.Entries) != 2 || l.Entries[1].Title != "good" {
		t.Errorf("entries %+v", l.Entries)
	}
}

// hostile 24: an outline that has only a page is reported in its line, unless it is a folder with a page of its own.
func TestHostile24OutlinesWithoutFeeds(t *testing.T) {
	doc := strings.Join([]string{
		`<opml><body>`,
		`<outline text="page" htmlUrl="https://me:secret@a.example/blog"/>`,
		`<outline text="rss" type="rss" htmlUrl="https://b.example/"></outline>`,
		`<outline text="folder" htmlUrl="https://c.example/">`,
		`<outline text="feed" xmlUrl="https://c.example/f"/>`,
		`</outline>`,
		`<outline text="script" htmlUrl="javascript:alert(1)"/>`,
		`<outline text="url" url="https://d.example/"/>`,
		`<outline text="empty folder"/>`,
		`<outline text="open" htmlUrl="https://e.example/">`,
	}, "\n")
	l := parse(t, doc)
	want := []Problem{
		{2, `"page" has no address of a feed (xmlUrl); add its page to find one: https://a.example/blog`},
		{3, `"rss" has no address of a feed (xmlUrl); add its page to find one: https://b.example/`},
		{7, `"script" has no address of a feed (xmlUrl)`},
		{8, `"url" has no address of a feed (xmlUrl); add its page to find one: https://d.example/`},
		{10, `"open" has no address of a feed (xmlUrl); add its page to find one: https://e.example/`},
	}
	if !reflect.DeepEqual(l.Problems, want) {
		t.Errorf("got  %v\nwant %v", l.Problems, want)
	}
	if len(l.Entries) != 1 || l.Entries[0].Folder != "folder" {
		t.Errorf("entries %+v", l.Entries)
	}
}

// If wanted, an outline with only a page is followed as a page, in its folder. asNamed returns entries of a list of
// another program, where titles are names.
func asNamed(entries []Entry) []Entry {
	for i := range entries {
		entries[i].Name = entries[i].Title
	}
	return entries
}

func TestPagesWithoutFeeds(t *testing.T) {
	doc := strings.Join([]string{
		`<opml><body>`,
		`<outline text="page" htmlUrl="https://a.example/blog" category="c,d"/>`,
		`<outline text="folder" htmlUrl="https://c.example/">`,
		`<outline text="feed" xmlUrl="https://c.example/f"/>`,
		`<outline text="in it" type="rss" htmlUrl="https://d.example/"/>`,
		`</outline>`,
		`<outline text="script" htmlUrl="javascript:alert(1)"/>`,
		`<outline text="again" url="https://a.example/blog"/>`,
	}, "\n")
	l, err := ParseWithPages(strings.NewReader(doc), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	entries := []Entry{
		{URL: "https://a.example/blog", Title: "page", Site: "https://a.example/blog", Folder: "c", Tags: []string{"d"},
			Page: true},
		{URL: "https://c.example/f", Title: "feed", Folder: "folder"},
		{URL: "https://d.example/", Title: "in it", Site: "https://d.example/", Folder: "folder", Page: true},
	}
	problems := []Problem{
		{7, `"script" has no address of a feed (xmlUrl)`},
		{8, `https://a.example/blog is already in line 2`},
	}
	if !reflect.DeepEqual(l.Entries, asNamed(entries)) || !reflect.DeepEqual(l.Problems, problems) {
		t.Errorf("got  %+v, problems %v\nwant %+v, problems %v", l.Entries, l.Problems, entries, problems)
	}
}

func TestCharacterSets(t *testing.T) {
	doc := func(label string) string {
		return `<?xml version="1.0" encoding="` + label + `"?>` +
			body(`<outline text="Новости" xmlUrl="http://a.example/"/>`)
	}
	wide := func(order func(uint16) [2]byte, s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			pair := order(u)
			b.Write(pair[:])
		}
		return b.String()
	}
	big := func(u uint16) [2]byte { return [2]byte{byte(u >> 8), byte(u)} }
	little := func(u uint16) [2]byte { return [2]byte{byte(u), byte(u >> 8)} }
	cyrillic, err := charmap.Windows1251.NewEncoder().String(doc("windows-1251"))
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"utf-8 with BOM":            "\xEF\xBB\xBF" + doc("utf-8"),
		"windows-1251":              cyrillic,
		"utf-16 big, BOM":           wide(big, "\ufeff"+doc("utf-16")),
		"utf-16 little, BOM":        wide(little, "\ufeff"+doc("utf-16")),
		"utf-16 big without BOM":    wide(big, doc("utf-16")),
		"utf-16 little without BOM": wide(little, doc("utf-16")),
		"utf-8 that claims utf-16":  doc("utf-16"),
		"utf-8 that claims 1251":    doc("windows-1251"),
		"utf-8 of unknown label":    doc("x-unheard-of"),
		"utf-8 without declaration": body(`<outline text="Новости" xmlUrl="http://a.example/"/>`),
	} {
		l := parse(t, raw)
		if len(l.Entries) != 1 || l.Entries[0].Title != "Новости" {
			t.Errorf("%s: %+v %v", name, l.Entries, l.Problems)
		}
	}
	l := parse(t, body("<outline text=\"caf\xe9\" xmlUrl=\"http://a.example/\"/>"))
	if l.Entries[0].Title != "café" || len(l.Problems) != 1 {
		t.Errorf("Latin 1 under no declaration: %+v", l)
	}
}

// hostile 24: many outlines, great depth, duplicates, private addresses, too many bytes.
func TestHostile24ListsAreBounded(t *testing.T) {
	t.Run("100,000 outlines and one", func(t *testing.T) {
		var b strings.Builder
		for i := range 100_001 {
			fmt.Fprintf(&b, "<outline text='n' xmlUrl='http://a.example/%d'/>\n", i)
		}
		l := parse(t, body(b.String()))
		want := []Problem{{100_001, "only the first 100000 outlines are read"}}
		if len(l.Entries) != 100_000 || !reflect.DeepEqual(l.Problems, want) {
			t.Errorf("%d entries, problems %v", len(l.Entries), l.Problems)
		}
	})
	t.Run("10^5 deep", func(t *testing.T) {
		const depth = 100_000 - 1
		doc := body(strings.Repeat("<outline text='f'>", depth) + "<outline xmlUrl='http://a.example/'/>" +
			strings.Repeat("</outline>", depth))
		l := parse(t, doc)
		if len(l.Entries) != 1 || l.Entries[0].Folder != strings.TrimSuffix(strings.Repeat("f/", maxFolderDepth), "/") {
			t.Errorf("entries %+v, problems %v", l.Entries, l.Problems)
		}
	})
	t.Run("duplicates and private addresses", func(t *testing.T) {
		doc := body(strings.Repeat("<outline text='n' xmlUrl='http://user:pw@192.168.0.1/feed'/>\n", 5000))
		l := parse(t, doc)
		if len(l.Entries) != 1 || l.Entries[0].URL != "http://user:pw@192.168.0.1/feed" {
			t.Errorf("entries %+v", l.Entries)
		}
		if n := len(l.Problems); n != 101 || l.Problems[100].Text != "and 4899 more problems" ||
			l.Problems[99].Line != 101 {
			t.Errorf("%d problems, the last %v", n, l.Problems[n-1])
		}
		for _, p := range l.Problems {
			if strings.Contains(p.Text, "pw") || strings.Contains(p.Text, "user") {
				t.Fatalf("credentials shown: %v", p)
			}
		}
	})
	t.Run("nothing but damage", func(t *testing.T) {
		l := parse(t, "<opml>"+strings.Repeat(`<outline a="<`, 200_000))
		if n := len(l.Problems); n != 101 {
			t.Errorf("%d problems", n)
		}
	})
	t.Run("too large", func(t *testing.T) {
		_, err := Parse(strings.NewReader(body(strings.Repeat(" ", 1000))), Limits{Bytes: 1000})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("error %v", err)
		}
	})
}

// hostile 17: nothing that a document type declares is expanded or fetched.
func TestHostile17Entities(t *testing.T) {
	l := parse(t, `<?xml version="1.0"?><!DOCTYPE opml [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">
		<!ENTITY ext SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:1/p.dtd"> %p;]>
		<opml xmlns:xi="http://www.w3.org/2001/XInclude"><body><xi:include href="file:///etc/passwd" parse="text"/>
		<outline text="&c;&ext;" xmlUrl="http://a.example/&c;"/></body></opml>`)
	all := fmt.Sprint(l)
	if len(l.Entries) != 1 || strings.Contains(all, "xxxx") || strings.Contains(all, "root:") || len(all) > 500 {
		t.Errorf("read as %.500s", all)
	}
}

func TestOtherDocumentsAreNoOPML(t *testing.T) {
	for _, doc := range []string{"", "hello", "<html><title>x</title></html>",
		`<rss><channel><title>t</title></channel></rss>`, `{"a":1}`} {
		if _, err := Parse(strings.NewReader(doc), Limits{}); !errors.Is(err, ErrNotOPML) {
			t.Errorf("%q: error %v", doc, err)
		}
	}
}

// Every OPML document of the recorded collection is read; those of real readers give
// all the addresses that they hold.
func TestRecordedDocuments(t *testing.T) {
	dir := filepath.Join(dataset.NeedDir(t), "feeds")
	want := map[string]int{
		"test/data/test-urls+.opml":                                                 4,
		"Modules/RSParser/Tests/RSParserTests/Resources/Subs.opml":                  207,
		"Modules/RSParser/Tests/RSParserTests/Resources/SubsNoTitleAttributes.opml": 207,
		"testcases/opml/clean/specification.opml":                                   0,
	}
	read := 0
	archives, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := recordedKinds(t, filepath.Join(dir, "index.csv"))
	for _, archive := range archives {
		z, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			if kinds[filepath.Base(archive)+":"+f.Name] != "opml" {
				continue
			}
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			l, err := Parse(r, Limits{})
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if n, ok := want[f.Name]; ok && n != len(l.Entries) {
				t.Errorf("%s: %d entries, want %d; %v", f.Name, len(l.Entries), n, l.Problems)
			}
			r.Close()
			read++
		}
	}
	if read != 33 {
		t.Errorf("read %d documents, want 33", read)
	}
}

func recordedKinds(t *testing.T, index string) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(open(t, index)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]string, len(rows))
	for _, row := range rows {
		kinds[row[0]+":"+row[1]] = row[2]
	}
	return kinds
}
