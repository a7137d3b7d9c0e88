package web

import (
	"strings"
	"testing"

	"tidings"
)

func TestTheStatusTellsWhatIsWrongWithTheNode(t *testing.T) {
	f := sample()
	const problem, overran = `<div class="problem"`, "Given up, for they hung"
	if text := visit(t, f, false).get("/status").Body.String(); strings.Contains(text, problem) || strings.Contains(text, overran) {
		t.Error("something is said to be wrong where nothing is")
	}
	f.problems = []tidings.Problem{{What: "The disk of <home> is full.", Hint: "make room"}, {What: "Damaged."}}
	f.slots = tidings.Slots{All: 256, Overran: 3}
	text := visit(t, f, false).get("/status").Body.String()
	for _, want := range []string{
		problem + ` role="alert"><p><b>The disk of &lt;home&gt; is full.</b></p><p>make room</p></div>`,
		problem + ` role="alert"><p><b>Damaged.</b></p></div>`,
		overran + `</dt><dd>3</dd>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the status lacks %q", want)
		}
	}
}
