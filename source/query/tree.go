package query

import "strings"

// node is a condition or a part of one.
type node interface {
	eval(*evaluation) truth
	print(*strings.Builder)
	// cover returns topics of which every item carries one for which the condition is true; if want is false, for which
	// it is false.
	cover(want bool) cover
}

// truth is a value of SQL's three-valued logic. NOT changes the sign.
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

// junction is an AND or OR of at least two conditions, none of them a junction of the same kind.
type junction struct {
	kind junctionKind
	list []node
}

// junctionKind is the truth that a single condition of a junction gives the whole.
type junctionKind = truth

const (
	and junctionKind = no
	or  junctionKind = yes
)

func (n *junction) eval(e *evaluation) truth {
	result := -n.kind
	for _, child := range n.list {
		switch t := child.eval(e); t {
		case n.kind:
			return t
		case unknown:
			result = unknown
		}
	}
	return result
}

type not struct{ node }

func (n not) eval(e *evaluation) truth { return -n.node.eval(e) }

// constant is TRUE or FALSE.
type constant bool

func (n constant) eval(*evaluation) truth { return truthOf(bool(n)) }
