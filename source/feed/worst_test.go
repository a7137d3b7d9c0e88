package feed

import (
	"fmt"
	"strings"
	"testing"

	"tidings/lab/cost"
)

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d", i)
	}
	return b.String()
}

// BenchmarkWorst measures what texts cost that were made to keep their reader busy.
func BenchmarkWorst(b *testing.B) {
	work := map[string]func(){}
	for name, text := range map[string]string{
		"one tag of attributes":    "<a" + attributes(100_000) + ">x</a>",
		"attributes and many tags": "<a" + attributes(60_000) + ">x</a>" + strings.Repeat("<i b>", 80_000),
	} {
		work["render/"+name] = func() { sanitize(body{text: text}, testBase) }
	}
	for name, mark := range alikeItems {
		known, doc := alike(5000, mark)
		work["match/"+name] = func() { Match(known, doc) }
	}
	for name, do := range work {
		b.Run(name, func(b *testing.B) {
			start := cost.CPU()
			for b.Loop() {
				do()
			}
			b.ReportMetric(float64((cost.CPU()-start).Milliseconds())/float64(b.N), "CPU-ms")
		})
	}
}

// hostile 16: of many attributes of an element the first are looked at.
func TestHostile16ManyAttributes(t *testing.T) {
	var some tidier
	some.run("<p lang=en" + attributes(10_000) + ">a</p>")
	if n := strings.Count(some.out.String(), "="); n != maxAttributes {
		t.Errorf("%d attributes are looked at, want %d", n, maxAttributes)
	}
}
