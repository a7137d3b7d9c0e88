package feedtree

// maybeWentBack looks at an item with a number that is here already. If it is older than the publisher's latest word,
// it is a copy, or a node without anything else has sent it again. If it is newer, the publisher counts from an old
// state, or another node has its key. The Library's item shows whether there are two.
func (n *Node) maybeWentBack(f *following, l *later) {
	switch {
	case l.way != Pushed:
	case l.time > f.voice.lastTime:
		last := f.last
		n.env.Trace(WentBack{l.topic, l.number, last})
		n.library.Lend(l.topic, l.number, l.number, 1, func(items []*Item) {
			if len(items) == 1 && items[0].Number == l.number {
				n.record.setHead(l.topic, items[0].Head())
				n.record.noteHead(l.topic, l.item.Head())
			}
		})
	case l.time+backTime.Milliseconds() < f.voice.lastTime:
		n.refuse(l.topic, l.number, l.from, Replayed)
	}
}
