package announce

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/lab/dataset"
	"tidings/source/feed"
	"tidings/source/feed/feedtest"
)

var sample = feed.Announcement{
	Topic: [20]byte{1, 2, 3}, Fingerprint: [32]byte{9, 8, 7}, Silence: time.Hour,
	Rotations: [][]byte{{1, 2, 3, 4}}, Revocations: [][]byte{{5, 6}},
}

const (
	marked = `topic="0102030000000000000000000000000000000000" fingerprint="0908070000000000000000000000000000000000000000000000000000000000" silence="3600"`
	inner  = "<tidings:rotation>AQIDBA==</tidings:rotation><tidings:revocation>BQY=</tidings:revocation></tidings:push>"
	push   = `<tidings:push xmlns:tidings="urn:tidings:feedtree:1" ` + marked + `>` + inner
	field  = `{"topic":"0102030000000000000000000000000000000000","fingerprint":"0908070000000000000000000000000000000000000000000000000000000000","silence":3600,"rotations":["AQIDBA=="],"revocations":["BQY="]}`
)

// Nothing but the announcement changes, and it looks like what stands around it.
func TestInto(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"rss": {
			"<?xml version=\"1.0\"?>\r\n<rss version=\"2.0\">\r\n  <channel>\r\n    <title>T</title>\r\n  </channel>\r\n</rss>\r\n",
			"<?xml version=\"1.0\"?>\r\n<rss version=\"2.0\">\r\n  <channel>\r\n    " + push +
				"\r\n    <title>T</title>\r\n  </channel>\r\n</rss>\r\n",
		},
		"on one line": {"<rss><channel><title>T</title></channel></rss>", "<rss><channel>" + push +
			"<title>T</title></channel></rss>"},
		"atom": {
			"\xef\xbb\xbf<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\t<entry><id>1</id></entry>\n</feed>",
			"\xef\xbb\xbf<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\t" + push +
				"\n\t<entry><id>1</id></entry>\n</feed>",
		},
		"with prefixes of its own": {
			`<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:p="urn:tidings:feedtree:1"><a:entry><a:id>1</a:id></a:entry></a:feed>`,
			`<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:p="urn:tidings:feedtree:1">` +
				strings.ReplaceAll("<tidings:push "+marked+">"+inner, "tidings:", "p:") +
				`<a:entry><a:id>1</a:id></a:entry></a:feed>`,
		},
		"where the usual prefix is another's": {
			`<rss xmlns:tidings="urn:other"><channel><tidings:x/></channel></rss>`,
			`<rss xmlns:tidings="urn:other"><channel>` + push + `<tidings:x/></channel></rss>`,
		},
		"over an older one": {
			"<rss><channel><title>T</title><x/>\n<tidings:push topic='00'\n fingerprint='' />\n<item><guid>1</guid></item></channel></rss>",
			"<rss><channel><title>T</title><x/>\n" + push + "\n<item><guid>1</guid></item></channel></rss>",
		},
		"over several": {
			"<rss><channel>" + push + "<title>T</title>" + push + "</channel></rss>",
			"<rss><channel>" + push + "<title>T</title></channel></rss>",
		},
		"not within an item": {
			"<rss><channel><item><guid>1</guid>" + push + "</item></channel></rss>",
			"<rss><channel>" + push + "<item><guid>1</guid>" + push + "</item></channel></rss>",
		},
		"not in a text": {
			"<rss><channel><description><![CDATA[<channel>]]><tidings:push/></description></channel></rss>",
			"<rss><channel>" + push + "<description><![CDATA[<channel>]]><tidings:push/></description></channel></rss>",
		},
		"windows-1252": {
			"<?xml version='1.0' encoding='windows-1252'?><rss><channel><title>\xe9</title></channel></rss>",
			"<?xml version='1.0' encoding='windows-1252'?><rss><channel>" + push +
				"<title>\xe9</title></channel></rss>",
		},
		"json": {
			"{\n  \"version\": \"https://jsonfeed.org/version/1.1\",\n  \"items\": [{\"id\": \"1\"}]\n}",
			"{\n  \"version\": \"https://jsonfeed.org/version/1.1\",\n  \"_tidings_push\": " + field +
				",\n  \"items\": [{\"id\": \"1\"}]\n}",
		},
		"json with the version last": {
			`{"title": "T", "items": [], "version": "https://jsonfeed.org/version/1"}`,
			`{"title": "T", "items": [], "version": "https://jsonfeed.org/version/1", "_tidings_push": ` + field + `}`,
		},
		"json over an older one": {
			`{"_tidings_push" : {"topic": []} , "version": "https://jsonfeed.org/version/1", "items": []}`,
			`{"_tidings_push" : ` + field + ` , "version": "https://jsonfeed.org/version/1", "items": []}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := Into([]byte(c.before), sample, feed.Default())
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != c.after {
				t.Errorf("got\n%s\nwant\n%s", after, c.after)
			}
			again, err := Into(after, sample, feed.Default())
			if err != nil || !bytes.Equal(again, after) {
				t.Errorf("written again: %v\n%s", err, again)
			}
			if back, err := Into(after, feed.Announcement{}, feed.Default()); err != nil ||
				bytes.Contains(back, []byte("rotation")) && !strings.Contains(name, "within") {
				t.Errorf("replaced by a shorter one: %v\n%s", err, back)
			}
		})
	}
}

// What is no feed, or has no place for an announcement, stays as it is.
func TestIntoRefuses(t *testing.T) {
	for doc, want := range map[string]error{
		"":                                    feed.ErrNotFeed,
		"<!DOCTYPE html><title>x</title>":     feed.ErrNotFeed,
		`{"items":[{"title":"t","url":"u"}]}`: feed.ErrNotFeed,
		"<rss><channel/></rss>":               tidings.ErrInvalid,
		"<rss></rss>":                         tidings.ErrInvalid,
		"<channel><item></item></channel>":    tidings.ErrInvalid,
		"<rss><channel><t:push xmlns:t='urn:tidings:feedtree:1'><title>T</title></channel></rss>":     tidings.ErrInvalid,
		"<?xml version='1.0' encoding='ISO-2022-JP'?><rss><channel><title>T</title></channel></rss>":  tidings.ErrInvalid,
		`{"version":"https://jsonfeed.org/version/1","_tidings_push":1,"_tidings_push":2,"items":[]}`: tidings.ErrInvalid,
		`{"version":"https://jsonfeed.org/version/1","items":[]`:                                      feed.ErrNotFeed,
		"<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id></entry>":                               tidings.ErrInvalid,
	} {
		if out, err := Into([]byte(doc), sample, feed.Default()); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v\n%s", doc, err, want, out)
		}
	}
	for _, a := range []feed.Announcement{
		{Silence: -time.Second}, {Silence: time.Millisecond}, {Silence: feed.MaxSilence + time.Second},
		{Rotations: [][]byte{{}}}, {Rotations: [][]byte{make([]byte, feed.MaxStatement+1)}},
		{Revocations: slices.Repeat([][]byte{{1}}, feed.MaxStatements+1)},
	} {
		if _, err := Into([]byte("<rss><channel><title>T</title></channel></rss>"), a, feed.Default()); !errors.Is(err,
			tidings.ErrInvalid) {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

// Wide characters, with and without a mark, and either end first.
func TestIntoWideCharacters(t *testing.T) {
	const before, after = "<rss><channel><title>T</title></channel></rss>", "<rss><channel>" + push +
		"<title>T</title></channel></rss>"
	for name, wide := range map[string]func(string) string{
		"UTF-16, big end first":    func(s string) string { return spread(s, "\x00%") },
		"UTF-16, little end first": func(s string) string { return spread(s, "%\x00") },
		"UTF-32, big end first":    func(s string) string { return spread(s, "\x00\x00\x00%") },
		"UTF-32, little end first": func(s string) string { return spread(s, "%\x00\x00\x00") },
		"marked UTF-16":            func(s string) string { return "\xff\xfe" + spread(s, "%\x00") },
		"marked UTF-32":            func(s string) string { return "\x00\x00\xfe\xff" + spread(s, "\x00\x00\x00%") },
	} {
		got, err := Into([]byte(wide(before)), sample, feed.Default())
		if err != nil || string(got) != wide(after) {
			t.Errorf("%s: %v\n%q", name, err, got)
		}
	}
}

func spread(s, pattern string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(strings.ReplaceAll(pattern, "%", s[i:i+1]))
	}
	return b.String()
}

// What people paste is read as what is written.
func TestSnippet(t *testing.T) {
	for format, around := range map[feed.Format][2]string{
		feed.RSS:      {"<rss><channel>", "<item><guid>1</guid></item></channel></rss>"},
		feed.Atom:     {`<feed xmlns="http://www.w3.org/2005/Atom">`, "<entry><id>1</id></entry></feed>"},
		feed.JSONFeed: {`{"version":"https://jsonfeed.org/version/1.1",`, `,"items":[{"id":"1"}]}`},
	} {
		snippet, err := Snippet(format, sample)
		if err != nil {
			t.Fatal(err)
		}
		d, err := feed.Parse([]byte(around[0]+snippet+around[1]), "", "", feed.Default())
		if err != nil || d.Announcement == nil || !same(*d.Announcement, sample) || len(d.Items) != 1 {
			t.Errorf("%s: %v\n%s\n%+v", format, err, snippet, d)
		}
	}
}

// Every feed keeps its items, and every byte but the announcement's.
func TestIntoFeeds(t *testing.T) {
	t.Run("generated", func(t *testing.T) { intoAll(t, generated(), 1000) })
	t.Run("recorded", func(t *testing.T) { intoAll(t, recorded(t), 200) })
}

// intoAll announces in all documents that are feeds, of which there must be some.
func intoAll(t *testing.T, docs map[string][]byte, least int) {
	written := 0
	for name, doc := range docs {
		if testing.Short() && written > 200 {
			least = 0
			break
		}
		before, err := feed.Parse(doc, "", "", feed.Default())
		if err != nil {
			continue
		}
		after, err := Into(doc, sample, feed.Default()) // it compares the items itself
		if errors.Is(err, tidings.ErrInvalid) || errors.Is(err, feed.ErrNotFeed) && before.Format == feed.JSONList {
			t.Logf("%s (%s): %v", name, before.Format, err)
			continue
		}
		if err != nil {
			t.Errorf("%s (%s): %v", name, before.Format, err)
			continue
		}
		written++
		if !isInsertion(doc, after) {
			t.Errorf("%s: more has changed than the announcement", name)
		}
		if again, err := Into(after, sample, feed.Default()); err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: written again, %v", name, err)
		}
	}
	if written < least {
		t.Errorf("written into %d feeds only", written)
	}
}

// isInsertion reports whether after is before with something put in at one place.
func isInsertion(before, after []byte) bool {
	head := 0
	for head < len(before) && before[head] == after[head] {
		head++
	}
	return len(after) > len(before) && bytes.HasSuffix(after, before[head:])
}

func TestIntoIsFoundAgain(t *testing.T) {
	docs := []string{
		"<rss><channel>\n <title>T</title><item><guid>1</guid></item></channel></rss>",
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id></entry></feed>`,
		`{"version":"https://jsonfeed.org/version/1.1", "items":[{"id":"1"}]}`,
	}
	statements := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, feed.MaxStatement), 0, feed.MaxStatements)
	rapid.Check(t, func(t *rapid.T) {
		a := feed.Announcement{Silence: time.Duration(rapid.IntRange(0, int(feed.MaxSilence/time.Second)).Draw(t,
			"silence")) * time.Second,
			Rotations: statements.Draw(t, "rotations"), Revocations: statements.Draw(t, "revocations")}
		copy(a.Topic[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "topic"))
		copy(a.Fingerprint[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "fingerprint"))
		doc := []byte(rapid.SampledFrom(docs).Draw(t, "document"))
		for _, in := range []feed.Announcement{sample, a} {
			var err error
			if doc, err = Into(doc, in, feed.Default()); err != nil {
				t.Fatal(err)
			}
		}
		d, err := feed.Parse(doc, "", "", feed.Default())
		if err != nil || !same(*d.Announcement, a) {
			t.Fatalf("%v: %+v of\n%s", err, d, doc)
		}
	})
}

