package feed

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"tidings"
	"tidings/lab/dataset"
	"tidings/lab/effort"
	"tidings/source/feed/feedtest"
)

// memory is what a store keeps for Match.
type memory struct {
	known []tidings.KnownItem
	row   map[int64]int
}

func (m *memory) keep(found []tidings.FoundItem) {
	for i := range m.known {
		m.known[i].Listed = false
	}
	if m.row == nil {
		m.row = make(map[int64]int)
	}
	for i := range found {
		f := &found[i]
		if f.Row == 0 {
			f.Row = int64(len(m.known) + 1)
			m.row[f.Row] = len(m.known)
			m.known = append(m.known, tidings.KnownItem{Row: f.Row})
		}
		k := &m.known[m.row[f.Row]]
		k.ItemIdentity, k.Listed = f.Mark, true
	}
}

// The dumb model reads documents with regular expressions. It knows an item by its guid alone (its link where there is
// none). It sees title and text without tags and white space. It is the oracle of Parse and Match.
var (
	dumbItem  = regexp.MustCompile(`(?s)<(item|entry)[ >].*?</(?:item|entry)>`)
	dumbTag   = regexp.MustCompile(`(?s)<[^>]*>`)
	dumbDead  = regexp.MustCompile(`(?is)<!--.*?-->|<(script|style|svg|iframe)[ >].*?</(?:script|style|svg|iframe)>`)
	dumbID    = dumbElement("guid|id")
	dumbLink  = dumbElement("link")
	dumbTitle = dumbElement("title")
	dumbBody  = []*regexp.Regexp{dumbElement("content:encoded"), dumbElement("content"),
		dumbElement("description|summary")}
	dumbAbout = regexp.MustCompile(`^<item rdf:about="([^"]*)"`)
	dumbHref  = regexp.MustCompile(`<link [^>]*href="([^"]*)"`)
)

