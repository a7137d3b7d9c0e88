package feedtree

// receiveHeartbeat notes that a publisher lives, and how far it has come.
func (n *Node) receiveHeartbeat(f *following, h *Heartbeat, way Way) {
	topic := f.present().topic
	if h.Time > f.voice.lastTime && h.Number < f.last {
		n.env.Trace(WentBack{topic, h.Number, f.last})
	}
	ended, earlier := f.voice.promise(h)
	if ended {
		n.env.Trace(Ended{topic})
		n.listener.Ended(topic)
	}
	n.spoke(f, earlier)
	n.spoke(f, f.voice.listen(h, h.Time, way))
	f.beginAfter(h.Number)
	n.exists(f, h.Number)
	n.searcher.update(&f.search)
}

// spoke acts on a word of the publisher.
func (n *Node) spoke(f *following, s spoke) {
	if s.isNews {
		n.env.Trace(Heard{f.present().topic})
		n.listener.Heard(f.present().topic)
	}
	if s.inTime {
		f.search.spoken()
	}
}

// overdue looks for the publisher's word, which has not come in time.
func (n *Node) overdue(f *following, anew bool) {
	if anew {
		n.env.Trace(Overdue{f.present().topic})
		n.listener.Overdue(f.present().topic)
	}
	n.searcher.in(&f.search, 0)
}
