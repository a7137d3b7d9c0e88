package overlay

import (
	"time"

	"tidings/network/engine"
)

// lost are the neighbours that failed. They are tried again for Config.Return. After a partition both halves of the
// network cover their topics by themselves, and would otherwise never look for each other. A neighbour that returns
// counts as a neighbour since its first time: see disconnectCandidate.
type lost struct {
	*core
	list []*lostNeighbor // as they were lost
}

type lostNeighbor struct {
	peer  engine.Peer
	tasks uint8 // the sets that it was in and is not again
	since [tasks]time.Duration
	until time.Duration // when it is given up
	due   time.Duration // of the next attempt
	wait  time.Duration // until the one after that
}

// maxReturnWait is the longest pause between two attempts to get a lost neighbour back.
const maxReturnWait = time.Minute

func (l *lost) find(id engine.ID) *lostNeighbor {
	for _, n := range l.list {
		if n.peer.ID == id {
			return n
		}
	}
	return nil
}

// add notes a neighbour that a task has lost.
func (l *lost) add(p engine.Peer, t Task, since time.Duration) {
	if l.config.Return == 0 || l.config.MaxLost == 0 {
		return
	}
	n := l.find(p.ID)
	if n == nil {
		if len(l.list) >= l.config.MaxLost {
			l.env.Trace(LimitHit{"MaxLost", l.config.MaxLost})
			l.list = append(l.list[:0], l.list[1:]...)
		}
		n = &lostNeighbor{peer: p}
		l.list = append(l.list, n)
	}
	now := l.env.Now()
	n.peer, n.tasks, n.since[t] = p, n.tasks|t.bit(), since
	n.until, n.due, n.wait = now+l.config.Return, now+l.config.ReturnFirst, 2*l.config.ReturnFirst
	l.schedule(n.due)
}

// back notes that a lost node is a task's neighbour again, and returns since when it counts as one.
func (l *lost) back(id engine.ID, t Task, now time.Duration) (since time.Duration) {
	n := l.find(id)
	if n == nil || n.tasks&t.bit() == 0 {
		return now
	}
	n.tasks &^= t.bit()
	return n.since[t]
}

// drop forgets a node: it has left in good order, or is not wanted back.
func (l *lost) drop(id engine.ID) {
	if n := l.find(id); n != nil {
		n.tasks = 0
	}
}

// run has those asked again that are due, and returns when the next one is.
func (l *lost) run(now time.Duration, ask func(Task, engine.Peer)) (next time.Duration) {
	next = never
	kept := l.list[:0]
	for _, n := range l.list {
		if n.tasks == 0 || n.until <= now {
			continue
		}
		if n.due <= now {
			n.due, n.wait = now+n.wait, min(2*n.wait, maxReturnWait)
			for t := range Task(tasks) {
				if n.tasks&t.bit() != 0 {
					ask(t, n.peer)
				}
			}
		}
		next = min(next, n.due)
		kept = append(kept, n)
	}
	clear(l.list[len(kept):])
	l.list = kept
	return next
}
