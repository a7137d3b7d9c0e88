package archive

// lies reports whether an item lies in the local source, and is taken from there.
func (n *Node) lies(item Held) bool {
	if n.source == nil {
		return false
	}
	bytes := n.source.Local(item.Name)
	if len(bytes) != int(item.Size) || PrintOf(bytes) != item.Print {
		return false // there is another of that name, and which one stays is settled by comparing
	}
	if n.admitting+len(bytes) > maxAdmitting {
		return false
	}
	n.admitting += len(bytes)
	end := func(Refusal) { n.admitting -= len(bytes) }
	if why := n.put(n.env.Self(), newEntry(item), bytes, end); why != Accepted {
		end(why)
	}
	return true
}
