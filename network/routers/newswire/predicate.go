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

// predicates are conditions that were compiled, by their texts.
type predicates struct {
	compile func(text string) (Condition, error) // nil: the node knows no conditions
	kept    map[string]predicate                 // at most maxPredicates
}

func (l *predicates) of(text string) predicate {
	if l.compile == nil {
		return predicate{err: errNoConditions}
	}
	p, ok := l.kept[text]
	if ok {
		return p
	}
	if l.kept == nil || len(l.kept) >= maxPredicates {
		l.close()
		l.kept = make(map[string]predicate)
	}
	p.Condition, p.err = l.compile(text)
	l.kept[text] = p
	return p
}

// close gives back what conditions hold.
func (l *predicates) close() {
	for _, p := range l.kept { // the order makes no difference
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
	p := n.predicates.of(m.Predicate)
	if p.err != nil {
		return false
	}
	holds, err := p.Holds(row)
	return err == nil && holds
}
