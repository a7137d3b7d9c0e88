package experiments

import (
	"strings"

	"tidings/lab"
	"tidings/lab/livenet"
)

// judged reports whether a run is so large that its times and costs can be expected.
func (s pushSizes) judged() bool { return s.Nodes >= 50 && s.Readers >= 40 }

func expectPushes(s pushSizes) []lab.Expected {
	all := []lab.Expected{
		{Name: "edits.last_p50_seconds", Unit: "s", Aside: true},
		{Name: "edits.last_p99_seconds", Unit: "s", Within: lab.AtMost(0.150)},
		{Name: "edits.last_most_seconds", Unit: "s", Aside: true},
		{Name: "edits.each_p50_seconds", Unit: "s", Aside: true},
		{Name: "edits.each_p99_seconds", Unit: "s", Aside: true},
		{Name: "edits.noticed_p50_seconds", Unit: "s", Aside: true}, // from the write to the signature
		{Name: "steady.p50_seconds", Unit: "s", Within: lab.AtMost(0.005)},
		{Name: "steady.p99_seconds", Unit: "s", Within: lab.AtMost(0.040)},
		{Name: "steady.most_seconds", Unit: "s", Aside: true},
		{Name: "steady.signed_p50_seconds", Unit: "s", Aside: true}, // from the signature
		{Name: "steady.signed_p99_seconds", Unit: "s", Aside: true},
		{Name: "cost.entry_bytes", Unit: "B", Aside: true}, // as it travels
		{Name: "cost.sent_of_payload", Within: lab.AtMost(1.2)},
		{Name: "cost.cpu_seconds", Unit: "s", Within: lab.AtMost(150e-6)}, // for a delivery, with storing
		{Name: "cost.rest_cpu_seconds", Unit: "s", Aside: true},           // of that, what nodes at rest take
		{Name: "killed.back_most_seconds", Unit: "s", Aside: true},        // from the restart until all have what was edited meanwhile
		{Name: "killed.items", Within: lab.Exactly(float64(livenet.OldStories + 3*s.Kills))},
		{Name: "killed.gaps", Within: lab.Exactly(0)}, // readers that lack a number
		{Name: "due", Within: lab.AtLeast(1)},
		{Name: "lost", Within: lab.Exactly(0)},
		{Name: "twice", Within: lab.Exactly(0)},
		{Name: "unsigned", Within: lab.Exactly(0)},
		{Name: "node_errors", Within: lab.Exactly(0)},
	}
	for i := range all {
		e := &all[i]
		e.OfMachine = true
		measured := strings.HasPrefix(e.Name, "edits.") || strings.HasPrefix(e.Name, "steady.") || strings.HasPrefix(e.Name, "cost.") || e.Name == "node_errors"
		if measured && !s.judged() {
			e.Aside, e.Within = true, lab.Bounds{}
		}
	}
	return all
}
