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

// recorded is a document of the recorded collection.
type recorded struct {
	name, kind, declared string
	wellformed           bool
	body                 []byte
}

// recordedFeeds returns the whole collection, which is read once. Nobody changes it.
func recordedFeeds(tb testing.TB) []recorded {
	tb.Helper()
	dataset.NeedDir(tb)
	docs, err := readRecorded()
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

var readRecorded = sync.OnceValues(func() ([]recorded, error) {
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
	var out []recorded
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
		out = append(out, recorded{row[0] + ":" + row[1], row[2], row[4], row[5] == "1", body})
	}
	return out, nil
})
