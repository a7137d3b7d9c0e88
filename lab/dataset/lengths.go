package dataset

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Lengths returns the median length of each history's documents, in bytes, by the history's name, from the folder's
// index. So a caller can leave some out without reading them.
func Lengths(dir string) (map[string]int, error) {
	f, err := os.Open(filepath.Join(dir, "index.csv"))
	if err != nil {
		return nil, fmt.Errorf("reading data: %w", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	name, median := slices.Index(rows[0], "name"), slices.Index(rows[0], "median_bytes")
	if name < 0 || median < 0 {
		return nil, fmt.Errorf("reading %s: no columns name and median_bytes", f.Name())
	}
	lengths := make(map[string]int, len(rows))
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[median])
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		lengths[row[name]] = n
	}
	return lengths, nil
}
