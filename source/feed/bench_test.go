package feed

import (
	"bytes"
	"encoding/xml"
	"io"
	"path/filepath"
	"testing"

	"github.com/mmcdole/gofeed"

	"tidings/lab/dataset"
	"tidings/source/feed/feedtest"
)

// likeBenchFeeds are generated feeds of about the size of the recorded ones.
var likeBenchFeeds = map[string]struct {
	format  string
	stories int
}{
	"new-grad-jobs":     {"RSS 2.0", 22},
	"wien-oepnv-en":     {"RSS 2.0", 10},
	"rust-blog":         {"Atom 1.0", 75},
	"planet-sympy-atom": {"Atom 1.0", 330},
	"rsstea-json":       {"JSON list", 8},
}

// benchFeeds are two states of a real feed each, one after the other; where the recorded ones are missing, of a
// generated one.
func benchFeeds(b *testing.B, name string) (before, after []byte) {
	b.Helper()
	dir, err := dataset.Dir()
	if err != nil {
		b.Logf("a generated feed: %v", err)
		return feedtest.Large(1, likeBenchFeeds[name].format, likeBenchFeeds[name].stories)
	}
	h, err := dataset.ReadHistory(filepath.Join(dir, "feed-histories", name+".tar.bz2"))
	if err != nil {
		b.Fatal(err)
	}
	n := len(h.Snapshots)
	return h.Snapshots[n-2].Body, h.Snapshots[n-1].Body
}

var benchNames = []string{"new-grad-jobs", "wien-oepnv-en", "rust-blog", "planet-sympy-atom", "rsstea-json"}

// BenchmarkParse reads whole documents, with the fingerprints of all items.
func BenchmarkParse(b *testing.B) {
	for _, name := range benchNames {
		b.Run(name, func(b *testing.B) {
			_, doc := benchFeeds(b, name)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(doc, "", "https://origin.example/feed", Default()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGofeed reads the same with the library that this package does without,
// behind the guard that it would need.
func BenchmarkGofeed(b *testing.B) {
	for _, name := range benchNames[:4] {
		b.Run(name, func(b *testing.B) {
			_, doc := benchFeeds(b, name)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
					if _, err := d.RawToken(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
				if _, err := gofeed.NewParser().Parse(bytes.NewReader(doc)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChanged is what a poll costs that finds a change: parse, compare with what
// is known, and render what is new.
func BenchmarkChanged(b *testing.B) {
	for _, name := range benchNames {
		b.Run(name, func(b *testing.B) {
			before, after := benchFeeds(b, name)
			first, err := Parse(before, "", "https://origin.example/feed", Default())
			if err != nil {
				b.Fatal(err)
			}
			var mem memory
			mem.keep(Match(nil, first))
			if len(mem.known) > 1 { // one story that is news at every poll
				mem.known = mem.known[1:]
			}
			b.SetBytes(int64(len(after)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Parse(after, "", "https://origin.example/feed", Default())
				if err != nil {
					b.Fatal(err)
				}
				Match(mem.known, d)
			}
		})
	}
}

// BenchmarkRender sanitises every item of a feed.
func BenchmarkRender(b *testing.B) {
	_, doc := benchFeeds(b, "rust-blog")
	d, err := Parse(doc, "", "https://origin.example/feed", Default())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		for i := range d.Items {
			d.Items[i].Render()
		}
	}
}
