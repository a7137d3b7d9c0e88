package newswire

import (
	"errors"

	"tidings/network/astrolabe/attr"
)

// predicate is a condition that was compiled, or why it could not be.
type predicate struct {
	Condition
	err error
}

// maxPredicates is how many conditions are kept; beyond that all are compiled anew.
const maxPredicates = 128

// errNoConditions is of nodes that know no conditions.
var errNoConditions = errors.New("conditions on zones cannot be evaluated here")

func (n *Node) predicate(text string) predicate {
	if n.seams.Compile == nil {
		return predicate{err: errNoConditions}
	}
	p, ok := n.predicates[text]
	if ok {
		return p
	}
	if n.predicates == nil || len(n.predicates) >= maxPredicates {
		n.closePredicates()
		n.predicates = make(map[string]predicate)
	}
	p.Condition, p.err = n.seams.Compile(text)
	n.predicates[text] = p
	return p
}

// closePredicates gives back what conditions hold.
func (n *Node) closePredicates() {
	for _, p := range n.predicates { // the order makes no difference
		if p.err == nil {
			p.Close()
		}
	}
}

// concerns reports whether an item goes to a zone or member with these attributes: the filter has one of its topics,
// and its predicate holds.
func (n *Node) concerns(m *Item, row attr.Row) bool {
	if !n.config.Shape.has(row.Get(AttrFilter).Bytes, m.Bits) {
		return false
	}
	if m.Predicate == "" {
		return true
	}
	p := n.predicate(m.Predicate)
	if p.err != nil {
		return false
	}
	holds, err := p.Holds(row)
	return err == nil && holds
}
