package main

import (
	"testing"

	"tidings"
	"tidings/view"
)

func TestRepublisherWords(t *testing.T) {
	one := "6e1f0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"
	for want, r := range map[string]view.Republisher{
		"Preferring the node 6e1f0a4b: what it finds is always believed": {Node: one, Trust: tidings.Preferred},
		"Believing the node 6e1f0a4b like any other":                     {Node: one, Trust: tidings.Neutral},
		"Distrusting all nodes that are not preferred: what is found there is shown once a check of your own node " +
			"has seen it": {
			Node: view.AllNodes, Trust: tidings.Distrusted},
	} {
		if got := believingWords(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := republishingWords(view.RepublisherCounts{Preferred: 2, Distrusted: 1, Waited: 1, Seen: 1}),
		"2 nodes preferred, 1 distrusted; 1 change waited for a check of this node, which has seen 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
