package benchmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings/lab"
	"tidings/lab/cost"
	"tidings/lab/experiments"
)

const root = "../.."

// The document is what the rows and the words of docs/results make.
func TestBenchmarksAreMadeOfResults(t *testing.T) {
	made, err := Make(root)
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(root, Document))
	if err != nil {
		t.Fatal(err)
	}
	if string(made) != string(document) {
		t.Errorf("%s is not what %s makes: make it by tidings-lab benchmarks", Document, Results)
	}
}

// Where an experiment has changed since a row was measured, the row says that it is stale.
func TestRecordedRunsLeaveTheSameTrace(t *testing.T) {
	if testing.Short() || cost.RaceDetector() {
		t.Skip("tries every experiment at the scale tiny, for half a minute")
	}
	rows, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := ChangedSince(t.Context(), experiments.All(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changed {
		t.Errorf("%v, or mark it by tidings-lab benchmarks --stale WHY", c)
	}
}

// dice is an experiment with a trace of its faces.
func dice(name string, faces int, live bool) lab.Entry {
	return lab.Experiment[struct{}]{
		Name: name, Title: "A die", Source: "Huygens 1657", About: "A die falls.", Live: live,
		Expect: func(struct{}) []lab.Expected {
			return []lab.Expected{
				{Name: "faces", Within: lab.Exactly(6), Paper: new(6.0), OfMachine: live},
				{Name: "throws", Aside: true, OfMachine: live},
			}
		},
		Run: func(r *lab.Run, _ struct{}) error {
			r.Figure("faces", float64(faces))
			r.Figure("throws", 1)
			return nil
		},
	}
}

// project returns the root of a project with words for one topic, and a recorder.
func project(t *testing.T) (dir string, k *Recorder) {
	dir = t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, Results), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, Text), "# Speed\n\n{{games}}\n\nThe end.\n")
	return dir, &Recorder{root: dir, topic: "games", commit: "0123456789ab", load: 1.5}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func record(t *testing.T, k *Recorder, e lab.Entry) *Row {
	t.Helper()
	result, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Quick, Seed: 3, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	path, err := k.Record(t.Context(), e, result)
	if err != nil {
		t.Fatal(err)
	}
	r, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A recorded row says what was run, of which commit, on which machine, and what came of it. Recorded anew, it keeps its
// words.
func TestARecordedRow(t *testing.T) {
	dir, k := project(t)
	r := record(t, k, dice("dice", 7, false))
	r.Note, r.Limits, r.Stale = "Cast by hand.", map[string]string{"faces": "its shape"}, "the table was another"
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	made, err := Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<!-- Made by", "\n# Speed\n\n**`tidings-lab run dice --scale quick --seed 3 --seeds 2`**: commit " +
			"`0123456789ab`, ", " cores, ", ", load 1.5; ",
		"trace `" + r.Trace + "`. **Stale:** the table was another. Cast by hand.",
		"\n| figure | here | 95 % | aim | the paper | limited by |\n|---|---:|---:|---:|---:|---:|\n| faces | " +
			"**7** | 7 to 7 | = 6 | 6 | its shape |\n\nThe end.\n",
	} {
		if got := strings.Join(strings.Fields(string(made)), " "); !strings.Contains(got,
			strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the document lacks %q:\n%s", want, made)
		}
	}
	if again := record(t, k, dice("dice", 6, false)); again.Stale != "" || again.Note == "" || again.Limits == nil ||
		again.Trace == r.Trace {
		t.Errorf("recorded anew, it is %+v", again)
	}
}

// Rows are found if their experiment leaves another trace, unless they are stale, or live.
func TestChangedRowsAreFound(t *testing.T) {
	dir, k := project(t)
	kept := record(t, k, dice("kept", 6, false))
	cast := record(t, k, dice("cast", 6, false))
	record(t, k, dice("live", 6, true))
	list := []lab.Entry{dice("kept", 6, false), dice("cast", 7, false), dice("live", 7, true)}
	changed := func() (names []string) {
		rows, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := ChangedSince(t.Context(), list, rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			names = append(names, c.String())
		}
		return names
	}
	want := "measure it again by tidings-lab run cast --scale quick --seed 3 --seeds 2 --record games"
	if got := changed(); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("changed are %q", got)
	}
	cast.Stale = "it has seven faces"
	kept.Trace = "" // a row that no trace was recorded with
	for _, r := range []*Row{cast, kept} {
		if err := r.Save(); err != nil {
			t.Fatal(err)
		}
	}
	if got := changed(); len(got) != 1 || !strings.Contains(got[0], "kept-quick.json") {
		t.Errorf("changed are %q", got)
	}
}

// A program that was built of no commit records nothing, and says how to build another. There is no row of an unknown
// topic either.
func TestWhatCannotBeRecorded(t *testing.T) {
	dir, _ := project(t)
	if _, err := lab.Commit(); err == nil {
		t.Skip("this test was built of a commit")
	}
	for topic, want := range map[string]string{"games": "commit", "sports": `there is no topic "sports"`} {
		if k, err := NewRecorder(dir, topic); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("topic %s: %v, %v", topic, k, err)
		}
	}
	if k, err := NewRecorder(t.TempDir(), "games"); err == nil {
		t.Errorf("without a project there is %v", k)
	}
}

// What cannot be read well makes no document.
func TestRowsThatMakeNoDocument(t *testing.T) {
	for row, want := range map[string]string{
		`{"command":"a","commit":"b","machine":"c","table":["| x |"]}`: "",
		`{"command":"a","commit":"b","table":["| x |"]}`:               "missing",
		`{"command":"a","commit":"b","machine":"c"}`:                   "a result or a table",
		`{"command":"a","commit":"b","machine":"c","table":["x"]}`:     "does not begin",
		`{"command":"a","commit":"b","machine":"c","tabel":["| x |"]}`: "unknown field",
		`{"command":"a","commit":"b","machine":"c","table":["| ` + strings.Repeat("x", maxColumns) +
			`|"]}`: "more than 200 columns",
	} {
		dir, _ := project(t)
		path := filepath.Join(dir, Results, "games", "row.json")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, row)
		if _, err := Make(dir); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", row, err, want)
		}
		write(t, filepath.Join(dir, Text), "no topic\n")
		if _, err := Make(dir); err == nil {
			t.Errorf("%s: its topic is not in the text, and there is a document", row)
		}
	}
}
