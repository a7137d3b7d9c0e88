package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings/view"
)

func TestTheStatusTellsWhatIsWrongWithTheNode(t *testing.T) {
	f := sample()
	const problem, overran = `<div class="problem"`, "Timed out"
	if text := visit(t, f, false).get("/status").Body.String(); strings.Contains(text, problem) ||
		strings.Contains(text, overran) {
		t.Error("something is said to be wrong where nothing is")
	}
	f.problems = []view.Problem{{What: "The disk of <home> is full.", Hint: "make room"}, {What: "Damaged."}}
	f.slots = view.Slots{All: 256, Overran: 3}
	text := visit(t, f, false).get("/status").Body.String()
	for _, want := range []string{
		problem + ` role="alert"><p><b>The disk of &lt;home&gt; is full.</b></p><p>Make room.</p></div>`,
		problem + ` role="alert"><p><b>Damaged.</b></p></div>`,
		overran + `</dt><dd>3</dd>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the status lacks %q", want)
		}
	}
}

// A publication stops because another node publishes with its key. A button resumes it, once a person confirms that the
// other has ended (hostile 33). A running publication has no such button, nor has one that a person stopped.
func TestAContestedPublicationGoesOnByAButton(t *testing.T) {
	f := sample()
	const channel, form = "https://blog.example/feed?a=1&b=<2>", `action="/publishing/resume"`
	f.publications = []view.Publication{
		{Channel: "https://well.example/"},
		{Channel: "https://stopped.example/", Halted: true, Stopped: time.Unix(1, 0)},
		{Channel: channel, Key: "my-blog", Halted: true},
	}
	v := visit(t, f, false)
	text := v.get("/status").Body.String()
	if strings.Count(text, form) != 1 ||
		!strings.Contains(text, `value="https://blog.example/feed?a=1&amp;b=&lt;2&gt;"`) {
		t.Error("there is not one button, for the feed that has halted")
	}
	for _, ended := range []string{"", "no"} {
		if w := v.post("/publishing/resume", "url", channel, "ended", ended); w.Code != http.StatusBadRequest ||
			!f.publications[2].Halted {
			t.Errorf("without a confirmation: %d, halted %t", w.Code, f.publications[2].Halted)
		}
	}
	v.goesTo(v.post("/publishing/resume", "url", channel, "ended", "yes"), "/status?said=resumed")
	text = v.get("/status?said=resumed").Body.String()
	if f.publications[2].Halted || strings.Contains(text, form) ||
		!strings.Contains(text, "published again from here") {
		t.Error("it does not go on, or that is not said")
	}
	if w := v.post("/publishing/resume", "url", channel, "ended", "yes"); w.Code != http.StatusBadRequest {
		t.Errorf("what has not halted goes on: %d", w.Code)
	}
}
