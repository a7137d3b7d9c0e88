package experiments

import (
	"math"
	"testing"

	"tidings/lab"
)

// What probes find is what the gaps between polls come to, and nobody polls more than legacy does.
func TestCoronaMeasuresTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := try(t, Corona, 1, 2)
	figures := make(map[string]lab.Figure)
	for _, f := range r.Figures {
		figures[f.Name] = f
	}
	for _, setting := range coronaSettings {
		row := setting.name + ".lite"
		probes, gaps := figures[row+".detection_seconds"].Here, figures[row+".gaps_detection_seconds"].Here
		if gaps == 0 || math.Abs(probes/gaps-1) > 0.2 {
			t.Errorf("%s: probes wait %v s, by gaps it is %v s", row, probes, gaps)
		}
		if polls, legacy := figures[row+".polls"].Here, figures[setting.name+".legacy.polls"].Here; polls < 1 || polls > 1.1*legacy {
			t.Errorf("%s: %v polls, legacy %v", row, polls, legacy)
		}
		if reached := figures[row+".reached_all"].Here; reached < 0.99 {
			t.Errorf("%s: %v of the updates reached all subscribers", row, reached)
		}
	}
}
