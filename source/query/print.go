package query

import "strings"

func (n and) print(b *strings.Builder) { printList(b, n, " AND ") }

func (n or) print(b *strings.Builder) { printList(b, n, " OR ") }

func printList(b *strings.Builder, list []node, separator string) {
	for i, child := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		_, inner := child.(or)
		printChild(b, child, inner)
	}
}

func printChild(b *strings.Builder, child node, parentheses bool) {
	if parentheses {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	child.print(b)
}

func (n not) print(b *strings.Builder) {
	b.WriteString("NOT ")
	_, plain := n.node.(constant)
	printChild(b, n.node, !plain)
}

func (n constant) print(b *strings.Builder) {
	if n {
		b.WriteString("TRUE")
	} else {
		b.WriteString("FALSE")
	}
}

// signs are the operators with a single value.
var signs = map[operator]string{equal: "=", less: "<", lessOrEqual: "<=", greater: ">", greaterOrEqual: ">="}

func (c *comparison) print(b *strings.Builder) {
	b.WriteString(c.Name)
	if c.negated && c.op != equal && c.op != isNull {
		b.WriteString(" NOT")
	}
	switch {
	case c.op == isNull && c.negated:
		b.WriteString(" IS NOT NULL")
	case c.op == isNull:
		b.WriteString(" IS NULL")
	case c.op == between:
		b.WriteString(" BETWEEN ")
		c.printValues(b, " AND ")
	case c.op == in:
		b.WriteString(" IN (")
		c.printValues(b, ", ")
		b.WriteByte(')')
	case c.op == like:
		b.WriteString(" LIKE ")
		c.printValues(b, "")
		if c.escape != "" {
			b.WriteString(" ESCAPE " + quote(c.escape))
		}
	case c.negated:
		b.WriteString(" <> ")
		c.printValues(b, "")
	default:
		b.WriteString(" " + signs[c.op] + " ")
		c.printValues(b, "")
	}
}

func (c *comparison) printValues(b *strings.Builder, separator string) {
	for i, v := range c.values {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(c.printed(v))
	}
}

// printed returns a value as a query writes it.
func (c *column) printed(v value) string {
	if c.Type == Number {
		return v.text
	}
	return quote(v.text)
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
