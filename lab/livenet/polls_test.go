package livenet

import (
	"math"
	"testing"
	"time"

	"tidings/lab/origin"
)

// A node that polls every ten seconds waits five on average, whichever nodes poll another channel.
func TestPolls(t *testing.T) {
	began := time.Unix(1000, 0)
	n := &Net{Began: began, index: map[string]int{"a": 0, "b": 1}, work: Workload{
		Interval: 30 * time.Second, Channels: []Channel{{Name: "a", Readers: []int{1, 2}},
			{Name: "b", Readers: []int{1}}},
	}}
	p := newPolls(n)
	for i := range 31 {
		at := began.Add(time.Duration(i) * 10 * time.Second)
		p.observe(origin.Request{Time: at, Name: "a", Status: 304, State: i / 10})
		if i%2 == 0 {
			p.observe(origin.Request{Time: at, Name: "b", Status: 200})
		}
	}
	p.observe(origin.Request{Time: began, Name: "c", Status: 404})
	w := p.Sum(0, 5*time.Minute)
	if got, want := w.Detection(), (2*5+10)/3.; math.Abs(got-want) > 0.2 {
		t.Errorf("detection lasts %v s, want %v", got, want)
	}
	if w.Requests != 45 || p.Failed != 1 {
		t.Errorf("%d requests, %d failed", w.Requests, p.Failed)
	}
	for _, c := range []struct {
		from, to int
		want     time.Duration
	}{{0, 0, 0}, {1, 1, 100 * time.Second}, {1, 2, 100 * time.Second}, {2, 9, 200 * time.Second}, {4, 9, Unseen}} {
		if got := p.First(0, c.from, c.to); got != c.want {
			t.Errorf("states %d to %d were first seen at %v, want %v", c.from, c.to, got, c.want)
		}
	}
	if a, b := p.Witnesses(0, 0, 9), p.Witnesses(1, 0, 9); a != 0 || b != 16 {
		t.Errorf("the origin served new states %d and %d times", a, b)
	}
}
