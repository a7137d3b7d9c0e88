package feedtree

// maybeWentBack looks at an item with a number that is here already. One that is older than what the
// publisher has said since is a copy, or was sent once more by somebody who has nothing else to send. One
// that is newer shows that the publisher counts from an old state, or that somebody else has its key: the
// item that the Library has reports whether there are two.
func (n *Node) maybeWentBack(f *following, l *later) {
	switch {
	case l.way != Pushed:
	case l.time > f.lastTime:
		last := f.last
		n.env.Trace(WentBack{l.topic, l.number, last})
		n.library.Lend(l.topic, l.number, l.number, 1, func(items []*Item) {
			if len(items) == 1 && items[0].Number == l.number {
				n.heads.put(place{l.topic, l.number}, *items[0].Head())
				n.noteHead(l.topic, l.item.Head())
			}
		})
	case l.time+backTime.Milliseconds() < f.lastTime:
		n.refuse(l.topic, l.number, l.from, Replayed)
	}
}
