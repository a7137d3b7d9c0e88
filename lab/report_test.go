package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestReport(t *testing.T) {
	dir := t.TempDir()
	r := saved(t, dir, 2)
	page := report(t, dir)
	for _, want := range []string{
		"<h1>Tidings lab</h1>", r.Title, r.Source, "mean of world 2", "95% interval", "Huygens: 3.5", `<svg role="img"`,
		r.TraceHash, "tidings-lab run toy --scale quick --seed 1 --seeds 2", "&#34;throws&#34;: 1000", r.Machine.Go,
		"prefers-color-scheme: dark",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, bad := range []string{"http://", "https://", "<script", " src=", "<link"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page is not self-contained: it has %q", bad)
		}
	}
	checkNesting(t, page)
}

// The page says beside each figure what counts as the paper's value, and below why one does not.
func TestReportOfTolerances(t *testing.T) {
	dir := t.TempDir()
	saved(t, dir, 1)
	if page := report(t, dir); strings.Contains(page, "Tolerance") ||
		strings.Contains(page, "What differs from the paper") {
		t.Error("it speaks of tolerances, and none is stated")
	}
	all, _, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &all[0].Figures[1]
	f.PaperLeast, f.PaperMost, f.Reason = new(9.0), new(11.0), "dice have <b>six</b> sides"
	if _, err := all[0].Save(dir); err != nil {
		t.Fatal(err)
	}
	page := report(t, dir)
	for _, want := range []string{">Tolerance<", ">9 to 11 points<", "What differs from the paper",
		"not 9 to 11 points as in the paper: dice have &lt;b&gt;six&lt;/b&gt; sides."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	checkNesting(t, page)
}

func report(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "report.html")
	n, err := Report(dir, path)
	if err != nil || n != 1 {
		t.Fatalf("%d results, %v", n, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkNesting wants every element that is opened to be closed, in order.
func checkNesting(t *testing.T, page string) {
	t.Helper()
	void := map[string]bool{"meta": true, "br": true}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%v are not closed", open)
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// Results may come from elsewhere: nothing in them runs, and no file outside is shown.
func TestReportOfForeignResults(t *testing.T) {
	dir := t.TempDir()
	saved(t, dir, 1)
	path := filepath.Join(dir, "toy.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(filepath.Dir(dir), "secret.svg")
	if err := os.WriteFile(secret, []byte(`<svg><text>secret</text></svg>`), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(data), "toy-means.svg", "../secret.svg")
	changed = strings.ReplaceAll(changed, "A die thrown", "<script>alert(1)</script>")
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	page := report(t, dir)
	if strings.Contains(page, "<script") || strings.Contains(page, ">secret<") {
		t.Error("the page has what it must not have")
	}
	if !strings.Contains(page, "is not in the folder") {
		t.Error("the page does not say what is missing")
	}
}

// Files that are broken or of others are named with the reason; the page is made of the rest.
func TestReportBesideBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	r := saved(t, dir, 1)
	for name, content := range map[string]string{
		"cut.json": `{"experiment": "toy", "fig`, "other.json": `{"name": "tidings"}`, "list.json": `[1, 2]`,
		"types.json": `{"experiment": 7, "figures": "many"}`, "empty.json": "", "notes.txt": "no JSON",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "report.html")
	n, err := Report(dir, path)
	var leftOut LeftOut
	if !errors.As(err, &leftOut) || n != 1 || len(leftOut) != 5 {
		t.Fatalf("%d results, %v", n, err)
	}
	data, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	page := html.UnescapeString(string(data))
	if !strings.Contains(page, r.TraceHash) {
		t.Error("the page does not show the result that is whole")
	}
	for i, want := range []string{
		"cut.json: it is no result of an experiment: unexpected end of JSON input", "empty.json: ", "list.json: ",
		"other.json: it is no result of an experiment", "types.json: ",
	} {
		if !strings.HasPrefix(leftOut[i], want) {
			t.Errorf("got %q, want %q", leftOut[i], want)
		}
		if !strings.Contains(page, "Left out: "+leftOut[i]) || !strings.Contains(err.Error(), leftOut[i]) {
			t.Errorf("%q is not reported", leftOut[i])
		}
	}
}

// An error names a few files, however many there are.
func TestLeftOutIsShort(t *testing.T) {
	if got, want := LeftOut(strings.Fields("a b c d e f g")).Error(),
		"left out: a; b; c; d; e; and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReportOfNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := Report(dir, "x"); err == nil || err.Error() != "there are no results in "+dir {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	var leftOut LeftOut
	if _, err := Report(dir, "x"); !errors.As(err, &leftOut) ||
		!strings.HasPrefix(err.Error(), "there are no results in") {
		t.Error(err)
	}
}

// Figures that are reported aside have neither bounds nor a verdict.
func TestReportOfFiguresAside(t *testing.T) {
	dir := t.TempDir()
	e := toy()
	e.Expect = func(toySizes) []Expected {
		return []Expected{{Name: "a", Within: AtMost(1)}, {Name: "b", Paper: new(9.0), Aside: true}}
	}
	e.Run = func(r *Run, _ toySizes) error {
		r.Figure("a", 1)
		r.Figure("b", 3)
		return nil
	}
	r := try(t, e, Options{Scale: Tiny, Seed: 1, Seeds: 1})
	if _, err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	page := report(t, dir)
	for _, want := range []string{
		`not judged: </span>B</th><td class="n">3</td><td class="n">9</td><td class="r">–</td>`,
		"The only figure that is judged is as expected.", `<th scope="row" title="b">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
