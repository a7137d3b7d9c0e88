package feedtree

import "tidings/network/engine"

// maxFinds is how many items are asked of the archive at a time, for a channel.
const maxFinds = 8

// find asks the archive for the first of what is missing; where nothing is known to be missing, how far
// the publisher has come.
func (n *Node) find(f *following) {
	s := &f.search
	if n.archive == nil {
		n.searchOn(f)
		return
	}
	s.found = false
	turn := s.turn
	current := func() bool { return s.on && s.turn == turn && !f.gone && !f.void }
	from, to := f.missing()
	for _, e := range f.eras {
		if from == 0 {
			s.finds++
			p := &probe{topic: e.topic, last: f.last, step: 1, take: func(i *Item, back *Withdrawal) bool {
				if back != nil {
					return f.takeWithdrawal(n, e.topic, back)
				}
				return n.takeAnswer(f, e.topic, i.Head(), engine.Peer{}, Archived)
			}}
			start := f.last
			n.probe(p, current, func() { n.foundInArchive(f, p.last > start) })
			continue
		}
		for number := from; number <= to && number < from+maxFinds; number++ {
			s.finds++
			n.archive.Find(e.topic, number, func(i *Item, back *Withdrawal) {
				if !current() {
					return
				}
				good := isOf(number, i, back)
				if good && back != nil {
					good = f.takeWithdrawal(n, e.topic, back)
				} else if good {
					good = n.takeAnswer(f, e.topic, i, engine.Peer{}, Archived)
				}
				if current() {
					n.foundInArchive(f, good)
				}
			})
		}
	}
	n.nextIn(f, n.config.ArchiveWait)
}

// foundInArchive takes note of one answer of the archive. While it gives something it is asked for more.
func (n *Node) foundInArchive(f *following, good bool) {
	s := &f.search
	s.found = s.found || good
	if s.finds--; s.finds > 0 {
		return
	}
	if s.found {
		s.step = askArchive
	}
	n.searchOn(f)
}

// probe finds how far a publisher has come by the archive: it looks at numbers at distances that double as
// long as there are items, and then halve.
type probe struct {
	topic engine.ID
	last  uint64 // the highest that is there
	step  uint64
	back  bool // the distances halve
	take  func(*Item, *Withdrawal) (genuine bool)
}

// isOf reports whether the archive has found something for a number.
func isOf(number uint64, i *Item, back *Withdrawal) bool {
	return i != nil && i.Number == number || i == nil && back != nil && back.Number == number
}

// maxProbes bounds the distance.
const maxProbes = 1 << 32

// probe goes on while it is wanted, and calls end at the end.
func (n *Node) probe(p *probe, wanted func() bool, end func()) {
	number := p.last + p.step
	n.archive.Find(p.topic, number, func(i *Item, back *Withdrawal) {
		if !wanted() {
			return
		}
		there := isOf(number, i, back) && p.take(i, back)
		if there {
			p.last = number
		}
		p.back = p.back || !there || p.step >= maxProbes
		switch {
		case !p.back:
			p.step *= 2
		case p.step == 1:
			end()
			return
		default:
			p.step /= 2
		}
		n.probe(p, wanted, end)
	})
}
