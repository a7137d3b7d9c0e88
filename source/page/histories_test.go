package page

import (
	"bytes"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/lab/dataset"
	"tidings/lab/effort"
	"tidings/source/delta"
)

// TestRecordedHistories reads recorded page histories and compares what it finds with two dumb models. An extractor
// that only strips tags shows whether a real change is missed, or a version made of nothing. GNU diff and patch show
// whether the deltas are right, and small. Run it with -v for the table. With -short it reads the latest states of the
// two smallest.
func TestRecordedHistories(t *testing.T) {
	t.Logf("%-24s %7s %9s %7s %7s | %s", "page", "states", "versions", "missed", "extra",
		"delta bytes: median, sum, GNU diff's sum")
	for _, file := range effort.Histories(t, "page-histories") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tar.bz2"), func(t *testing.T) {
			t.Parallel()
			h, err := dataset.ReadHistory(file)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() {
				h.Snapshots = h.Snapshots[max(0, len(h.Snapshots)-20):]
			}
			checkHistory(t, h)
		})
	}
}

func checkHistory(t *testing.T, h dataset.History) {
	deltas := deltas{gnu: newGNU(t)}
	var last Document
	var lastSeen string
	versions, missed, extra := 0, 0, 0
	for i, s := range h.Snapshots {
		doc, err := Extract(s.Body, "text/html", "https://example.org/", tidings.PageOptions{}, Noise{}, Default())
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		seen := dumbText(h.Name, s.Body)
		if i == 0 {
			last, lastSeen, versions = doc, seen, 1
			continue
		}
		same := slices.Equal(doc.Lines, last.Lines)
		switch {
		case same && seen != lastSeen:
			missed++
			before, after := firstDifference(lastSeen, seen)
			t.Errorf("state %d: no version, though visible text differs: %q -> %q", i, before, after)
		case !same && seen == lastSeen:
			extra++
		}
		if !same {
			versions++
			deltas.add(last.Lines, doc.Lines)
		}
		last, lastSeen = doc, seen
	}
	median, sum := deltas.end(t)
	t.Logf("%-24s %7d %9d %7d %7d | %d, %d, %d", h.Name, len(h.Snapshots), versions, missed, extra, median, sum,
		deltas.gnuSum)
	if extra > extras[h.Name] {
		t.Errorf("%d versions without a visible change, want at most %d", extra, extras[h.Name])
	}
}

// deltas are those of a history.
type deltas struct {
	gnu    gnu
	sizes  []int // bytes
	gnuSum int   // bytes of those that GNU diff makes
}

// add makes the delta of two states and has GNU patch apply it.
func (d *deltas) add(old, new []string) {
	text := delta.Compute(old, new).String()
	d.sizes = append(d.sizes, len(text))
	d.gnuSum += d.gnu.check(old, new, text)
}

// end holds the deltas' size against those of GNU diff.
func (d *deltas) end(t *testing.T) (median, sum int) {
	slices.Sort(d.sizes)
	for _, n := range d.sizes {
		sum += n
		median = d.sizes[len(d.sizes)/2]
	}
	if sum > d.gnuSum*11/10 {
		t.Errorf("deltas have %d bytes, more than a tenth above GNU diff's %d", sum, d.gnuSum)
	}
	return median, sum
}

// extras are the versions that are right though the dumb model sees no change: it
// throws the header of an article away with that of the site, and blanks too.
var extras = map[string]int{"manishearth-home": 1, "ecma402-datetimeformat": 2}

// The dumb model. It knows nothing of roles, classes, blocks or dates in general.
var (
	dumbDrop  = regexp.MustCompile(`(?is)<!--.*?-->|<(?:script|style|template|noscript|head|svg|select|button|textarea|iframe)\b.*?</(?:script|style|template|noscript|head|svg|select|button|textarea|iframe)>`)
	dumbFrame = regexp.MustCompile(`(?is)<(?:nav|header|footer)\b.*?</(?:nav|header|footer)>`)
	dumbImage = regexp.MustCompile(`(?is)<img\b[^>]*?\balt="([^"]*)"[^>]*>`)
	dumbTags  = regexp.MustCompile(`(?s)</?[a-zA-Z!?][^>]*>`)

	// dumbNoise is what the dumb model sees in the recorded pages and is no news.
	dumbNoise = regexp.MustCompile(`(?s)Copyright©2014-20\d\d.*` + // footer of flink, made of plain elements
		`|^ApacheCalcite(\[?CalciteLogo\]?)?` + // header of the site
		`|Lastupdated:[A-Z][a-z]+\d\d,20\d\d\d\d:\d\d[AP]M` + // stamp of a planet
		`|最終更新：20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`)
)

// dumbText returns the visible text without any white space.
func dumbText(name string, body []byte) string {
	if name == "morning-wire-home" {
		return "" // all of it is a script, in whose text the dumb model gets lost
	}
	s := dumbDrop.ReplaceAllString(string(body), " ")
	s = dumbFrame.ReplaceAllString(s, " ")
	s = dumbImage.ReplaceAllString(s, "$1")
	s = dumbTags.ReplaceAllString(s, " ")
	return dumbNoise.ReplaceAllString(strings.Join(strings.Fields(html.UnescapeString(s)), ""), "")
}

func firstDifference(a, b string) (string, string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	n = max(0, n-20)
	return a[n:min(n+100, len(a))], b[n:min(n+100, len(b))]
}

// gnu runs GNU diff and patch where they are installed.
type gnu struct {
	t   *testing.T
	dir string // empty: not installed
}

func newGNU(t *testing.T) gnu {
	for _, tool := range []string{"diff", "patch"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("deltas are not checked by GNU diff and patch: %v", err)
			return gnu{t: t}
		}
	}
	return gnu{t: t, dir: t.TempDir()}
}

// check has patch make the new lines of the old ones, and returns how long a delta
// diff would have made.
func (g gnu) check(old, new []string, text string) int {
	if g.dir == "" {
		return len(text)
	}
	before, after, patched := filepath.Join(g.dir, "old"), filepath.Join(g.dir, "new"), filepath.Join(g.dir, "patched")
	want := fileOf(new)
	for name, data := range map[string][]byte{before: fileOf(old), after: want} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
	patch := exec.Command("patch", "--normal", "--silent", "--output="+patched, before)
	patch.Stdin = strings.NewReader(text)
	if out, err := patch.CombinedOutput(); err != nil {
		g.t.Fatalf("patch refuses a delta: %v\n%s", err, out)
	}
	if got, err := os.ReadFile(patched); err != nil || !bytes.Equal(got, want) {
		g.t.Errorf("patch makes something else of the old lines (%v)", err)
	}
	out, _ := exec.Command("diff", "--text", before, after).Output() // exits 1 when they differ
	return len(out)
}

func fileOf(lines []string) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
