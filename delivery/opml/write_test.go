package opml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

func open(t *testing.T, file string) io.Reader {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestWriteNestsFoldersInOrder(t *testing.T) {
	l := List{Title: `me & "you"`, Entries: []Entry{
		{URL: "http://a.example/?a=1&b=2", Title: "A <b>", Folder: "X/Y", Site: "http://a.example/"},
		{URL: "http://b.example/", Title: "B"},
		{URL: "http://c.example/", Title: "C\x01\nline", Folder: "X"},
	}}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0" xmlns:tidings="https://tidings.example/ns/opml">
<head><title>me &amp; &#34;you&#34;</title></head>
<body>
  <outline text="X" title="X">
    <outline text="Y" title="Y">
      <outline text="A &lt;b&gt;" title="A &lt;b&gt;" type="rss" xmlUrl="http://a.example/?a=1&amp;b=2" htmlUrl="http://a.example/"/>
    </outline>
    <outline text="C line" title="C line" type="rss" xmlUrl="http://c.example/"/>
  </outline>
  <outline text="B" title="B" type="rss" xmlUrl="http://b.example/"/>
</body>
</opml>
`
	var b bytes.Buffer
	if err := Write(&b, l); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteTellsThatItFailed(t *testing.T) {
	if err := Write(brokenWriter{}, List{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.String(), cleanText)
		path := rapid.Map(
			rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b & c", "<d>", "é", "AC/DC", "/", "%2F", "50%25"}), 0, 4),
			func(names []string) string { return tidings.FolderPath(names...) })
		address := rapid.Map(rapid.StringMatching(`[a-z0-9]{1,8}/[a-z0-9&=%?]{0,8}`), func(s string) string {
			return "http://" + strings.ReplaceAll(s, "%", "%25")
		})
		option := rapid.Map(rapid.StringMatching(`[a-zé.#"'<>&\\|\[\] ]{1,12}`),
			strings.TrimSpace).Filter(func(s string) bool { return s != "" })
		options := rapid.Map(rapid.SliceOfN(option, 0, 3), func(all []string) []string {
			return append([]string(nil), all...)
		})
		n := rapid.IntRange(0, 12).Draw(t, "n")
		given := List{Title: text.Draw(t, "title")}
		seen := map[string]bool{}
		for range n {
			e := Entry{URL: address.Draw(t, "url"), Title: text.Draw(t, "label"), Folder: path.Draw(t, "folder"),
				Name: text.Draw(t, "name"),
				Page: rapid.Bool().Draw(t, "page"),
				Privacy: rapid.SampledFrom([]tidings.Privacy{"", tidings.Public, tidings.Unlisted,
					tidings.Credentialed}).Draw(t, "privacy"),
				FullText: rapid.Bool().Draw(t, "full text"),
				Pictures: rapid.SampledFrom([]tidings.PicturesWish{tidings.PicturesAsSet, tidings.PicturesAlways,
					tidings.PicturesNever}).Draw(t, "pictures"),
				Options: tidings.PageOptions{Select: options.Draw(t, "select"), Ignore: options.Draw(t, "ignore"),
					Keep: options.Draw(t, "keep")}}
			if !seen[e.URL] {
				seen[e.URL] = true
				given.Entries = append(given.Entries, e)
			}
		}
		once := rewritten(t, given)
		if len(once.Problems) > 0 {
			t.Fatalf("problems in what was written: %v", once.Problems)
		}
		if once.Title != given.Title {
			t.Fatalf("title %q became %q", given.Title, once.Title)
		}
		// Entries of one folder are drawn together; nothing else may change.
		if got, want := byURL(once), byURL(given); !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
		if twice := rewritten(t, once); !reflect.DeepEqual(once, twice) {
			t.Fatalf("written again: %v\nbefore: %v", twice, once)
		}
	})
}

type fataler interface{ Fatal(...any) }

func rewritten(t fataler, l List) List {
	var b bytes.Buffer
	if err := Write(&b, l); err != nil {
		t.Fatal(err)
	}
	back, err := Parse(&b, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// published is l as it may be read back: without credentials, and without what is then
// twice.
func published(l List) List {
	all, seen := l.Entries, map[string]bool{}
	l.Entries = nil
	for _, e := range all {
		e.URL, e.Site = withoutCredentials(e.URL), withoutCredentials(e.Site)
		if !seen[e.URL] {
			seen[e.URL] = true
			l.Entries = append(l.Entries, e)
		}
	}
	return l
}

func byURL(l List) map[string]Entry {
	m := make(map[string]Entry)
	for _, e := range l.Entries {
		m[e.URL] = e
	}
	return m
}

const seedDir = "testdata"

func seeds(t interface {
	Helper()
	Fatalf(string, ...any)
}) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(seedDir, "*.opml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("fuzz seeds are missing: %d files, %v", len(files), err)
	}
	var all [][]byte
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading seed: %v", err)
		}
		all = append(all, b)
	}
	return all
}

// Whatever is read is within its bounds, and what is written of it is well-formed and
// reads back the same.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	limits := Limits{Bytes: 1 << 20, Outlines: 50, Problems: 5}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := Parse(bytes.NewReader(raw), limits)
		if err != nil {
			return
		}
		if len(l.Entries) > limits.Outlines || len(l.Problems) > limits.Problems+1 {
			t.Fatalf("over the limits: %d entries, %d problems", len(l.Entries), len(l.Problems))
		}
		var b bytes.Buffer
		if err := Write(&b, l); err != nil {
			t.Fatal(err)
		}
		strict := xml.NewDecoder(bytes.NewReader(b.Bytes()))
		for {
			if _, err := strict.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("written badly: %v\n%s", err, b.Bytes())
			}
		}
		l = published(l)
		once := rewritten(t, l)
		if !reflect.DeepEqual(byURL(once), byURL(l)) || len(once.Problems) > 0 {
			t.Fatalf("read   %+v\nreread %+v", l, once)
		}
	})
}

// Tags stand in the attribute category, with commas between them, and are read again: in a list of another program the
// first of an outline in no folder is its folder.
func TestTags(t *testing.T) {
	list := List{Title: "mine", Entries: []Entry{
		{URL: "https://a.example/", Title: "A", Tags: []string{"daily", "Part 2", "Part 10", "R&D"}},
		{URL: "https://b.example/", Title: "B", Folder: "News", Tags: []string{"daily"}},
	}}
	var b bytes.Buffer
	if err := Write(&b, list); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ` category="daily,Part 2,Part 10,R&amp;D"`) {
		t.Errorf("written: %s", b.String())
	}
	got, err := Parse(bytes.NewReader(b.Bytes()), Limits{})
	if err != nil || !reflect.DeepEqual(got.Entries, list.Entries) {
		t.Errorf("read again: %+v, %v", got.Entries, err)
	}
	const foreign = `<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/" category="/Boston/Weather,politics, x y ,politics,,"/>
		<outline text="F"><outline text="B" xmlUrl="https://b.example/" category="one,/two/three"/></outline></body></opml>`
	got, err = Parse(strings.NewReader(foreign), Limits{})
	if err != nil || len(got.Entries) != 2 {
		t.Fatal(got, err)
	}
	for i, want := range []Entry{{Folder: "Boston/Weather", Tags: []string{"politics", "x y"}},
		{Folder: "F", Tags: []string{"one", "three", "two"}}} {
		if e := got.Entries[i]; e.Folder != want.Folder || !reflect.DeepEqual(e.Tags, want.Tags) {
			t.Errorf("%s is in %q with the tags %q, not %q and %q", e.Title, e.Folder, e.Tags, want.Folder, want.Tags)
		}
	}
}