func FuzzInto(f *testing.F) {
	// Few and short ones: a fuzzer goes through all of them before it begins. TestIntoFeeds has the others.
	docs := generated()
	seeds := 0
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if strings.HasSuffix(name, ", plain") && len(docs[name]) <= 1500 {
			f.Add(docs[name])
			seeds++
		}
	}
	if seeds < 10 {
		f.Fatalf("%d seeds only", seeds)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		after, err := Into(doc, sample, feed.Default())
		if err != nil {
			return
		}
		again, err := Into(after, sample, feed.Default())
		if err != nil || !bytes.Equal(again, after) {
			t.Errorf("written again: %v\n%q\n%q", err, after, again)
		}
	})
}

// generated returns generated feeds by name.
func generated() map[string][]byte {
	out := make(map[string][]byte)
	for i, d := range feedtest.Documents(1) {
		if i%3 == 0 {
			out[d.Name] = d.Body
		}
	}
	return out
}

// recorded returns the recorded feeds by name.
func recorded(tb testing.TB) map[string][]byte {
	tb.Helper()
	archives, err := filepath.Glob(filepath.Join(dataset.NeedDir(tb), "feeds", "*.zip"))
	if err != nil || len(archives) == 0 {
		tb.Fatalf("no recorded feeds: %v", err)
	}
	out := make(map[string][]byte)
	for _, archive := range archives {
		z, err := zip.OpenReader(archive)
		if err != nil {
			tb.Fatal(err)
		}
		for _, member := range z.File {
			r, err := member.Open()
			if err != nil {
				tb.Fatal(err)
			}
			body, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				tb.Fatal(err)
			}
			out[filepath.Base(archive)+":"+member.Name] = body
		}
		if err := z.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// A file is replaced whole, with its mode; a link to it stays one.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "feed.xml"), filepath.Join(dir, "link.xml")
	if err := errors.Join(os.WriteFile(file, []byte("<rss><channel><title>T</title></channel></rss>"), 0o640),
		os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if w, err := File(link, sample, feed.Default()); err != nil || w != (Written{feed.RSS, want}) {
			t.Errorf("%d: %+v, %v", i, w, err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "<rss><channel>"+push+"<title>T</title></channel></rss>" {
		t.Errorf("%v: %s", err, got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("%v: %v", err, info.Mode())
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v: %v", err, info.Mode())
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("left over: %v, %v", names, err)
	}
	if _, err := File(dir, sample, feed.Default()); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a directory: %v", err)
	}
	if err := replace(file, []byte("what was read"), []byte("new"), 0o600); !errors.Is(err, ErrChanged) {
		t.Errorf("written by somebody else meanwhile: %v", err)
	}
}
