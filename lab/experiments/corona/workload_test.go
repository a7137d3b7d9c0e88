package corona

import (
	"math"
	"slices"
	"testing"
	"time"

	"tidings/lab/dataset"
	"tidings/network/corona"
)

// The workload is that of section 5.1, in small.
func TestCoronaWork(t *testing.T) {
	s := sizes{Nodes: 100, Channels: 2000, Subscriptions: 100_000, Homes: 8}
	w := newWorkload(1, s)
	if math.Abs(w.total-float64(s.Subscriptions)) > 0.005*float64(s.Subscriptions) {
		t.Errorf("%v subscriptions, want about %d", w.total, s.Subscriptions)
	}
	if ratio := float64(w.readers[0]) / float64(w.readers[399]); math.Abs(ratio-20) > 0.3 {
		t.Errorf("the first channel has %v times as many readers as the 400th, want sqrt(400)", ratio)
	}
	within, weekly := 0, 0
	for _, u := range w.update {
		switch {
		case u <= time.Hour:
			within++
		case u == week:
			weekly++
		}
	}
	if within != 200 || weekly != 1000 {
		t.Errorf("%d channels change within an hour and %d once a week, want 200 and 1000", within, weekly)
	}
	if least := slices.Min(w.update); least < quickest || least > quickest+quickest/20 {
		t.Errorf("the quickest channel changes every %v", least)
	}
	most := corona.Default().MaxCount
	for i := range w.channels {
		got, seen := 0, make(map[int]bool)
		for _, r := range w.readings(i, make([]int, s.Nodes), s.Homes, most) {
			if r.count < 1 || r.count > most || seen[r.node] {
				t.Fatalf("channel %d with %d readers: %+v", i, w.readers[i], r)
			}
			seen[r.node] = true
			got += r.count
		}
		if got != int(w.readers[i]) {
			t.Fatalf("channel %d: %d readers at nodes, want %d", i, got, w.readers[i])
		}
	}
}

// Lengths are drawn between those of the recorded feeds, of which each counts with its median.
func TestLengthsAreThoseOfFeeds(t *testing.T) {
	var medians []int
	for _, feed := range dataset.Feeds() {
		var lengths []int
		for _, u := range feed.Updates {
			lengths = append(lengths, u.Bytes)
		}
		slices.Sort(lengths)
		medians = append(medians, lengths[len(lengths)/2])
	}
	slices.Sort(medians)
	quantiles := Experiment.Quick.Lengths
	for i, q := range quantiles {
		if m := medians[i*(len(medians)-1)/(len(quantiles)-1)]; q != m {
			t.Errorf("quantile %d of %d is %d, of the feeds %d", i, len(quantiles)-1, q, m)
		}
	}
	w := newWorkload(1, sizes{Nodes: 10, Channels: 9000, Subscriptions: 9000, Hosts: 1})
	w.vary(quantiles)
	sorted := slices.Sorted(slices.Values(w.length))
	for i, q := range quantiles {
		if got := sorted[min(i*1000, 8999)]; math.Abs(float64(got)/float64(q)-1) > 0.01 {
			t.Errorf("quantile %d of the lengths is %d, want %d", i, got, q)
		}
	}
}

// Changes of a channel come as often as they should, and are the same whenever they are drawn.
func TestCoronaChanges(t *testing.T) {
	w := newWorkload(1, sizes{Nodes: 10, Channels: 100, Subscriptions: 1000})
	const times = 4000
	sum, squares := 0., 0.
	for k := range times {
		gap := float64(w.untilChange(3, k)) / float64(w.update[3])
		sum, squares = sum+gap, squares+gap*gap
	}
	// Of an exponential distribution the mean square is twice the square of the mean.
	if mean, square := sum/times, squares/times; math.Abs(mean-1) > 0.06 || math.Abs(square-2) > 0.3 {
		t.Errorf("mean %v of the channel's own, mean square %v", mean, square)
	}
	first := w.untilChange(3, 7)
	w.untilChange(3, 8)
	if w.untilChange(3, 7) != first || w.untilChange(4, 7) == first {
		t.Error("changes are not drawn by channel and number")
	}
}

// A content can be derived from its hash.
func TestCoronaHash(t *testing.T) {
	seen := make(map[corona.Hash]bool)
	for channel := range int32(50) {
		for k := range uint32(50) {
			h := hashOf(channel, k)
			if contentOf(h) != k || k > 0 && seen[h] {
				t.Fatalf("content %d of channel %d has the hash %x", k, channel, h)
			}
			seen[h] = true
		}
	}
}

// Readers that poll by themselves need half an interval, and poll as often as there are readers.
func TestLegacy(t *testing.T) {
	s := sizes{Nodes: 10, Channels: 300, Subscriptions: 15_000, For: 3 * time.Hour, Settle: time.Hour, Probes: 2}
	f := legacy(newWorkload(1, s), s)
	if d := f.detection(); math.Abs(d-900) > 15 {
		t.Errorf("detection after %v s, want 900", d)
	}
	if got, want := f.perChannel(), f.work.total/float64(s.Channels); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v polls by channel and interval, want %v", got, want)
	}
	for i := range f.load {
		if math.Abs(f.relative(i)-1) > 0.03 {
			t.Errorf("window %d: load %v of the readers' own", i, f.relative(i))
		}
	}
}
