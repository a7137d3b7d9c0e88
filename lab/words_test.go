package lab

import "testing"

func TestLabels(t *testing.T) {
	w := Words{
		Questions: []Question{
			{"How soon?", []Measure{{"seconds", "time"}, {"mean hops", ""}}},
			{"What is lost?", []Measure{{"lost", "updates lost"}, {"flood.lost", "updates lost in the flood"},
				{"lost.late", "updates that were late"}}},
		},
		Cases: map[string]string{"ours": "default settings", "live": ""},
	}
	for _, c := range []struct {
		name string
		want Label
	}{
		{"seconds", Label{"How soon?", "time", ""}},
		{"ours.seconds", Label{"How soon?", "time", "default settings"}},
		{"ours.fair_sqrt.seconds.n10000", Label{"How soon?", "time", "default settings, fair sqrt, 10,000 nodes"}},
		{"live.seconds", Label{"How soon?", "time", ""}},
		{"flood.lost", Label{"What is lost?", "updates lost in the flood", ""}}, // the measure with the most parts
		{"lost.late.n7", Label{"What is lost?", "updates that were late", "7 nodes"}},
		// the parts must follow one another
		{"flood.ours.lost", Label{"What is lost?", "updates lost", "flood, default settings"}},
		{"mean hops, 1,000 nodes", Label{"How soon?", "mean hops", "1,000 nodes"}},
		{"mean hops, 5% loss, 40 nodes", Label{"How soon?", "mean hops", "5% loss, 40 nodes"}},
		{"most hops, 40 nodes", Label{"", "most hops", "40 nodes"}},
		{"ours.reach_p99_seconds", Label{"", "reach p99", "default settings"}},
		{"degree.n1000", Label{"", "degree", "1,000 nodes"}},
		{"n1000", Label{"", "n1000", ""}},
		{"seconds_", Label{"", "seconds ", ""}},
	} {
		if got := w.label(c.name); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
