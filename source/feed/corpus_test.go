package feed

import (
	"archive/zip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tidings/lab/dataset"
)

// document is a document of the recorded collection, or a generated one.
type document struct {
	name, kind  string
	contentType string // of generated ones only
	wellformed  bool   // of generated ones: as the specification of its format has it
	body        []byte
}

// collections are the generated documents, and the recorded ones where they are at hand.
func collections(tb testing.TB) [][]document {
	all := [][]document{generatedFeeds(tb)}
	if _, err := dataset.Dir(); err == nil {
		all = append(all, recordedFeeds(tb))
	}
	return all
}

// generatedFeeds returns the generated documents. Nobody changes them.
func generatedFeeds(testing.TB) []document {
	out := make([]document, 0, len(generated()))
	for _, g := range generated() {
		out = append(out, document{g.Name, g.Format, g.ContentType, g.Legal, g.Body})
	}
	return out
}

// recordedFeeds returns the whole collection, which is read once. Nobody changes it.
func recordedFeeds(tb testing.TB) []document {
	tb.Helper()
	dataset.NeedDir(tb)
	docs, err := readRecorded()
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

var readRecorded = sync.OnceValues(func() ([]document, error) {
	data, err := dataset.Dir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(data, "feeds")
	f, err := os.Open(filepath.Join(dir, "index.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	archives := make(map[string]*zip.ReadCloser)
	var out []document
	for _, row := range rows[1:] {
		z := archives[row[0]]
		if z == nil {
			if z, err = zip.OpenReader(filepath.Join(dir, row[0])); err != nil {
				return nil, err
			}
			defer z.Close()
			archives[row[0]] = z
		}
		member, err := z.Open(row[1])
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(member)
		if err != nil {
			return nil, err
		}
		out = append(out, document{name: row[0] + ":" + row[1], kind: row[2], wellformed: row[5] == "1", body: body})
	}
	return out, nil
})
