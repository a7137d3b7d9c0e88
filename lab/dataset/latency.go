package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unmeasured stands in a matrix of round-trip times where nobody measured.
const Unmeasured time.Duration = -1

// maxMatrix bounds the nodes of a matrix of round-trip times.
const maxMatrix = 4096

// ReadLatency reads a matrix of round-trip times: cell [i][j] is the one from node i to node j,
// or Unmeasured; the diagonal is 0.
func ReadLatency(file string) ([][]time.Duration, error) {
	slices, err := ReadLatencySlices(file)
	if err == nil && len(slices) != 1 {
		err = fmt.Errorf("reading %s: %d matrices where one belongs", file, len(slices))
	}
	if err != nil {
		return nil, err
	}
	return slices[0], nil
}

// ReadLatencySlices reads the matrices of successive times that a file holds, each opened by a
// line "# t=K". A file without such lines holds one.
func ReadLatencySlices(file string) (slices [][][]time.Duration, err error) {
	err = readGzip(file, func(r io.Reader) error {
		slices, err = parseLatency(r)
		return err
	})
	return slices, err
}

func parseLatency(r io.Reader) ([][][]time.Duration, error) {
	var all [][][]time.Duration
	var matrix [][]time.Duration
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 32*maxMatrix)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "# t=") {
			if n > 1 {
				all, matrix = append(all, matrix), nil
			}
			continue
		}
		row, err := parseLatencyRow(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		matrix = append(matrix, row)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	all = append(all, matrix)
	for k, m := range all {
		if err := square(m); err != nil {
			return nil, fmt.Errorf("matrix %d: %w", k+1, err)
		}
	}
	return all, nil
}

func parseLatencyRow(line string) ([]time.Duration, error) {
	cells := strings.Split(line, ",")
	row := make([]time.Duration, len(cells))
	for j, cell := range cells {
		if cell == "" {
			row[j] = Unmeasured
			continue
		}
		ms, err := strconv.ParseFloat(cell, 64)
		if err != nil || !(ms >= 0 && ms < 1e6) {
			return nil, fmt.Errorf("column %d: no round-trip time in milliseconds: %q", j+1, cell)
		}
		row[j] = time.Duration(math.Round(ms * 1e6))
	}
	return row, nil
}

func square(m [][]time.Duration) error {
	if len(m) == 0 || len(m) > maxMatrix {
		return fmt.Errorf("%d rows", len(m))
	}
	for i, row := range m {
		if len(row) != len(m) {
			return fmt.Errorf("row %d has %d columns where %d belong", i+1, len(row), len(m))
		}
		if row[i] != 0 {
			return errors.New("a node is away from itself")
		}
	}
	return nil
}
