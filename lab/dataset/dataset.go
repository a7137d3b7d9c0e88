// Package dataset has what tests and experiments run on.
//
// What was measured is part of the package: round-trip times between nodes, which nodes were up when, which people
// follow which feeds, and when feeds changed and by how much. See measured/README.md for the sources.
//
// Documents that others wrote are not: histories of feeds and pages (name.tar.bz2), and collections of single documents
// (name.zip with an index.csv). They lie in a folder beside the project, where somebody has recorded them, and the
// package reads them there.
package dataset

import (
	"archive/tar"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// EnvDir is the environment variable that names the folder of the recorded documents.
const EnvDir = "TIDINGS_DOCUMENTS"

// ErrMissing says that the recorded documents are not on this machine.
var ErrMissing = errors.New("no recorded documents")

// Dir returns the folder of the recorded documents: $TIDINGS_DOCUMENTS, else ../shared/data
// beside the checkout that holds the working directory.
func Dir() (string, error) {
	if dir := os.Getenv(EnvDir); dir != "" {
		return withDocuments(dir)
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the recorded documents: %w", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return withDocuments(filepath.Join(filepath.Dir(dir), "shared", "data"))
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%w: no go.mod above %s (set %s)", ErrMissing, wd, EnvDir)
		}
	}
}

// withDocuments returns dir if recorded documents lie there.
func withDocuments(dir string) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, "feed-histories")); err != nil {
		return "", fmt.Errorf("%w in %s (set %s)", ErrMissing, dir, EnvDir)
	}
	return dir, nil
}

// Skipper is the part of testing.TB that NeedDir uses.
type Skipper interface {
	Helper()
	Skipf(format string, args ...any)
}

// NeedDir returns the folder of the recorded documents, and skips the test where it is missing.
func NeedDir(t Skipper) string {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Skipf("needs recorded documents: %v", err)
	}
	return dir
}

// Snapshot is one recorded state of a document.
type Snapshot struct {
	Run  string    // "dense": consecutive states; "sparse": earlier ones with gaps
	N    int       // counts from 1 within its run
	Time time.Time // when the state was recorded
	Ext  string    // file name extension without the dot
	Body []byte
}

// History is what one document was over time.
type History struct {
	Name      string
	Snapshots []Snapshot // in time order; sparse ones come before dense ones
}

// HistoryOf makes a history of successive states, an hour apart.
func HistoryOf(name, ext string, bodies ...[]byte) History {
	h := History{Name: name}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, body := range bodies {
		h.Snapshots = append(h.Snapshots,
			Snapshot{Run: "dense", N: i + 1, Time: start.Add(time.Duration(i) * time.Hour), Ext: ext, Body: body})
	}
	return h
}

// Histories lists the history archives of a folder, by name.
func Histories(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tar.bz2"))
	if err != nil {
		return nil, fmt.Errorf("listing histories: %w", err)
	}
	sort.Strings(files)
	return files, nil
}

// ReadHistory reads a history: a name.tar.bz2, or a folder with the same layout.
func ReadHistory(file string) (History, error) {
	h := History{Name: strings.TrimSuffix(filepath.Base(file), ".tar.bz2")}
	info, err := os.Stat(file)
	if err != nil {
		return h, fmt.Errorf("reading history: %w", err)
	}
	if info.IsDir() {
		err = h.readFolder(file)
	} else {
		err = h.readArchive(file)
	}
	if err != nil {
		return h, fmt.Errorf("reading history %s: %w", file, err)
	}
	if len(h.Snapshots) == 0 {
		return h, fmt.Errorf("reading history %s: no state in it (want [dense|sparse]/NNNN-UNIXTIME.EXT)", file)
	}
	sort.SliceStable(h.Snapshots, func(i, j int) bool {
		a, b := h.Snapshots[i], h.Snapshots[j]
		if a.Run != b.Run {
			return a.Run > b.Run // "sparse" lies before "dense" in time
		}
		return a.N < b.N
	})
	return h, nil
}

func (h *History) readArchive(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for tr := tar.NewReader(bzip2.NewReader(f)); ; {
		head, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if err := h.add(head.Name, func() ([]byte, error) { return io.ReadAll(tr) }); err != nil {
			return err
		}
	}
}

func (h *History) readFolder(dir string) error {
	return filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return h.add(filepath.ToSlash(rel), func() ([]byte, error) { return os.ReadFile(file) })
	})
}

// add reads [RUN/]NNNN-UNIXTIME.EXT and skips every other name.
func (h *History) add(name string, read func() ([]byte, error)) error {
	base := path.Base(name)
	stem, ext, ok := strings.Cut(base, ".")
	if !ok {
		return nil
	}
	number, unix, ok := strings.Cut(stem, "-")
	if !ok {
		return nil
	}
	n, err1 := strconv.Atoi(number)
	sec, err2 := strconv.ParseInt(unix, 10, 64)
	if err1 != nil || err2 != nil {
		return nil
	}
	run := path.Base(path.Dir(name))
	if run != "sparse" {
		run = "dense"
	}
	body, err := read()
	if err != nil {
		return err
	}
	h.Snapshots = append(h.Snapshots, Snapshot{Run: run, N: n, Time: time.Unix(sec, 0).UTC(), Ext: ext, Body: body})
	return nil
}
