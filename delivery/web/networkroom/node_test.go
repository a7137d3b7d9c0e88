package networkroom

import (
	"strings"
	"testing"

	"tidings"
)

const otherNode = "0a1f0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"

func TestNodesAreDecidedAbout(t *testing.T) {
	f := inNetwork(6)()
	v := visit(t, f)
	for _, step := range []struct {
		id, do, said, sentence, standing string
	}{
		{otherNode, "distrust", "doubted", "What it finds is shown once a check of this node has seen it.",
			"Distrusted"},
		{otherNode, "prefer", "preferred", "What it finds is always believed.", "Preferred"},
		{otherNode, "trust", "neutral", "It is believed like any other node.", "Like any other"},
		{"all", "distrust", "doubted", "All nodes that you neither prefer nor distrust", "Distrusted"},
	} {
		v.goesTo(v.post("/node", "id", step.id, "do", step.do), nodePath(step.id)+"&said="+step.said)
		text := v.get(nodePath(step.id) + "&said=" + step.said).Body.String()
		sound(t, step.do, text)
		if !strings.Contains(text, step.sentence) || !strings.Contains(text, step.standing) {
			t.Errorf("after %s the page says neither %q nor %q", step.do, step.sentence, step.standing)
		}
	}
	text := v.shows(viewTrust)
	if !strings.Contains(text, "<p>All other nodes</p>") || strings.Contains(text, "All nodes alike.") {
		t.Error("the network's view does not list whom one distrusts")
	}
	v.goesTo(v.post("/node", "id", "all", "do", "trust"), nodePath("all")+"&said=neutral")
	if text := v.shows(viewTrust); !strings.Contains(text, "All nodes alike.") {
		t.Error("the network's view lists somebody still")
	}
}

func TestNodesThatCannotBe(t *testing.T) {
	f := inNetwork(6)()
	v := visit(t, f)
	for path, want := range map[string]int{"/node": 404, "/node?id=xyz": 404, nodePath(hostileText): 404,
		nodePath(sampleID): 200} {
		w := v.get(path)
		if w.Code != want || strings.Contains(w.Body.String(), "<script>window") {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	if text := v.get(nodePath(sampleID)).Body.String(); !strings.Contains(text, "your own node") ||
		strings.Contains(text, `action="/node"`) {
		t.Error("this node can be distrusted")
	}
	if w := v.post("/node", "id", otherNode, "do", "adore"); w.Code != 400 {
		t.Errorf("nothing to do: %d", w.Code)
	}
	if len(f.republishers) != 0 {
		t.Errorf("%+v", f.republishers)
	}
}

// Of a node that is preferred or distrusted the tables of nodes say so.
func TestStandingsShowInTheTables(t *testing.T) {
	f := inNetwork(6)()
	f.network.Neighbours[0].Trust = tidings.Distrusted
	if text := visit(t, f).shows(viewRing); strings.Count(text, `<span class="tag">distrusted</span>`) != 1 ||
		!strings.Contains(text, `<a href="/node?id=`+f.network.Neighbours[0].ID+`">`) {
		t.Error("the table does not say whom one distrusts, or leads nowhere")
	}
}
