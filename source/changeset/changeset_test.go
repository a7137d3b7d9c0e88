package changeset

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/delta"
	"tidings/source/feed"
	"tidings/source/page"
)

// hashOf returns the hash of a page's lines: that of delta.Hash, in bytes.
func hashOf(lines []string) (h Hash) {
	// delta.Hash writes hexadecimal digits, two for each byte.
	_, _ = hex.Decode(h[:], []byte(delta.Hash(lines)))
	return h
}

// document writes a feed of stories: a guid, a title and a text each.
func document(stories ...[3]string) []byte {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>T</title><link>https://example.org/</link>`)
	for _, s := range stories {
		fmt.Fprintf(&b, `<item><guid>%s</guid><link>https://example.org/%s</link><title>%s</title><description><![CDATA[%s]]></description>`+
			`<enclosure url="https://example.org/%s.mp3" type="audio/mpeg" length="5"/><category>c</category></item>`,
			s[0], s[0], s[1], s[2], s[0])
	}
	b.WriteString(`</channel></rss>`)
	return []byte(b.String())
}

func read(t testing.TB, doc []byte) []tidings.FoundItem {
	t.Helper()
	d, err := feed.Parse(doc, "", "https://example.org/feed", feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	return feed.Match(nil, d)
}

func marksOf(items []tidings.FoundItem) (marks []tidings.ItemIdentity, known []tidings.KnownItem) {
	for i := range items {
		marks = append(marks, items[i].Mark)
		known = append(known, tidings.KnownItem{Row: int64(i + 1), ItemIdentity: items[i].Mark, Listed: true})
	}
	return marks, known
}

// of returns the changeset that leads to items from those with the given marks.
func of(items []tidings.FoundItem, base ...tidings.ItemIdentity) *Set {
	p := &Set{Kind: tidings.KindFeed, Title: "T", Site: "https://example.org/"}
	for _, i := range items {
		c := feed.Carried{FoundItem: i, Whole: true}
		for _, b := range base {
			if b == i.Mark {
				c = feed.Carried{FoundItem: tidings.FoundItem{Mark: i.Mark}}
			}
		}
		p.Items = append(p.Items, c)
	}
	return p
}

func pass(t testing.TB, p *Set) *Set {
	t.Helper()
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// What passes through a changeset is what a poll would have found.
func TestAParcelTellsWhatAPollWouldHave(t *testing.T) {
	before := read(t, document([3]string{"a", "A", "one"}, [3]string{"b", "B", "<p>two</p>"}))
	baseMarks, known := marksOf(before)
	now := document([3]string{"c", "C &amp; D", `<p onclick="x()">new <a href="/there">link</a></p>`},
		[3]string{"a", "A", "one"}, [3]string{"b", "B2", "two"})
	items := read(t, now)
	marks, _ := marksOf(items)
	f, err := pass(t, of(items, baseMarks...)).Feed(known, tidings.ContentHash(marks), feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	d, err := feed.Parse(now, "", "https://example.org/feed", feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	want := feed.Match(known, d)
	for i := range want {
		got := f.Items[i]
		if got.Row != want[i].Row || got.Change != want[i].Change || got.Mark != want[i].Mark {
			t.Errorf("item %d: %+v, want %+v", i, got, want[i])
		}
		if want[i].Change != "" && !reflect.DeepEqual(got.Item, want[i].Item) {
			t.Errorf("item %d: %+v, want %+v", i, got.Item, want[i].Item)
		}
	}
	if f.KnownUpTo != 2 || f.Title != "T" {
		t.Errorf("change %+v", f)
	}
}

// The hash is the same in whatever order a feed is served, and another for every other content.
func TestTheHashOfAFeed(t *testing.T) {
	one, _ := marksOf(read(t, document([3]string{"a", "A", "x"}, [3]string{"b", "B", "y"})))
	other, _ := marksOf(read(t, document([3]string{"b", "B", "y"}, [3]string{"a", "A", "x"})))
	changed, _ := marksOf(read(t, document([3]string{"b", "B", "y"}, [3]string{"a", "A", "z"})))
	if tidings.ContentHash(one) != tidings.ContentHash(other) ||
		tidings.ContentHash(one) == tidings.ContentHash(changed) ||
		tidings.ContentHash(one) == tidings.ContentHash(one[:1]) {
		t.Error("hashes do not tell contents apart")
	}
}

// Hostile 42, 43: what a poll could not have found is refused, and so is what lacks something.
func TestAForgedParcelIsRefused(t *testing.T) {
	items := read(t, document([3]string{"a", "A", "x"}, [3]string{"b", "B", "y"}))
	marks, known := marksOf(items)
	for name, forge := range map[string]func(p *Set){
		"another text":       func(p *Set) { p.Items[0].Raw, p.Items[0].Summary = "lie", "lie" },
		"another title":      func(p *Set) { p.Items[0].Title = "Lie" },
		"another link":       func(p *Set) { p.Items[0].URL = "https://evil.example/" },
		"another guid":       func(p *Set) { p.Items[0].ID = "lie" },
		"a link to a script": func(p *Set) { p.Items[0].URL = "javascript:alert(1)" },
		"an item less":       func(p *Set) { p.Items = p.Items[:1] },
		"an item twice":      func(p *Set) { p.Items = append(p.Items, p.Items[0]) },
		"an item without text": func(p *Set) {
			p.Items[0] = feed.Carried{FoundItem: tidings.FoundItem{Mark: p.Items[0].Mark}}
		},
		"control characters": func(p *Set) { p.Items[0].Content = "\x00" },
	} {
		p := of(items)
		forge(p)
		if f, err := pass(t, p).Feed(nil, tidings.ContentHash(marks), feed.Default()); err == nil {
			t.Errorf("%s: %+v", name, f)
		} else if !errors.Is(err, ErrUnfit) && !errors.Is(err, feed.ErrForged) && !errors.Is(err, feed.ErrLacking) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A mark is enough for what is known.
	if _, err := pass(t, of(items, marks...)).Feed(known, tidings.ContentHash(marks), feed.Default()); err != nil {
		t.Error(err)
	}
}

// Scripts do not come in by way of other nodes.
func TestACarriedTextIsSanitisedAgain(t *testing.T) {
	items := read(t, document([3]string{"a", "A", "hello"}))
	marks, _ := marksOf(items)
	p := of(items)
	p.Items[0].Content = `<script>alert(1)</script><img src=x onerror=alert(1)>hello`
	f, err := pass(t, p).Feed(nil, tidings.ContentHash(marks), feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Items[0].Content; strings.Contains(got, "script") || strings.Contains(got, "onerror") {
		t.Errorf("shown: %q", got)
	}
}

func TestAPageIsProved(t *testing.T) {
	base, lines := []string{"# A", "one"}, []string{"# A", "two"}
	p := &Set{Kind: tidings.KindPage, Title: "P"}
	p.SetPage(base, lines)
	p = pass(t, p)
	f, err := p.Page(base, hashOf(lines), []string{"# A", "meanwhile"}, page.Default())
	if err != nil || !reflect.DeepEqual(f.Lines, lines) || !strings.Contains(f.Delta, "< meanwhile") {
		t.Errorf("%+v, %v", f, err)
	}
	for name, try := range map[string]func() (*tidings.Change, error){
		"another base": func() (*tidings.Change, error) {
			return p.Page([]string{"# B"}, hashOf(lines), base, page.Default())
		},
		"another result": func() (*tidings.Change, error) { return p.Page(base, hashOf(base), base, page.Default()) },
	} {
		if f, err := try(); !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	p.SetPage(nil, []string{"a\x07b"})
	if _, err := p.Page(nil, hashOf([]string{"a\x07b"}), nil, page.Default()); !errors.Is(err, ErrUnfit) {
		t.Errorf("a control character: %v", err)
	}
}

// A long changeset is compressed, and one that grows beyond all bounds is refused.
func TestSizes(t *testing.T) {
	long := &Set{Kind: tidings.KindPage, Delta: strings.Repeat("line\n", 100_000)}
	b, err := long.Encode()
	if err != nil || len(b) > 10_000 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if got := pass(t, long); got.Delta != long.Delta {
		t.Error("it is not what it was")
	}
	bomb := &Set{Kind: tidings.KindPage, Delta: strings.Repeat("0", MaxSize+1)}
	if b, err = bomb.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(b, feed.Default()); !errors.Is(err, ErrMalformed) {
		t.Errorf("%d bytes of a bomb: %v", len(b), err)
	}
}

func TestEveryParcelPasses(t *testing.T) {
	text := rapid.StringMatching(`[a-z<>&" é]{0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		p := &Set{Kind: tidings.KindFeed, Title: rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "title")}
		p.Items = []feed.Carried{}
		for range rapid.IntRange(0, 5).Draw(t, "items") {
			c := feed.Carried{Whole: rapid.Bool().Draw(t, "whole")}
			c.Mark = tidings.ItemIdentity{ID: rapid.Uint64().Draw(t, "id"), Print: rapid.Uint64().Draw(t, "print")}
			if c.Whole {
				c.ID, c.URL, c.Title, c.Summary = text.Draw(t, "guid"), text.Draw(t, "url"), text.Draw(t, "t"),
					text.Draw(t, "summary")
				c.Content, c.Raw = text.Draw(t, "content"), text.Draw(t, "raw")
				c.Categories = rapid.SliceOfN(text, 1, 3).Draw(t, "categories")
				for range rapid.IntRange(0, 2).Draw(t, "files") {
					c.Files = append(c.Files, tidings.File{
						URL: text.Draw(t, "file"), Type: text.Draw(t, "type"), Length: rapid.Int64().Draw(t, "length"),
						Ref: [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "ref")),
					})
				}
			}
			p.Items = append(p.Items, c)
		}
		b, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b, feed.Default())
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Fatalf("%+v became %+v (%v)", p, got, err)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("the same changeset has two encodings (%v)", err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	items := read(f, document([3]string{"a", "A", "x"}, [3]string{"b", "B", strings.Repeat("y", 2000)}))
	filled := of(items[:1])
	filled.Items[0].Files = []tidings.File{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Length: 5,
		Ref: [32]byte{1}}}
	dispatch := of(items[:1])
	dispatch.Items[0].News = &tidings.News{GUID: "urn:a", Version: 2, Status: tidings.Canceled,
		Subjects: []tidings.Subject{{Name: "sport"}}}
	for _, p := range []*Set{of(items), of(items[:1]), filled, dispatch,
		{Kind: tidings.KindPage, Delta: "0a1\n> x\n"}} {
		b, err := p.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode(b, feed.Default())
		if err != nil {
			return
		}
		var marks []tidings.ItemIdentity
		for i := range p.Items {
			marks = append(marks, p.Items[i].Mark)
		}
		if found, err := p.Feed(nil, tidings.ContentHash(marks), feed.Default()); err == nil {
			for _, i := range found.Items {
				if strings.Contains(strings.ToLower(i.Content+i.Summary), "<script") {
					t.Errorf("unsafe: %+v", i)
				}
			}
		}
		_, _ = p.Page(nil, Hash{}, nil, page.Default())
	})
}
