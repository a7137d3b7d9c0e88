package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logOf writes a log with some entries, and returns its path.
func logOf(t *testing.T, seeds ...uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	l, err := Begin(path, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		if err := l.Add(Entry{Seed: seed, Result: Passed, Drawn: Drawn{Router: "direct", Nodes: 8}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func change(t *testing.T, path string, f func(text string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(f(string(text))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A log goes on after its last whole line, wherever it was cut off.
func TestResumesALogThatIsCutOff(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  func(text string) string
		want int
	}{
		{"whole", func(text string) string { return text }, 2},
		{"in its last line", func(text string) string { return text[:len(text)-20] }, 1},
		{"before the end of its last line", func(text string) string { return text[:len(text)-1] }, 1},
		{"after its first line", func(text string) string { return text[:strings.IndexByte(text, '\n')+1] }, 0},
	} {
		path := logOf(t, 7, 9)
		change(t, path, c.cut)
		l, err := Resume(path)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if l.Seed != 7 || len(l.Entries) != c.want {
			t.Errorf("%s: seed %d, %d entries", c.name, l.Seed, len(l.Entries))
		}
		if err := errors.Join(l.Add(Entry{Seed: 11}), l.Close()); err != nil {
			t.Fatal(err)
		}
		if l, err = Resume(path); err != nil || len(l.Entries) != c.want+1 || l.Entries[c.want].Seed != 11 {
			t.Errorf("%s: after another entry: %v, %+v", c.name, err, l)
		}
	}
}

func TestRefusesOtherLogs(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(text string) string
	}{
		{"another version", "version 999", func(text string) string {
			return strings.Replace(text, `"campaign":`, `"campaign":999, "was":`, 1)
		}},
		{"another file", "no log", func(string) string { return "hello\n" }},
		{"nothing", "no whole line", func(string) string { return "" }},
		{"a line in between is damaged", "line 2",
			func(text string) string { return strings.Replace(text, `"drawn"`, "drawn", 1) }},
	} {
		path := logOf(t, 7, 9)
		change(t, path, c.change)
		if _, err := Resume(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Begin(logOf(t), 7); !errors.Is(err, ErrExists) {
		t.Errorf("a log in the place of another: %v", err)
	}
	if _, err := Resume(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a log is resumed that is not there")
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"campaign":2,"seed":7}` + "\n" +
		`{"seed":7,"result":"failed","failures":[{"oracle":"once","what":"twice"}],"drawn":{"faults":{"loss":1}}}` +
		"\n"))
	f.Add([]byte("\n{}"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		l := &Log{}
		if l.parse(data) == nil {
			Summarize(l.Entries)
		}
	})
}

func TestSummary(t *testing.T) {
	drawn := Drawn{Router: "scribe", Nodes: 50, Faults: map[Kind]int{Loss: 1, Crash: 4}}
	s := Summarize([]Entry{
		{Seed: 1, Drawn: drawn, Result: Passed, CPU: 1},
		{Seed: 2, Drawn: drawn, Result: Failed, CPU: 2, Failures: []Failure{{"once", "twice"}, {"held", "lost"}}},
		{Seed: 3, Drawn: Drawn{Router: "direct", Nodes: 5000, Private: true}, Result: Bounded},
	})
	if s.Worlds != 3 || s.Failed != 1 || s.Bounded != 1 || s.CPU != 3 || s.Oracles["held"] != 1 ||
		len(s.Failures) != 1 {
		t.Errorf("%+v", s)
	}
	if got := s.Kinds[0]; got != (Counted{"crash", 2, 8, 1}) {
		t.Errorf("%+v", got)
	}
	if len(s.Sizes) != 2 || s.Sizes[1] != (Counted{"1000-5000", 1, 0, 0}) || len(s.Routers) != 2 || len(s.Kinds) != 4 {
		t.Errorf("%+v", s)
	}
}
