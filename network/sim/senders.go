package sim

// senders counts the messages of each sender that wait in one queue of a node. A live node has a queue for each link
// (live.Limits), so a bound of live nodes is one of each count, not of their sum.
type senders struct {
	waiting map[Node]int // none is 0
	peak    int          // the most that one of them ever had
}

func (s *senders) add(n Node) {
	if s.waiting == nil {
		s.waiting = make(map[Node]int)
	}
	s.waiting[n]++
	s.peak = max(s.peak, s.waiting[n])
}

func (s *senders) remove(n Node) {
	if s.waiting[n]--; s.waiting[n] == 0 {
		delete(s.waiting, n)
	}
}

// PeakOfSender returns the most messages of one sender that ever waited in one queue of a node. Its upload queue has
// one sender, the node. A message that overflows its queue is counted.
func (w *World) PeakOfSender(n Node) (peak int) {
	c := w.node(n).condition
	if c == nil {
		return 0
	}
	for _, p := range c.pipes {
		if p != nil {
			peak = max(peak, p.backlog.senders.peak)
		}
	}
	return max(peak, c.sleep.senders.peak)
}
