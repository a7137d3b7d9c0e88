package compare

import (
	"math"
	"slices"
	"testing"
)

// Worlds grow by one thing while the others stay, and the fit is of what grows.
func TestGrowth(t *testing.T) {
	s := sizes{Systems: []string{"rappel"}, Nodes: 800, Topics: 100, Follows: 10, Events: 7,
		Grown:       []int{100, 200, 400},
		GrownTopics: []int{50, 200}, GrownFollows: []int{5, 20}}
	if len(s.grown()) != 7 || !slices.Contains(s.grown(), size{200, 100, 10, 7}) {
		t.Errorf("worlds of %v", s.grown())
	}
	rappel := s.systems()[0]
	all := results{of: map[string]*outcome{rappel.name + ".zipf05": {control: []float64{math.Sqrt(800) * 100 * 10}}}}
	for _, z := range s.grown() {
		all.of[grownKey(rappel, z)] = &outcome{control: []float64{
			math.Sqrt(float64(z.nodes)) * float64(z.topics) * float64(z.follows)}}
	}
	for _, g := range growths {
		if g.name != "control" {
			continue
		}
		want := map[string]float64{"nodes": 0.5, "topics": 1, "follows": 1}[g.by]
		if p := s.fit(rappel, g.by, g.of, all); math.Abs(p.Exponent-want) > 1e-9 || p.High-p.Low > 1e-4 {
			t.Errorf("by %s: %+v, want %v", g.by, p, want)
		}
	}
	for _, z := range s.grown() { // as it is: the number of topics makes no difference
		all.of[grownKey(rappel, z)].control[0] /= float64(z.topics)
	}
	all.of["rappel.zipf05"].control[0] /= 100
	fit, ok := s.fitAll(rappel, growths[1].of, all)
	if y, low, high := fit.Predict(1e6, 100); !ok || math.Abs(y/1e5-1) > 1e-6 || high/low > 1.001 {
		t.Errorf("of a million nodes: %v in %v to %v (%v), want 1e5", y, low, high, ok)
	}
	if x, _ := s.points(rappel, "nodes", growths[0].of, all); len(x) != 4 || x[3] != 800 {
		t.Errorf("nodes are %v", x)
	}
}
