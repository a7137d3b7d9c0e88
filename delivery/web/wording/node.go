package wording

import (
	"strings"

	"tidings/view"
)

const (
	ShortID = 8  // digits of a node's ID that are shown where others stand beside it
	WholeID = 40 // digits of a node's ID
)

// Cut returns the first n characters of an ID.
func Cut(id string, n int) string { return strings.TrimSuffix(Plain(id, n), "…") }

// Grouped returns a fingerprint in groups of four digits, as people compare it.
func Grouped(fingerprint string) string {
	digits := Cut(fingerprint, 64)
	var b strings.Builder
	for i, c := range []rune(digits) {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Standing says in one line how a node stands among the others; known is how many it
// knows beside its neighbours.
func (w Words) Standing(n view.Network, known int) Word {
	switch {
	case n.Mining != nil:
		return Wait(w.Text("Works alone"),
			w.Text("It makes a key whose ID the network admits, and joins when it has one: %s of about %s keys tried.",
				w.Number(int64(n.Mining.Tried)), w.Number(int64(n.Mining.Expected))))
	case n.Off:
		return w.Idle("Works alone", "It was started with --no-network.")
	case len(n.Neighbours) == 0:
		return w.Wait("Alone", "No other node is known yet.")
	}
	text := w.Text("With %s.", w.Count(int64(len(n.Neighbours)), "neighbour", "neighbours"))
	if known > 0 {
		text = w.Text("With %s and %s.", w.Count(int64(len(n.Neighbours)), "neighbour", "neighbours"),
			w.Count(int64(known), "other known node", "other known nodes"))
	}
	if nodes, guess := Nodes(n); guess {
		return Good(w.Text("In a ring of about %s nodes", nodes), text)
	} else {
		return Good(w.Text("In a ring of %s nodes", nodes), text)
	}
}

// Nodes returns how many nodes a ring has: a guess once there are more than the
// neighbours and this one.
func Nodes(n view.Network) (nodes string, guess bool) {
	seen := len(n.Neighbours) + 1
	return Thousands(int64(max(n.Nodes, seen))), n.Nodes > seen
}
