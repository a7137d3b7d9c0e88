package wording

import (
	"testing"

	"tidings/view"
)

func TestStandingText(t *testing.T) {
	one := make([]view.Peer, 1)
	for _, c := range []struct {
		network view.Network
		known   int
		want    Word
	}{
		{view.Network{Off: true}, 0, Idle("Works alone", "It was started with --no-network.")},
		{view.Network{Nodes: 1}, 0, Wait("Alone", "No other node is known yet.")},
		{view.Network{Nodes: 2, Neighbours: one}, 0, Good("In a ring of 2 nodes", "With 1 neighbour.")},
		{view.Network{Nodes: 1200, Neighbours: one}, 31,
			Good("In a ring of about 1,200 nodes", "With 1 neighbour and 31 other known nodes.")},
	} {
		if got := (Words{}).Standing(c.network, c.known); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
}

func TestSentence(t *testing.T) {
	for reason, want := range map[string]string{"": "", "nobody listens there.": "Nobody listens there",
		"über\n\x1b[31m lang": "Über [31m lang", "...": ""} {
		if got := Sentence(reason, 100); got != want {
			t.Errorf("sentence(%q) = %q, want %q", reason, got, want)
		}
	}
}
