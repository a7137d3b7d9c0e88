package delta

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/pmezard/go-difflib/difflib"
	"github.com/sergi/go-diff/diffmatchpatch"

	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/lab/dataset"
	"tidings/source/page/pagetest"
)

// worst are the pairs of hostile 26, and some more that hurt edit scripts.
func worst() map[string][2][]string {
	rng := rand.New(rand.NewPCG(1, 2))
	page := func(name string, lines, vocabulary int) []string {
		list := make([]string, lines)
		for i := range list {
			list[i] = fmt.Sprintf("%s line %d of a page", name, rng.IntN(vocabulary))
		}
		return list
	}
	numbered := func(lines, step int) []string {
		list := make([]string, lines)
		for i := range list {
			list[i] = fmt.Sprint("line ", i*step%lines)
		}
		return list
	}
	repeat := func(line string, n int) []string { return strings.Split(strings.Repeat(line+"\n", n-1)+line, "\n") }
	return map[string][2][]string{
		"unrelated 1 MB pages":          {page("old", 40_000, 1<<30), page("new", 40_000, 1<<30)},
		"unrelated, 1,000 lines shared": {page("a", 40_000, 1000), page("a", 40_000, 1000)},
		"unrelated, 2 lines shared":     {page("a", 100_000, 2), page("a", 100_000, 2)},
		"one line of 1 MB": {[]string{strings.Repeat("x", 1<<20)},
			[]string{strings.Repeat("x", 1<<20-1) + "y"}},
		"100,000 equal lines": {repeat("x", 100_000), repeat("x", 99_000)},
		"100,000 equal lines, one apart": {append(repeat("x", 100_000), "end"),
			append([]string{"begin"}, repeat("x", 100_000)...)},
		"100,000 equal lines, other": {repeat("x", 100_000), repeat("y", 100_000)},
		"shuffled":                   {numbered(100_003, 1), numbered(100_003, 7919)},
		"backward":                   {numbered(100_003, 1), numbered(100_003, 100_002)},
		"every second line changed":  {numbered(100_000, 1), alternate(numbered(100_000, 1))},
	}
}

func alternate(lines []string) []string {
	for i := range lines {
		if i%2 == 0 {
			lines[i] += "!"
		}
	}
	return lines
}

// mostTime bounds the processor time of a delta, garbage collection included. The goal is 50 ms, which BenchmarkWorst
// measures. An algorithm quadratic in lines needs a hundred times that.
const mostTime = time.Second

// TestHostile26 is hostile 26: whatever the pages, the delta is right and made in bounded time. Under the race
// detector, which makes it slow, no time is measured.
func TestHostile26(t *testing.T) {
	for name, pair := range worst() {
		t.Run(name, func(t *testing.T) {
			start := cpu.Time()
			d := Compute(pair[0], pair[1])
			took := cpu.Time() - start
			t.Logf("%v, %d hunks, %d bytes", took, len(d), len(d.String()))
			if took > mostTime && !cost.RaceDetector() {
				t.Errorf("took %v, want at most %v", took, mostTime)
			}
			limits := DefaultLimits()
			limits.Lines = 200_000
			if _, err := ApplyTo(pair[0], Hash(pair[0]), d.String(), Hash(pair[1]), limits); err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkWorst measures Compute on the pairs of hostile 26.
func BenchmarkWorst(b *testing.B) {
	for name, pair := range worst() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Compute(pair[0], pair[1])
			}
		})
	}
}

