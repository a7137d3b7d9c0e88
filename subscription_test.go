package tidings_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

// Names of folders, whatever stands in them, are the same when they are read from a path.
func TestFolderNamesSurvive(t *testing.T) {
	part := rapid.SampledFrom([]string{"/", "%", "2", "F", "5", "f", "%2F", "%25", `\`, " ", "a", "é", ".", ".."})
	name := rapid.OneOf(rapid.String(),
		rapid.Map(rapid.SliceOfN(part, 0, 8), func(parts []string) string { return strings.Join(parts, "") }))
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for _, n := range rapid.SliceOfN(name, 0, 5).Draw(t, "names") {
			if n = strings.TrimSpace(n); n != "" {
				names = append(names, n)
			}
		}
		path := tidings.FolderPath(names...)
		if got := tidings.FolderNames(path); !slices.Equal(got, names) {
			t.Fatalf("%q became %q, by the path %q", names, got, path)
		}
		if again := tidings.CleanFolder(path); again != path {
			t.Fatalf("%q written again is %q", path, again)
		}
	})
}

// A path of before slashes were escaped has the names that it had.
func TestFolderPathsKeepTheirMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-zé%\\][a-z0-9 %\\.é]{0,6}[a-z%\\]`), 1, 5).Draw(t, "names")
		path := strings.Join(names, "/")
		if strings.Contains(path, "%2F") || strings.Contains(path, "%25") {
			t.Skip("an escape")
		}
		if got := tidings.FolderNames(path); !slices.Equal(got, names) || tidings.CleanFolder(path) != path {
			t.Fatalf("%q is read as %q, and written %q", path, got, tidings.CleanFolder(path))
		}
	})
	for path, want := range map[string]string{
		"": "", "/": "", "/a//b/": "a / b", " a / b ": "a / b", "AC%2FDC": "AC/DC", "Music/AC%2FDC": "Music / AC/DC",
		"100%": "100%", "a%2fb": "a%2fb", "%252F": "%2F", "100%25": "100%",
	} {
		if got := tidings.FolderLabel(path); got != want {
			t.Errorf("%q is shown as %q, not %q", path, got, want)
		}
	}
}

// Names are sorted as people count.
func TestCompareNames(t *testing.T) {
	want := []string{"", "2", "10", "Feed", "feed 2", "Feed 02 b", "Feed 10", "feed 010 b", "Feed x", "zebra", "Ärger"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, tidings.CompareNames)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
	name := rapid.StringMatching(`[a-bA-B0-2 ]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if tidings.CompareNames(a, b) != -tidings.CompareNames(b, a) || (tidings.CompareNames(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d and %d", a, b, tidings.CompareNames(a, b), tidings.CompareNames(b, a))
		}
		if tidings.CompareNames(a, b) < 0 && tidings.CompareNames(b, c) < 0 && tidings.CompareNames(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first and last", a, b, c)
		}
	})
}
