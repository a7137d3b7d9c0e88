package scribe_test

import (
	"slices"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/scribe"
)

// A node lists in parts of which groups it is a child. It is a child of no other group within a part. A group at the
// edge of two parts may stand in either. If a part begins with the first topic of all, or ends at the group, the group
// has to stand there.
func TestPartsOfGroupsMeet(t *testing.T) {
	child := enginetest.NewPeer("20")
	low, middle, high := engine.PrefixID("40"), engine.PrefixID("80"), engine.PrefixID("c0")
	for _, c := range []struct {
		first, last engine.ID
		left        []engine.ID // topics in which it still is a child, though it names none
	}{
		{engine.ID{}, low, []engine.ID{middle, high}},
		{engine.ID{}, middle, []engine.ID{high}},
		{low, middle, []engine.ID{low, high}},
		{middle, high, []engine.ID{low, middle}},
		{engine.PrefixID("41"), engine.PrefixID("7f"), []engine.ID{low, middle, high}},
	} {
		l := newLone()
		l.roots[0] = l.env.Self() // so that it admits children
		for _, topic := range []engine.ID{low, middle, high} {
			l.Receive(child, &scribe.Join{Group: scribe.NameOf(topic, topic), Child: child})
		}
		l.Receive(child, &scribe.Groups{First: c.first, Last: c.last})
		var left []engine.ID
		for _, topic := range []engine.ID{low, middle, high} {
			if slices.Contains(l.Children(topic), child) {
				left = append(left, topic)
			}
		}
		if !slices.Equal(left, c.left) {
			t.Errorf("after a part from %v to %v it is a child of %v, not of %v", c.first, c.last, left, c.left)
		}
	}
}
