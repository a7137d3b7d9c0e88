package routers

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// The judge of trees finds all that is lost, repeated or sent to nodes in no tree, and nothing else.
func TestRappelJudge(t *testing.T) {
	one, other := engine.IDOf([]byte("one")), engine.IDOf([]byte("other"))
	const published = 100 * time.Second
	parts := spans{calm: time.Minute, trouble: 150 * time.Second, end: 5 * time.Minute, over: 10 * time.Minute}
	// Node 0 is the root, 1 and 2 are members. What the tests add happens besides.
	tree := []deed{
		{at: 1, node: 0, what: roots, topic: one}, {at: 2, node: 1, what: joins, topic: one},
		{at: 3, node: 1, what: attaches, topic: one},
		{at: 4, node: 2, what: joins, topic: one}, {at: 5, node: 2, what: attaches, topic: one},
		{at: published, node: 0, what: publishes, topic: one, version: 7},
	}
	got := func(node int, after time.Duration) deed {
		return deed{at: published + after, node: node, what: delivers, topic: one, version: 7}
	}
	does := func(node int, what verb, after time.Duration) deed {
		return deed{at: published + after, node: node, what: what, topic: one}
	}
	const s = time.Second
	for name, c := range map[string]struct {
		deeds                   []deed
		due, lost, twice, noise int
	}{
		"all is well":                {[]deed{got(1, s), got(2, 2*s)}, 2, 0, 0, 0},
		"one lacks it":               {[]deed{got(1, s)}, 2, 1, 0, 0},
		"one that lacks it dies":     {[]deed{got(1, s), does(2, dies, s)}, 1, 0, 0, 0},
		"one that lacks it leaves":   {[]deed{got(1, s), does(2, leaves, s)}, 1, 0, 0, 0},
		"one dies too late for that": {[]deed{got(1, s), does(2, dies, treeGrace)}, 2, 1, 0, 0},
		"one gets it twice":          {[]deed{got(1, s), got(2, s), got(2, 2*s)}, 2, 0, 1, 0},
		"one gets it in two lives":   {[]deed{got(1, s), got(2, s), does(2, stops, 2*s), got(2, 3*s)}, 2, 0, 0, 0},
		"another makes it anew": {
			[]deed{got(1, s), got(2, s), {at: published + s, node: 2, what: delivers, topic: one, version: 7,
				content: 1}}, 2, 0, 0, 0,
		},
		"a node that joins later gets it": {[]deed{got(1, s), got(2, s), does(3, joins, s), got(3, 2*s), got(3, 3*s)},
			2, 0, 1, 0},
		"it is published again": {[]deed{got(1, s), got(2, s), {at: published + s, node: 1, what: publishes, topic: one,
			version: 7}}, 2, 0, 0, 0},
		"a stranger is sent it": {[]deed{got(1, s), got(2, s), does(3, isSent, s)}, 2, 0, 0, 1},
		"the root is sent it":   {[]deed{got(1, s), got(2, s), does(0, isSent, s)}, 2, 0, 0, 0},
		"a node that has just left is sent it": {
			[]deed{got(1, s), got(2, s), does(2, leaves, 2*s), does(2, isSent, 3*s)}, 2, 0, 0, 0,
		},
		"a node that has left is sent it": {
			[]deed{got(1, s), got(2, s), does(2, leaves, 2*s), does(2, isSent, treeGrace)}, 2, 0, 0, 1,
		},
		"a member is sent another topic": {
			[]deed{got(1, s), got(2, s), {at: published, node: 1, what: isSent, topic: other}}, 2, 0, 0, 1,
		},
		"what comes in trouble counts": {
			[]deed{got(1, s), got(2, s), {at: parts.trouble, node: 0, what: publishes, topic: one, version: 8}}, 4,
			2, 0, 0,
		},
		"what comes after the end does not": {
			[]deed{got(1, s), got(2, s), {at: parts.end, node: 0, what: publishes, topic: one, version: 8}}, 2, 0, 0, 0,
		},
	} {
		v := judgeRappel(append(slices.Clone(tree), c.deeds...), parts)
		if v.due != c.due || v.lost != c.lost || v.twice != c.twice || v.noise != c.noise {
			t.Errorf("%s: %d due, %d lost, %d twice, %d noise; not %d, %d, %d, %d", name,
				v.due, v.lost, v.twice, v.noise, c.due, c.lost, c.twice, c.noise)
		}
		if len(v.calm) != c.due-c.lost {
			t.Errorf("%s: %d latencies", name, len(v.calm))
		}
	}
	parts.over = published + treeGrace - 1
	if v := judgeRappel(append(slices.Clone(tree), got(1, s)), parts); v.due != 1 || v.lost != 0 {
		t.Errorf("of what may still come, %d are due and %d lost", v.due, v.lost)
	}
	v := judgeRappel(append(slices.Clone(tree), got(2, 2*s), got(1, s)), parts)
	if !slices.Equal(v.calm, []float64{1, 2}) {
		t.Errorf("latencies of 1 and 2 s are reported as %v", v.calm)
	}
}
