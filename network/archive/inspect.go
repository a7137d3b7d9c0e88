package archive

// Load is what a node keeps and does.
type Load struct {
	Items   int
	Bytes   int64
	Topics  int
	Surplus int // items of which others are the owners
	Wanted  int // items that are being fetched to be kept here
	Lookups int
	Inserts int
}

// Load returns what this node keeps and does. Surplus is counted item by item.
func (n *Node) Load() Load {
	l := Load{
		Items: len(n.stock.held.names), Bytes: n.stock.held.bytes, Topics: len(n.stock.held.topics),
		Wanted: len(n.pull.wanted), Lookups: len(n.lookups.open), Inserts: len(n.inserts.open),
	}
	if rest, ok := n.standing.rest(); ok {
		n.stock.held.up(rest, func(*entry) bool { l.Surplus++; return true })
	}
	return l
}

// Has reports whether an item is on this node's store.
func (n *Node) Has(name Name) bool { return n.stock.has(name) != nil }
