package reader

import "testing"

// A folder lies in itself and in those above it, however its path is written; a slash in a name divides nothing.
func TestFoldersWithinFolders(t *testing.T) {
	for written, want := range map[string][2]string{ // one that it lies in, one that it does not
		"/x//y/":      {"x", "y"},
		" x / AC/DC ": {"x / AC", "x/AC%2FDC"},
		"x/AC%2FDC":   {"x/AC%2FDC", "x/AC"},
		"100%25/y":    {"100%", "100%2"},
	} {
		if !inFolder(written, want[0]) || inFolder(written, want[1]) {
			t.Errorf("%q: in %q %v, in %q %v", written, want[0], inFolder(written, want[0]), want[1],
				inFolder(written, want[1]))
		}
	}
}
