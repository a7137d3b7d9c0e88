package lab

import (
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
		r.TraceHash, "tidings lab run toy --scale quick --seed 1 --seeds 2", "&#34;throws&#34;: 1000", r.Machine.Go, "prefers-color-scheme: dark",
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

func TestReportOfNothing(t *testing.T) {
	if _, err := Report(t.TempDir(), "x"); err == nil || !strings.Contains(err.Error(), "there are no results in") {
		t.Error(err)
	}
}
