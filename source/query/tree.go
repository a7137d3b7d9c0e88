package query

import "strings"

// node is a condition or a part of one.
type node interface {
	eval(*Item) truth
	print(*strings.Builder)
	// cover returns topics of which every item carries one for which the condition is true; if want is false, for which
	// it is false.
	cover(want bool) cover
}

// truth is a value of SQL's three-valued logic. AND is the minimum, OR the maximum, and NOT changes the sign.
type truth int8

const (
	no      truth = -1
	unknown truth = 0 // NULL
	yes     truth = 1
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// and is a conjunction of at least two conditions, none of them another and.
type and []node

func (n and) eval(it *Item) truth {
	result := yes
	for _, child := range n {
		if result = min(result, child.eval(it)); result == no {
			break
		}
	}
	return result
}

// or is a disjunction of at least two conditions, none of them another or.
type or []node

func (n or) eval(it *Item) truth {
	result := no
	for _, child := range n {
		if result = max(result, child.eval(it)); result == yes {
			break
		}
	}
	return result
}

type not struct{ node }

func (n not) eval(it *Item) truth { return -n.node.eval(it) }

// constant is TRUE or FALSE.
type constant bool

func (n constant) eval(*Item) truth { return truthOf(bool(n)) }
