package feedtree

import "tidings/network/engine"

// maxFinds is how many items are asked of the archive at a time, for a channel.
const maxFinds = 8

// find asks the archive for the first missing item. If no number is known to be missing, it asks how far the publisher
// has come.
func (w *searcher) find(s *search) {
	if w.archive == nil {
		w.next(s)
		return
	}
	s.found = false
	turn := s.turn
	current := func() bool { return s.on && s.turn == turn && s.goal.isOpen() }
	from, to := s.goal.missing()
	topics, _ := s.goal.topics()
	for _, topic := range topics {
		if from == 0 {
			s.finds++
			start := s.goal.lastKnown()
			p := &probe{topic: topic, last: start, step: 1, accept: func(i *Item, back *Withdrawal) bool {
				if back != nil {
					return s.accept(topic, nil, back)
				}
				return s.accept(topic, i.Head(), nil)
			}}
			p.run(w.archive, current, func() { w.foundInArchive(s, p.last > start) })
			continue
		}
		for number := from; number <= to && number < from+maxFinds; number++ {
			s.finds++
			w.archive.Find(topic, number, func(i *Item, back *Withdrawal) {
				if !current() {
					return
				}
				good := isOf(number, i, back) && s.accept(topic, i, back)
				if current() {
					w.foundInArchive(s, good)
				}
			})
		}
	}
	w.nextIn(s, w.config.ArchiveWait)
}

// foundInArchive notes one answer of the archive. While it gives something it is asked for more.
func (w *searcher) foundInArchive(s *search, good bool) {
	s.found = s.found || good
	if s.finds--; s.finds > 0 {
		return
	}
	if s.found {
		s.step = askArchive
	}
	w.next(s)
}

// probe finds in the archive how far a publisher has come. It looks at numbers at distances that double as long as
// there are items, and then halve.
type probe struct {
	topic engine.ID
	last  uint64 // the highest that is there
	step  uint64
	back  bool // the distances halve
	// accept receives what is there, and reports whether it is genuine.
	accept func(*Item, *Withdrawal) bool
}

// isOf reports whether the archive has found something for a number.
func isOf(number uint64, i *Item, back *Withdrawal) bool {
	return i != nil && i.Number == number || i == nil && back != nil && back.Number == number
}

// maxProbes bounds the distance.
const maxProbes = 1 << 32

// run goes on while it is wanted, and calls end at the end.
func (p *probe) run(archive Archive, wanted func() bool, end func()) {
	number := p.last + p.step
	archive.Find(p.topic, number, func(i *Item, back *Withdrawal) {
		if !wanted() {
			return
		}
		there := isOf(number, i, back) && p.accept(i, back)
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
		p.run(archive, wanted, end)
	})
}
