package dataset

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLatencyMatricesAreReadWhole(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "latency")
	for _, want := range []struct {
		file       string
		nodes      int
		median     time.Duration // of what was measured
		unmeasured float64       // share of the pairs
	}{
		{"planetlab-294-t01", 294, 136 * time.Millisecond, 0},
		{"wonderproxy-150-avg", 150, 147 * time.Millisecond, 0.005},
	} {
		m, err := ReadLatency(filepath.Join(folder, want.file+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		var measured []time.Duration
		unmeasured := 0
		for i, row := range m {
			for j, rtt := range row {
				switch {
				case rtt == Unmeasured:
					unmeasured++
				case i != j:
					measured = append(measured, rtt)
				}
			}
		}
		slices.Sort(measured)
		median := measured[len(measured)/2]
		if len(m) != want.nodes || (median-want.median).Abs() > 4*time.Millisecond {
			t.Errorf("%s: %d nodes, median %v; want %d, %v", want.file, len(m), median, want.nodes, want.median)
		}
		if share := float64(unmeasured) / float64(len(m)*len(m)); share < want.unmeasured-.001 || share > want.unmeasured+.001 {
			t.Errorf("%s: %.4f of the pairs not measured, want %.4f", want.file, share, want.unmeasured)
		}
	}
}

func TestEverySliceOfTheSeattleNodesIsRead(t *testing.T) {
	all, err := ReadLatencySlices(filepath.Join(NeedDir(t), "latency", "seattle-59-all688.csv.gz"))
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
		"negative": "0,-1\n1,0\n", "no number": "0,NaN\n1,0\n", "endless": "0,+Inf\n1,0\n", "away from itself": "0,1\n1,2\n",
		"an empty slice": "# t=1\n# t=2\n0\n",
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
