// Package builtin is the aggregation function that every node of Astrolabe has from the start, compiled into Go. It
// computes the same rows as its SQL text, which package sql evaluates, in a fiftieth of the time.
//
// The attributes of a zone's row, of those of its children:
//
//   - members: the sum; each leaf row has 1.
//   - load: the least, 0 to 1.
//   - rep: the address of the best representative of the children; reps: those of the k best, as attr.List reads it.
//     The paper (section 5) chooses by the load of nodes, and by the load and number of independent network paths to
//     them. Here the order is: the least load, the highest up. A node cannot know how many paths lead to it: to most
//     others it has one address. One that cannot be reached falls silent, and leaves the table.
//   - filter: the union of the children's sets of bits. The paper's first prototype (section 7) had bit masks of news
//     categories, an attribute for each publisher. It was replaced by the filter, as masks limit how many publishers
//     there can be, and what can be subscribed to.
//   - depth: how many levels are below; 1 if children are leaves, which have none.
//   - x, y, z, h: the mean of the children's network coordinates, weighted by members, in microseconds.
//
// A value of a wrong type or out of bounds counts as missing, so that a hostile row harms little more than itself. The
// order of rows does not matter: floating-point numbers are added in the order of the attribute label.
package builtin

import "tidings/network/astrolabe/attr"

// MaxReps is the most representatives in reps.
const MaxReps = 16

// Aggregate returns the row of a zone with valid rows in its table, with k representatives, 2 to MaxReps.
func Aggregate(rows []attr.Row, k int) attr.Row {
	var space [64]child
	table := children(space[:0], rows)
	if len(table) == 0 {
		return nil
	}
	result := make(attr.Row, 0, 10) // in the order of names
	add := func(name string, v attr.Value) {
		if v.Type != attr.Null {
			result = append(result, attr.Attribute{Name: name, Value: v})
		}
	}
	var filter attr.Or
	var members attr.Sum
	var load attr.Value
	depth := int64(0)
	for i := range table {
		c := &table[i]
		if c.filter != nil && c.filter.Type == attr.Blob {
			filter.Add(*c.filter)
		}
		if n, ok := c.counted(); ok {
			members.Add(attr.Int(n))
		}
		if f, ok := c.free(); ok && (load.Type == attr.Null || f < number(load)) {
			load = *c.load
		}
		if c.depth != nil && c.depth.Type == attr.Integer && c.depth.Integer <= MaxDepth {
			depth = max(depth, c.depth.Integer)
		}
	}
	rep, reps := representatives(table, bound(k))
	add("depth", attr.Int(depth+1))
	add("filter", filter.Value())
	add(coordinates[0], meanOf(table, 0, 0))
	add("load", load)
	add("members", members.Value())
	add("rep", rep)
	add("reps", reps)
	for i, name := range coordinates[1:] {
		add(name, meanOf(table, i+1, -MaxReach))
	}
	return result
}

func number(v attr.Value) float64 {
	f, _ := v.Number()
	return f
}

// representatives returns the best representative, and a list of the k best.
func representatives(table []child, k int) (rep, reps attr.Value) {
	var best [MaxReps + 1]*child // the last is the one that is pushed out
	n, size := 0, 0
	for i := range table {
		c := &table[i]
		if !c.represents() || n == k && c.compare(best[k-1]) >= 0 {
			continue
		}
		at := n
		for ; at > 0 && c.compare(best[at-1]) < 0; at-- {
			best[at] = best[at-1]
		}
		best[at] = c
		n = min(n+1, k)
	}
	if n == 0 {
		return attr.Value{}, attr.Value{}
	}
	for _, c := range best[:n] {
		size += len(c.rep.Bytes) + 2
	}
	list := make([]byte, 0, size)
	for _, c := range best[:n] {
		list = attr.AppendList(list, c.rep.Bytes)
	}
	return *best[0].rep, attr.Bytes(list)
}

// meanOf returns the mean of a coordinate weighted by members. No product is fused with a sum, so that it is the same
// on every machine.
func meanOf(table []child, coordinate int, low float64) attr.Value {
	var sum float64
	var weight attr.Sum
	for i := range table {
		f, ok := between(table[i].coordinates[coordinate], low, MaxReach)
		n, counts := table[i].counted()
		if !ok || !counts {
			continue
		}
		sum += float64(f * float64(n))
		weight.Add(attr.Int(n))
	}
	if weight.Value().Type == attr.Null {
		return attr.Value{}
	}
	return attr.Float(sum / number(weight.Value()))
}
