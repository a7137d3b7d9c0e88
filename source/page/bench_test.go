package page

import (
	"path/filepath"
	"testing"

	"tidings"
	"tidings/lab/dataset"
	"tidings/source/page/pagetest"
)

// BenchmarkExtract reads real pages: from small to large, and one made of markup that
// is not HTML's; where the recorded ones are missing, generated ones of about their size.
func BenchmarkExtract(b *testing.B) {
	for _, p := range []struct {
		name string
		size int // bytes
	}{
		{"kudu-blog-page4", 15_000}, {"flink-home", 24_000}, {"rsstea-home", 27_000},
		{"ecma402-datetimeformat", 90_000}, {"planet-sympy-home", 300_000}, {"calcite-history", 1_150_000},
	} {
		b.Run(p.name, func(b *testing.B) {
			body := benchPage(b, p.name, p.size)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Extract(body, "text/html", "https://example.org/", tidings.PageOptions{}, Noise{},
					Default()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchPage(b *testing.B, name string, size int) []byte {
	b.Helper()
	dir, err := dataset.Dir()
	if err != nil {
		b.Logf("a generated page: %v", err)
		body, _ := pagetest.Large(1, size)
		return body
	}
	h, err := dataset.ReadHistory(filepath.Join(dir, "page-histories", name+".tar.bz2"))
	if err != nil {
		b.Fatal(err)
	}
	return h.Snapshots[len(h.Snapshots)-1].Body
}
