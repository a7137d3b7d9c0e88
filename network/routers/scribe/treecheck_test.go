package scribe_test

import (
	"errors"
	"fmt"

	"tidings/network/engine"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// Place returns where a node stands in a topic's tree.
func (v *wood) Place(n sim.Node, topic engine.ID) (scribe.Place, bool) {
	return v.Node(n).Place(scribe.Group{Topic: topic, Key: topic})
}

// Tree returns what is wrong with a topic's tree. All members must be in it, and parents and children must agree. The
// way up must lead to the root, and no node may have too many children.
func (v *wood) Tree(topic engine.ID) error {
	var wrong []error
	root := v.Root(topic)
	for _, n := range v.Live() {
		p, in := v.Place(n, topic)
		if !in {
			if v.Wants(n, topic) {
				wrong = append(wrong, fmt.Errorf("member %d is not in its group", n))
			}
			continue
		}
		if most := v.settings.Scribe.MaxChildren; len(p.Children) > most {
			wrong = append(wrong, fmt.Errorf("node %d has %d children, not %d at most", n, len(p.Children), most))
		}
		for _, c := range p.Children {
			if child, _ := v.NodeAt(c); !v.isChild(child, n, topic) {
				wrong = append(wrong, fmt.Errorf("node %d takes %d for its child, which does not agree", n, child))
			}
		}
		if err := v.climb(n, root, topic); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// isChild reports whether child has parent as its parent.
func (v *wood) isChild(child, parent sim.Node, topic engine.ID) bool {
	if !v.Up(child) {
		return false
	}
	p, in := v.Place(child, topic)
	return in && p.Parent.ID == v.Peer(parent).ID
}

// climb goes from a node to the root.
func (v *wood) climb(n, root sim.Node, topic engine.ID) error {
	start := n
	for range v.Len() {
		p, in := v.Place(n, topic)
		switch {
		case !in:
			return fmt.Errorf("the way up from %d leads to %d, which is not in the group", start, n)
		case p.Root && n != root:
			return fmt.Errorf("%d takes itself for the root, which is %d", n, root)
		case p.Root:
			return nil
		case p.Parent.IsZero():
			return fmt.Errorf("the way up from %d ends at %d, which has no parent", start, n)
		}
		up, _ := v.NodeAt(p.Parent)
		if !v.Up(up) {
			return fmt.Errorf("the way up from %d leads to %d, which is down", start, up)
		}
		n = up
	}
	return fmt.Errorf("the way up from %d leads in a circle", start)
}
