package query

import "strings"

func (n *junction) print(b *strings.Builder) {
	for i, child := range n.list {
		if i > 0 {
			b.WriteString(map[junctionKind]string{and: " AND ", or: " OR "}[n.kind])
		}
		inner, ok := child.(*junction)
		printChild(b, child, ok && inner.kind == or)
	}
}

func (n not) print(b *strings.Builder) {
	b.WriteString("NOT ")
	_, plain := n.node.(constant)
	printChild(b, n.node, !plain)
}

func printChild(b *strings.Builder, child node, parentheses bool) {
	if parentheses {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	child.print(b)
}

func (n constant) print(b *strings.Builder) {
	b.WriteString(map[constant]string{true: "TRUE", false: "FALSE"}[n])
}

// signs are the operators with a single value.
var signs = map[operator]string{equal: "=", less: "<", lessOrEqual: "<=", greater: ">", greaterOrEqual: ">="}

func (c *comparison) print(b *strings.Builder) {
	negation := ""
	if c.negated {
		negation = "NOT "
	}
	b.WriteString(c.Name + " ")
	switch {
	case c.op == isNull:
		b.WriteString("IS " + negation + "NULL")
	case c.op == between:
		b.WriteString(negation + "BETWEEN " + c.printValues(" AND "))
	case c.op == in:
		b.WriteString(negation + "IN (" + c.printValues(", ") + ")")
	case c.op == like:
		b.WriteString(negation + "LIKE " + c.printValues(""))
		if c.escape != "" {
			b.WriteString(" ESCAPE " + quote(c.escape))
		}
	case c.op == matching:
		b.WriteString(negation + "REGEXP " + c.printValues(""))
	case c.negated:
		b.WriteString("<> " + c.printValues(""))
	default:
		b.WriteString(signs[c.op] + " " + c.printValues(""))
	}
}

func (c *comparison) printValues(separator string) string {
	list := make([]string, len(c.values))
	for i, v := range c.values {
		if list[i] = v.text; c.Type != Number {
			list[i] = quote(v.text)
		}
	}
	return strings.Join(list, separator)
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
