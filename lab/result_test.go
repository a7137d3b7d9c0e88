package lab

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func saved(t *testing.T, dir string, seeds int) *Result {
	t.Helper()
	r := try(t, toy(), Options{Scale: Quick, Seed: 1, Seeds: seeds})
	files, err := r.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"toy-means.svg", "toy-means.png", "toy.html", "toy.json"}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	return r
}

// The file's names and types are a promise to other programs.
func TestResultFile(t *testing.T) {
	dir := t.TempDir()
	saved(t, dir, 3)
	data, err := os.ReadFile(filepath.Join(dir, "toy.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var file map[string]any
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	number := func(v any) bool { _, ok := v.(json.Number); return ok }
	text := func(v any) bool { s, ok := v.(string); return ok && s != "" }
	boolean := func(v any) bool { _, ok := v.(bool); return ok }
	orNull := func(is func(any) bool) func(any) bool { return func(v any) bool { return v == nil || is(v) } }
	check := func(where string, object map[string]any, fields map[string]func(any) bool) {
		for name, is := range fields {
			if v, ok := object[name]; !ok || !is(v) {
				t.Errorf("%s: %s is %v", where, name, v)
			}
		}
	}
	check("result", file, map[string]func(any) bool{
		"experiment": text, "scale": text, "seed": number, "trace_hash": text,
		"events": number, "wall_seconds": number, "peak_bytes": number,
	})
	figures, _ := file["figures"].([]any)
	if len(figures) != 4 {
		t.Fatalf("%d figures", len(figures))
	}
	for _, f := range figures {
		figure := f.(map[string]any)
		check("figure", figure, map[string]func(any) bool{
			"name": text, "unit": text, "paper": orNull(number), "here": number, "low": number, "high": number,
			"ok": boolean,
		})
		if (figure["paper"] == nil) != (figure["name"] == "most") {
			t.Errorf("%s: paper is %v", figure["name"], figure["paper"])
		}
	}
}

func TestLoadGivesBackWhatWasSaved(t *testing.T) {
	dir := t.TempDir()
	r := saved(t, dir, 2)
	if err := os.WriteFile(filepath.Join(dir, "notes.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	all, leftOut, err := Load(dir)
	if err != nil || !slices.Equal(leftOut, LeftOut{"notes.json: it is no result of an experiment"}) {
		t.Errorf("left out: %v (%v)", leftOut, err)
	}
	if len(all) != 1 || all[0].TraceHash != r.TraceHash ||
		!slices.EqualFunc(all[0].Rows(), r.Rows(), func(a, b Row) bool { return a == b }) {
		t.Errorf("got %+v", all)
	}
	picture, err := os.ReadFile(filepath.Join(dir, all[0].Plots[0].PNG))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
}

func TestFoldersThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/lab"} {
		if err := MakeDir(dir); err == nil {
			t.Errorf("%s was accepted", dir)
		}
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := MakeDir(dir); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}

// A result has a page of its own, which needs nothing else to be read and has the command that repeats it.
func TestResultHasAPage(t *testing.T) {
	dir := t.TempDir()
	r := saved(t, dir, 3)
	page, err := os.ReadFile(filepath.Join(dir, "toy.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{r.Title, "<svg", "tidings-lab run toy --scale quick"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
