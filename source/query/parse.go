package query

import (
	"fmt"
	"strings"
)

// parser reads a condition by recursive descent: OR binds less than AND, AND less than NOT.
type parser struct {
	dialect
	source      string
	tokens      []token // those that are left; never empty
	last        token   // the one before them
	depth       int
	comparisons int
	warnings    []Remark
}

// condition reads the whole text.
func (p *parser) condition() (node, error) {
	root, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != endOfText {
		if p.isNext(")") {
			return nil, p.fail(t, "this ) closes nothing", "")
		}
		return nil, p.expected("AND, OR or the end", "AND", "OR")
	}
	return root, nil
}

func (p *parser) disjunction() (node, error) { return p.junction(or, "OR", p.conjunction) }

func (p *parser) conjunction() (node, error) { return p.junction(and, "AND", p.negation) }

// junction reads operands with a keyword between them. Those in parentheses that make no difference become its own.
func (p *parser) junction(kind junctionKind, keyword string, operand func() (node, error)) (node, error) {
	var list []node
	for {
		child, err := operand()
		if err != nil {
			return nil, err
		}
		if nested, ok := child.(*junction); ok && nested.kind == kind {
			list = append(list, nested.list...)
		} else {
			list = append(list, child)
		}
		if !p.accept(keyword) {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return &junction{kind, list}, nil
}

func (p *parser) negation() (node, error) {
	if !p.isNext("NOT") {
		return p.term()
	}
	if err := p.enter(p.next()); err != nil {
		return nil, err
	}
	defer p.leave()
	operand := p.negation
	if p.isNext("(") { // which String writes after every NOT, and so must not count as deeper
		operand = p.group
	}
	child, err := operand()
	if err != nil {
		return nil, err
	}
	if double, ok := child.(not); ok {
		return double.node, nil
	}
	return not{child}, nil
}

func (p *parser) term() (node, error) {
	switch t := p.peek(); {
	case p.isNext("("):
		return p.parentheses()
	case p.accept("TRUE"):
		return constant(true), nil
	case p.accept("FALSE"):
		return constant(false), nil
	case t.kind == quoted || t.kind == number:
		return nil, p.fail(t, "a comparison begins with a column, not with a value",
			"write it like publisher = 'reuters'")
	case t.kind == word && p.column(t.text) != nil:
		return p.comparison()
	case p.isNext("SELECT") || p.isNext("WHERE"):
		return nil, p.fail(t, "a condition does not begin with "+strings.ToUpper(t.text),
			"write only what follows WHERE")
	case t.kind == word && !isKeyword(t.text):
		return nil, p.noColumn(t)
	}
	return nil, p.expected("a column, NOT or (")
}

func (p *parser) parentheses() (node, error) {
	if err := p.enter(p.peek()); err != nil {
		return nil, err
	}
	defer p.leave()
	return p.group()
}

// group reads a condition in parentheses.
func (p *parser) group() (node, error) {
	open := p.next()
	n, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	switch t := p.peek(); {
	case p.accept(")"):
		return n, nil
	case t.kind == endOfText:
		return nil, p.fail(open, "this ( is not closed", "add a )")
	}
	return nil, p.expected("AND, OR or )", "AND", "OR")
}

// enter counts how deep parentheses and NOTs are inside each other.
func (p *parser) enter(t token) error {
	if p.depth++; p.depth > MaxDepth {
		return p.fail(t, fmt.Sprintf("there are more than %d parentheses and NOTs inside each other", MaxDepth),
			"write it with fewer of them")
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) peek() token { return p.tokens[0] }

// next returns the next token and goes on, except at the end.
func (p *parser) next() token {
	t := p.tokens[0]
	if len(p.tokens) > 1 {
		p.tokens, p.last = p.tokens[1:], t
	}
	return t
}

// isNext reports whether a keyword or symbol is next.
func (p *parser) isNext(text string) bool {
	t := p.peek()
	return (t.kind == word || t.kind == symbol) && strings.EqualFold(t.text, text)
}

// accept goes past a keyword or symbol if it is next.
func (p *parser) accept(text string) bool {
	if p.isNext(text) {
		p.next()
		return true
	}
	return false
}

// fail returns an error about a token. If the token is bad, that is the error.
func (p *parser) fail(t token, message, hint string) error {
	if t.kind == bad {
		return t.err
	}
	return syntaxError(p.source, t.at, message, hint)
}

// expected returns the error that something else should be next. If what is there is nearly one of the keywords, the
// hint says so.
func (p *parser) expected(what string, keywords ...string) error {
	t := p.peek()
	hint := ""
	if near := nearest(t.text, keywords); t.kind == word && near != "" {
		hint = "did you mean " + near + "?"
	} else if p.last.kind == quoted && p.last.end == t.at && t.kind != endOfText {
		hint = quoteTwice
	}
	return p.fail(t, "expected "+what+", found "+t.shown(), hint)
}

func (p *parser) noColumn(t token) error {
	hint := "the columns are " + strings.Join(p.names(), ", ")
	if near := p.nearestColumn(t.text); near != "" {
		hint = "did you mean " + near + "?"
	}
	return p.fail(t, fmt.Sprintf("there is no column %q", clip(t.text)), hint)
}