// BenchmarkLibraries compares what could make the edit script, on the source lines of
// every fourth pair of states of a recorded page, and on pairs that hurt. Changed lines
// a pair (lower is better) are reported beside the time. Measured with
// -benchtime 1x, time and changed lines a pair:
//
//	                                 this package   go-udiff      go-diff       go-difflib
//	flink-blog-index (75 pairs)      0.03 ms  33    0.3 ms   73   0.2 ms   33   0.4 ms   33
//	planet-sympy-home (12)           0.4 ms   62    2.0 ms   62   1.4 ms   62   4.8 ms  130
//	calcite-history (8)              0.8 ms  101    9.3 ms  100   7.0 ms  100   7.8 ms  101
//	two unrelated pages of 1 MB      7 ms           8 ms          8 s           20 ms
//	unrelated, 1,000 lines shared    5 ms           12 ms         10 s (limit)  1.8 s
//	100,003 lines shuffled           20-64 ms       34 ms         10 s (limit)  1.2 s
//	100,000 equal lines, one apart   5 ms           9 ms          35 s          not run
//
// So go-udiff is the one that is bounded, and by counting, not by the clock; what it
// lacks is quality where more than 100 lines differ (flink), and anchors give it that.
// go-diff's limit of time is not kept, and makes results differ from run to run.
func BenchmarkLibraries(b *testing.B) {
	libraries := []struct {
		name string
		diff func(old, new []string) (changed int)
	}{
		{"Compute", func(old, new []string) int {
			n := 0
			for _, h := range Compute(old, new) {
				n += len(h.Old) + len(h.New)
			}
			return n
		}},
		{"go-udiff", func(old, new []string) int {
			n := 0
			text := fileOf(old)
			for _, e := range udiff.Lines(text, fileOf(new)) {
				n += strings.Count(text[e.Start:e.End], "\n") + strings.Count(e.New, "\n")
			}
			return n
		}},
		{"go-diff", func(old, new []string) int {
			dmp := diffmatchpatch.New()
			dmp.DiffTimeout = 10 * time.Second // 0 is no limit
			x, y, _ := dmp.DiffLinesToRunes(fileOf(old), fileOf(new))
			n := 0
			for _, d := range dmp.DiffMainRunes(x, y, false) {
				if d.Type != diffmatchpatch.DiffEqual {
					n += len([]rune(d.Text))
				}
			}
			return n
		}},
		{"go-difflib", func(old, new []string) int {
			n := 0
			for _, op := range difflib.NewMatcher(old, new).GetOpCodes() {
				if op.Tag != 'e' {
					n += op.I2 - op.I1 + op.J2 - op.J1
				}
			}
			return n
		}},
	}
	pairs := recordedPairs(b)
	bad := worst()
	for _, name := range []string{"unrelated 1 MB pages", "unrelated, 1,000 lines shared", "shuffled",
		"100,000 equal lines, one apart"} {
		pairs[name] = [][2][]string{bad[name]}
	}
	for _, name := range []string{"flink-blog-index", "planet-sympy-home", "calcite-history", "unrelated 1 MB pages",
		"unrelated, 1,000 lines shared", "shuffled", "100,000 equal lines, one apart"} {
		for _, l := range libraries {
			if bad[name][0] != nil && (l.name == "go-diff" || l.name == "go-difflib") && testing.Short() {
				continue // seconds to minutes each
			}
			if l.name == "go-difflib" && name == "100,000 equal lines, one apart" {
				continue // each equal line is compared with all others: 10^10 steps
			}
			b.Run(name+"/"+l.name, func(b *testing.B) {
				changed := 0
				for b.Loop() {
					changed = 0
					for _, p := range pairs[name] {
						changed += l.diff(p[0], p[1])
					}
				}
				b.ReportMetric(float64(changed)/float64(len(pairs[name])), "changed/pair")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pairs[name])), "µs/pair")
			})
		}
	}
}

// recordedPairs are successive states of real pages, line by line; where the recorded ones are missing, of
// generated ones of about their size.
func recordedPairs(b *testing.B) map[string][][2][]string {
	pairs := map[string][][2][]string{}
	lines := func(body []byte) []string {
		return strings.Split(strings.ReplaceAll(string(body), "\r", ""), "\n")
	}
	data, err := dataset.Dir()
	for name, size := range map[string]int{"flink-blog-index": 55_000, "planet-sympy-home": 300_000,
		"calcite-history": 1_150_000} {
		if err != nil {
			before, after := pagetest.Large(1, size)
			apart := func(body []byte) []byte { return bytes.ReplaceAll(body, []byte("><"), []byte(">\n<")) }
			pairs[name] = append(pairs[name], [2][]string{lines(apart(before)), lines(apart(after))})
			continue
		}
		h, err := dataset.ReadHistory(filepath.Join(data, "page-histories", name+".tar.bz2"))
		if err != nil {
			b.Fatal(err)
		}
		for i := 1; i < len(h.Snapshots); i += 4 {
			pairs[name] = append(pairs[name], [2][]string{lines(h.Snapshots[i-1].Body), lines(h.Snapshots[i].Body)})
		}
	}
	return pairs
}
