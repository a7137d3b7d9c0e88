package builtin

import (
	"cmp"
	"slices"

	"tidings/network/astrolabe/attr"
)

// child is what the aggregation reads of a row; what the row lacks is nil.
type child struct {
	row                                 attr.Row
	depth, filter, label, load, members *attr.Value
	rep, up                             *attr.Value
	coordinates                         [len(coordinates)]*attr.Value
}

// coordinates are the names of network coordinates: a height and a point.
var coordinates = [...]string{"h", "x", "y", "z"}

// children adds rows to space, in the order of their labels.
func children(space []child, rows []attr.Row) []child {
	for _, row := range rows {
		space = append(space, child{row: row})
		space[len(space)-1].find()
	}
	for i := 1; i < len(space); i++ {
		if compareLabels(&space[i-1], &space[i]) > 0 {
			slices.SortFunc(space, func(a, b child) int { return compareLabels(&a, &b) })
			break
		}
	}
	return space
}

func compareLabels(a, b *child) int {
	if a.label != nil && b.label != nil {
		if c := attr.Compare(*a.label, *b.label); c != 0 {
			return c
		}
	}
	return attr.CompareRows(a.row, b.row)
}

// find points to the attributes of the row.
func (c *child) find() {
	for i := range c.row {
		value := &c.row[i].Value
		switch c.row[i].Name {
		case "depth":
			c.depth = value
		case "filter":
			c.filter = value
		case "h":
			c.coordinates[0] = value
		case "label":
			c.label = value
		case "load":
			c.load = value
		case "members":
			c.members = value
		case "rep":
			c.rep = value
		case "up":
			c.up = value
		case "x":
			c.coordinates[1] = value
		case "y":
			c.coordinates[2] = value
		case "z":
			c.coordinates[3] = value
		}
	}
}

// counted returns how many members there are: typeof(members) = 'integer' AND members > 0.
func (c *child) counted() (n int64, ok bool) {
	if c.members == nil || c.members.Type != attr.Integer || c.members.Integer <= 0 {
		return 0, false
	}
	return c.members.Integer, true
}

// free returns the load: load BETWEEN 0 AND 1.
func (c *child) free() (load float64, ok bool) { return between(c.load, 0, 1) }

// between returns a number that is in a range; of an Integer in so small a range the float is exact.
func between(v *attr.Value, low, high float64) (f float64, ok bool) {
	if v == nil {
		return 0, false
	}
	f, ok = v.Number()
	return f, ok && low <= f && f <= high
}

// represents reports whether the representative can be one of the zone.
func (c *child) represents() bool {
	return c.rep != nil && (c.rep.Type == attr.Text || c.rep.Type == attr.Blob) && len(c.rep.Bytes) <= MaxRep
}

// compare orders two rows by how well they represent the zone, as the SQL text does. Rows that are equal stay in the
// order of labels.
func (c *child) compare(d *child) int {
	return cmp.Or(
		cmp.Compare(c.busy(), d.busy()),
		-compareValues(c.up, d.up),
		compareValues(c.label, d.label),
	)
}

func (c *child) busy() float64 {
	if load, ok := c.free(); ok {
		return load
	}
	return 1
}

func compareValues(a, b *attr.Value) int {
	var null attr.Value
	return attr.Compare(*cmp.Or(a, &null), *cmp.Or(b, &null))
}
