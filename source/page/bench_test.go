package page

import (
	"path/filepath"
	"testing"

	"tidings"
	"tidings/lab/dataset"
)

// BenchmarkExtract reads real pages: from small to large, and one made of markup that
// is not HTML's.
func BenchmarkExtract(b *testing.B) {
	for _, name := range []string{"kudu-blog-page4", "flink-home", "rsstea-home", "ecma402-datetimeformat", "planet-sympy-home", "calcite-history"} {
		b.Run(name, func(b *testing.B) {
			h, err := dataset.ReadHistory(filepath.Join(dataset.NeedDir(b), "page-histories", name+".tar.bz2"))
			if err != nil {
				b.Fatal(err)
			}
			body := h.Snapshots[len(h.Snapshots)-1].Body
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Extract(body, "text/html", "https://example.org/", tidings.PageOptions{}, Noise{}, Default()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