func dumbElement(names string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(?:` + names + `)(?: [^>]*)?>(.*?)</(?:` + names + `)>`)
}

type dumb struct{ id, title, visible string }

func dumbRead(s dataset.Snapshot) []dumb {
	if s.Ext == "json" {
		return dumbJSON(s.Body)
	}
	var out []dumb
	for _, src := range dumbItem.FindAllString(string(s.Body), -1) {
		d := dumb{id: dumbText(dumbID, src), title: dumbText(dumbTitle, src)}
		if m := dumbAbout.FindStringSubmatch(src); d.id == "" && m != nil {
			d.id = html.UnescapeString(m[1])
		}
		if d.id == "" {
			d.id = dumbText(dumbLink, src)
		}
		if m := dumbHref.FindStringSubmatch(src); d.id == "" && m != nil {
			d.id = m[1]
		}
		body := ""
		for _, re := range dumbBody {
			if body = dumbText(re, src); body != "" {
				break
			}
		}
		d.visible = dumbVisible(d.title) + "\n" + dumbVisible(body)
		out = append(out, d)
	}
	return out
}

func dumbJSON(body []byte) []dumb {
	var list []map[string]any
	if json.Unmarshal(body, &list) != nil {
		var o struct{ Items []map[string]any }
		if json.Unmarshal(body, &o) != nil {
			return nil
		}
		list = o.Items
	}
	var out []dumb
	for _, o := range list {
		text := func(name string) string { s, _ := o[name].(string); return s }
		d := dumb{id: text("id"), title: html.UnescapeString(text("title"))}
		if d.id == "" {
			d.id = text("link") + " " + d.title
		}
		d.visible = dumbVisible(d.title) + "\n" + dumbVisible(text("summary"))
		out = append(out, d)
	}
	return out
}

func dumbText(re *regexp.Regexp, src string) string {
	m := re.FindStringSubmatch(src)
	if m == nil {
		return ""
	}
	s := strings.TrimSpace(m[1])
	if rest, ok := strings.CutPrefix(s, "<![CDATA["); ok {
		return strings.TrimSpace(strings.TrimSuffix(rest, "]]>"))
	}
	return strings.TrimSpace(html.UnescapeString(s))
}

func dumbVisible(s string) string {
	s = html.UnescapeString(dumbTag.ReplaceAllString(dumbDead.ReplaceAllString(s, " "), " "))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\u00ad' || r == '\ufeff' {
			return -1
		}
		return r
	}, s)
}

// tally counts where Match and the dumb model disagree.
type tally struct {
	known   int // the model never saw the id, Match knew the item
	again   int // the model saw the id, Match calls it new
	silent  int // the model sees another text, Match reports no change
	noise   int // the model sees the same text, Match calls it changed
	restamp int // changes in states that differ only in stamps
}

// explained are all disagreements, and why Match is right.
var explained = map[string]struct {
	tally
	why string
}{
	"flink-site-index": {tally{known: 259},
		"all guids were rewritten at once, links and titles stayed; pages without dates moved with their texts"},
	"manishearth-rust": {tally{known: 10},
		"the site wrote the same dates in its addresses in another way, and back"},
	"manishearth-systems": {tally{known: 2}, "as in the one on Rust"},
	"rsstea-json": {tally{known: 10},
		"its items have no ids: one whose link changed under the same title and date is the same"},
}

// Of every generated history, each state reports exactly what is new in it. Every item is recognised as the one that it
// was.
func TestGeneratedHistoriesTellWhatIsNew(t *testing.T) {
	for _, h := range feedtest.Histories(1) {
		t.Run(h.Name, func(t *testing.T) {
			var mem memory
			rows := make(map[int]int64) // by serial number
			for n, s := range h.States {
				d, err := Parse(s.Body, "", testBase, Default())
				if err != nil {
					t.Fatalf("state %d: %v", n, err)
				}
				found := Match(mem.known, d)
				if len(found) != len(s.Items) {
					t.Fatalf("state %d: %d items, want %d\n%s", n, len(found), len(s.Items), s.Body)
				}
				for i, want := range s.Items {
					f := found[i]
					if f.Title != want.Title || string(f.Change) != string(want.Change) || f.Row != rows[want.Serial] {
						t.Errorf("state %d: %q is %q and known as %d; want %q, %q, %d", n, f.Title, f.Change, f.Row,
							want.Title, want.Change, rows[want.Serial])
					}
				}
				mem.keep(found)
				for i, want := range s.Items {
					rows[want.Serial] = found[i].Row
				}
			}
		})
	}
}

func TestRecordedHistoriesTellEveryStoryOnce(t *testing.T) {
	dir := filepath.Join(dataset.NeedDir(t), "feed-histories")
	stamps := stampOnlyStates(t, dir)
	for _, file := range effort.Histories(t, "feed-histories") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tar.bz2"), func(t *testing.T) {
			t.Parallel()
			h, err := dataset.ReadHistory(file)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() { // the latest states
				h.Snapshots = h.Snapshots[max(0, len(h.Snapshots)-8):]
			}
			replay(t, h, stamps[h.Name])
		})
	}
}

// stampOnlyStates returns the times of the states that differ from the one before in
// comments and generation stamps only, by history.
func stampOnlyStates(t *testing.T, dir string) map[string]map[int64]bool {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "updates.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]map[int64]bool)
	for _, row := range rows[1:] {
		if row[8] != "0" {
			continue
		}
		unix, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if out[row[0]] == nil {
			out[row[0]] = make(map[int64]bool)
		}
		out[row[0]][unix] = true
	}
	return out
}

func replay(t *testing.T, h dataset.History, stampOnly map[int64]bool) {
	var mem memory
	var got tally
	seen := make(map[string]string) // by the model's id: the text last seen
	told := make(map[int64]bool)    // rows already reported as new
	stampStates, news, changes := 0, 0, 0
	for i, s := range h.Snapshots {
		d, err := Parse(s.Body, "", "https://origin.example/feed", Default())
		if err != nil {
			t.Fatalf("state %s/%d: %v", s.Run, s.N, err)
		}
		model, byTitle := make(map[string]dumb), make(map[string]dumb)
		for _, m := range dumbRead(s) {
			if _, twice := model[m.id]; !twice {
				model[m.id] = m
				byTitle[dumbVisible(m.title)] = m
			}
		}
		found := Match(mem.known, d)
		if len(found) != len(model) {
			t.Errorf("state %s/%d: %d items, the model has %d", s.Run, s.N, len(found), len(model))
		}
		quietState := s.Run == "dense" && s.N > 1 && i > 0 && stampOnly[s.Time.Unix()]
		if quietState {
			stampStates++
		}
		for _, f := range found {
			m, ok := model[f.ID]
			if !ok { // the link, which Parse writes its own way, or rdf:about
				m, ok = byTitle[dumbVisible(f.Title)]
			}
			if !ok {
				t.Fatalf("state %s/%d: the model has no item %q", s.Run, s.N, f.ID)
			}
			id := m.id
			before, known := seen[id]
			switch f.Change {
			case tidings.New:
				news++
				if known {
					got.again++
					t.Logf("again in %s/%d: %q %q", s.Run, s.N, f.ID, f.Title)
				}
				if f.Row != 0 || told[f.Row] {
					t.Errorf("state %s/%d: %q is told as new and known", s.Run, s.N, f.ID)
				}
			case tidings.Changed:
				changes++
				if known && before == m.visible {
					got.noise++
					t.Logf("noise in %s/%d: %q", s.Run, s.N, f.Title)
				}
			default:
				if !known {
					if got.known++; got.known < 15 {
						t.Logf("known in %s/%d: %q %q", s.Run, s.N, f.ID, f.Title)
					}
				} else if before != m.visible {
					got.silent++
					if got.silent < 5 {
						at := 0
						for at < min(len(before), len(m.visible)) && before[at] == m.visible[at] {
							at++
						}
						lo := max(0, at-40)
						t.Logf("silent in %s/%d: %q: %q, %q", s.Run, s.N, f.Title, cutText(before[lo:], 120),
							cutText(m.visible[lo:], 120))
					}
				}
			}
			if quietState && f.Change != "" {
				got.restamp++
			}
			seen[id] = m.visible
		}
		mem.keep(found)
	}
	t.Logf("%d states (%d of them stamps only): %d new, %d changed", len(h.Snapshots), stampStates, news, changes)
	if want := explained[h.Name]; got != want.tally {
		t.Errorf("disagreements with the model: %+v, explained are %+v (%s)", got, want.tally, want.why)
	}
}
