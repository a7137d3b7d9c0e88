package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// maxMatrix bounds the nodes of a matrix of round-trip times.
const maxMatrix = 4096

// readLatencySlices reads the matrices of successive times that a file holds, each opened by a
// line "# t=K". A file without such lines holds one.
func readLatencySlices(file string) (slices [][][]time.Duration, err error) {
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

func TestEverySliceOfTheSeattleNodesIsRead(t *testing.T) {
	all, err := readLatencySlices(filepath.Join(NeedDir(t), "latency", "seattle-59-all688.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 688 {
		t.Errorf("%d slices, want 688", len(all))
	}
	for k, m := range all {
		if len(m) != 59 {
			t.Fatalf("slice %d has %d nodes, want 59", k, len(m))
		}
	}
	if got := all[0][0][:3]; !slices.Equal(got, []time.Duration{0, 100 * time.Millisecond, 50 * time.Millisecond}) {
		t.Errorf("first slice opens with %v", got)
	}
}

func TestABrokenLatencyMatrixIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "words": "0,a\nb,0\n", "no square": "0,1\n", "ragged": "0,1\n1\n",
		"negative": "0,-1\n1,0\n", "no number": "0,NaN\n1,0\n", "endless": "0,+Inf\n1,0\n",
		"away from itself": "0,1\n1,2\n",
		"an empty slice":   "# t=1\n# t=2\n0\n",
	} {
		if m, err := parseLatency(strings.NewReader(text)); err == nil {
			t.Errorf("%s: read as %v", name, m)
		}
	}
	m, err := parseLatency(strings.NewReader("0,1.25\n,0\n"))
	if err != nil || m[0][0][1] != 1250*time.Microsecond || m[0][1][0] != Unmeasured {
		t.Errorf("read as %v, %v", m, err)
	}
}

// The round trips that the project carries are the recorded ones.
func TestRoundTripsAreTheRecordedOnes(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "latency")
	read := func(name string) [][][]time.Duration {
		all, err := readLatencySlices(filepath.Join(folder, name+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	var planetLab [][][]time.Duration
	for _, k := range []int{1, 4, 7, 10, 13, 16} {
		planetLab = append(planetLab, read(fmt.Sprintf("planetlab-294-t%02d", k))...)
	}
	for _, recorded := range []struct {
		name string
		all  [][][]time.Duration
		unit time.Duration
	}{
		{"planetlab-294", planetLab, 10 * time.Microsecond},
		{"wonderproxy-150-mean", read("wonderproxy-150-avg"), time.Microsecond},
		{"wonderproxy-150-deviation", read("wonderproxy-150-mdev"), time.Microsecond},
		{"seattle-59", [][][]time.Duration{medians(read("seattle-59-all688"))}, time.Millisecond},
	} {
		if rewrite(t, recorded.name, latencyColumns(recorded.all, recorded.unit)...) {
			continue
		}
		if !reflect.DeepEqual(matrices(recorded.name, recorded.unit), recorded.all) {
			t.Errorf("%s is not what was recorded; %s", recorded.name, rewriteHint)
		}
	}
}

// medians returns each pair's median over time.
func medians(all [][][]time.Duration) [][]time.Duration {
	m := make([][]time.Duration, len(all[0]))
	for i := range m {
		m[i] = make([]time.Duration, len(m))
		for j := range m {
			var values []time.Duration
			for _, slice := range all {
				if slice[i][j] >= 0 {
					values = append(values, slice[i][j])
				}
			}
			m[i][j] = Unmeasured
			if len(values) > 0 {
				slices.Sort(values)
				m[i][j] = values[len(values)/2]
			}
		}
	}
	return m
}

// latencyColumns is the contrary of matrices.
func latencyColumns(all [][][]time.Duration, unit time.Duration) (columns [][]int) {
	var before []int
	for _, m := range all {
		cells := make([]int, 0, len(m)*len(m))
		for _, row := range m {
			for _, rtt := range row {
				cell := int(rtt / unit)
				if rtt == Unmeasured {
					cell = -1
				}
				cells = append(cells, cell)
			}
		}
		column := slices.Clone(cells)
		for i := range column {
			if before != nil {
				column[i] -= before[i]
			} else if row, at := i/len(m), i%len(m); at < row {
				column[i] -= cells[at*len(m)+row]
			}
		}
		columns, before = append(columns, column), cells
	}
	return columns
}
