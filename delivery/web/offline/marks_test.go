package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
)

// Whatever is sent, marks are read as they were written, within their bounds, or refused as what cannot be used.
func FuzzParseMarks(f *testing.F) {
	if seeds, err := os.ReadDir("testdata/fuzz/FuzzParseMarks"); err != nil || len(seeds) < 3 {
		f.Fatalf("the seeds are missing: %v", err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMarks(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, tidings.ErrInvalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		if all := m.At(now); len(all) != len(m.Marks) || len(all) > tidings.MaxMarks ||
			slices.ContainsFunc(all, func(one tidings.Mark) bool {
				return one.At.After(now) || one.At.Before(now.Add(-maxAgo))
			}) {
			t.Fatalf("%q gives %+v", text, all)
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		second, err := ParseMarks(strings.NewReader(string(again)))
		if err != nil || fmt.Sprint(second) != fmt.Sprint(m) {
			t.Fatalf("%s is read as %+v, not as %+v: %v", again, second, m, err)
		}
	})
}

// Each bound holds at it, and not one beside it.
func TestMarksAreBounded(t *testing.T) {
	marks := func(n int, ago int64) string {
		text, err := json.Marshal(Marks{Marks: slices.Repeat([]Mark{{Do: "read", Entry: 1, Ago: ago}}, n)})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for text, good := range map[string]bool{
		marks(tidings.MaxMarks, 0): true, marks(tidings.MaxMarks+1, 0): false,
		marks(1, maxAgo.Milliseconds()): true, marks(1, maxAgo.Milliseconds()+1): false, marks(1, -1): false,
		marks(0, 0): true, marks(1, 0) + "{}": false, marks(1, 0) + " ": true, "null": true, "[]": false,
	} {
		if _, err := ParseMarks(strings.NewReader(text)); (err == nil) != good {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// Tags say nothing about people, and differ between them; lists, by anything in them.
func TestTags(t *testing.T) {
	ann, bob := PersonTag(2, tidings.Person{Name: "ann"}), PersonTag(3, tidings.Person{Name: "bob"})
	later := PersonTag(2, tidings.Person{Created: time.Unix(5, 0)})
	if ann == bob || ann == later || strings.Contains(ann, "ann") {
		t.Errorf("tags %s, %s, %s", ann, bob, later)
	}
	l := List{Person: ann, Build: "a-b", Articles: []Listed{{1, "x"}, {2, "y"}}}
	seen := map[string]bool{l.ETag(): true}
	for _, other := range []List{
		{Person: bob, Build: l.Build, Articles: l.Articles}, {Person: ann, Build: "a-c", Articles: l.Articles},
		{Person: ann, Build: l.Build},
		{Person: ann, Build: l.Build, Articles: []Listed{{2, "y"}, {1, "x"}}},
		{Person: ann, Build: l.Build, Articles: []Listed{{1, "x"}, {2, "z"}}},
	} {
		if seen[other.ETag()] {
			t.Errorf("%+v has the tag of another list", other)
		}
		seen[other.ETag()] = true
	}
}
