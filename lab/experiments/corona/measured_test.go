package corona

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// flat returns figures of one channel with this load and detection in each window.
func flat(load, detection []float64) *measured {
	s := sizes{Channels: 1, For: time.Duration(len(load)) * 10 * time.Minute, Settle: time.Hour}
	f := newMeasured(&workload{readers: []uint32{30}, total: 30}, s, 30*time.Minute)
	copy(f.load, load)
	for i, d := range detection {
		f.probed[i].add(d, 1)
	}
	for range 30 * int((s.For-s.Settle)/f.interval) {
		f.polls[0]++
	}
	return f
}

func TestOvershootAndStable(t *testing.T) {
	f := flat([]float64{1, 5, 12, 12, 12, 11, 11.5, 10, 10, 10, 10.2, 9.9}, nil)
	if got := f.overshoot(); got != 30*time.Minute {
		t.Errorf("overshoot of %v, want 30 min: 11 of 10 is the bound itself", got)
	}
	if got := f.stable(); got != 70*time.Minute {
		t.Errorf("stable after %v, want 70 min", got)
	}
}

func TestStrayed(t *testing.T) {
	load := []float64{1, 5, 10, 10, 10, 10, 10, 10, 13, 10, 10, 10, 10, 10, 10, 10, 10}
	detection := []float64{99, 99, 20, 20, 20, 20, 20, 20, 20, 26, 26, 26, 22, 22, 20, 20, 20}
	got := flat(load, detection).strayed(80 * time.Minute)
	if math.Abs(got.load-1.1) > 1e-9 || math.Abs(got.detection-1.3) > 1e-9 || math.Abs(got.mean-202./180) > 1e-9 ||
		got.back != time.Hour {
		t.Errorf("%+v", got)
	}
	// A load that falls has strayed as well.
	if got := flat([]float64{1, 5, 10, 10, 10, 10, 10, 10, 10, 8, 8, 8, 10, 10, 10},
		slices.Repeat([]float64{20}, 15)).strayed(80 * time.Minute); got.load > 1 || got.back != 50*time.Minute {
		t.Errorf("%+v", got)
	}
}

// The gaps between polls amount to what probes find. For even gaps it is half a gap. For n random polls it is an
// interval over n+1, less a correction, as the end of the interval is its beginning.
func TestGapsAreWhatProbesFind(t *testing.T) {
	const whole = 1800.
	chance := rand.New(rand.NewPCG(1, 1))
	f := flat(make([]float64, 12), nil)
	f.last[0] = []float32{1700, 200, 700, 1200}
	f.close()
	if want := whole / 8; math.Abs(f.gaps[0]-(500.*500*3+300*300)/2/whole) > 1e-3 {
		t.Errorf("gaps of 500, 500, 500 and 300 s: %v, about %v", f.gaps[0], want)
	}
	for range 20 {
		f.last = [][]float32{nil}
		for range 1 + chance.IntN(20) {
			f.last[0] = append(f.last[0], float32(chance.Float64()*whole))
		}
		polls := append([]float32(nil), f.last[0]...)
		f.close()
		const probes = 20_000
		sum := 0.
		for range probes {
			at, wait := chance.Float64()*whole, whole
			for _, p := range polls {
				wait = min(wait, math.Mod(float64(p)-at+whole, whole))
			}
			sum += wait
		}
		if got := sum / probes; math.Abs(got/f.gaps[0]-1) > 0.03 {
			t.Errorf("%d polls: probes wait %v s, by gaps %v s", len(polls), got, f.gaps[0])
		}
	}
}
