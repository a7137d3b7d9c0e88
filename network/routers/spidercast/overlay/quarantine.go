package overlay

import (
	"time"

	"tidings/network/engine"
)

// quarantine is the nodes that must not be asked for a time (section 2.3, Redirect): those that were sent a Connect,
// and those that are suspected or lost. They are reported to Candidates.
type quarantine struct {
	*core
	byID  map[engine.ID]*inmate
	order []*inmate // as they came
	in    func(t Task, id engine.ID) bool
}

type inmate struct {
	id      engine.ID
	tasks   uint8 // for which it is not asked
	waiting uint8 // tasks that sent it a Connect and have no answer
	suspect bool
	until   time.Duration
}

// add quarantines a node for these tasks. asked: it was sent a Connect.
func (q *quarantine) add(id engine.ID, tasks uint8, d time.Duration, asked bool) {
	n := q.byID[id]
	if n == nil {
		if len(q.order) >= q.config.MaxQuarantine {
			q.env.Trace(LimitHit{"MaxQuarantine", q.config.MaxQuarantine})
			q.release(q.order[0])
		}
		n = &inmate{id: id}
		q.byID[id], q.order = n, append(q.order, n)
	}
	n.tasks |= tasks
	n.until = max(n.until, q.env.Now()+d)
	if asked {
		n.waiting |= tasks
	}
	q.report(n.id, tasks)
	q.schedule(n.until)
}

// suspect quarantines a node for long, and has its requests refused.
func (q *quarantine) suspect(id engine.ID) {
	q.add(id, Greedy.bit()|Random.bit(), q.config.Suspicion, false)
	q.byID[id].suspect = true
}

func (q *quarantine) has(id engine.ID, t Task) bool {
	n := q.byID[id]
	return n != nil && n.tasks&t.bit() != 0
}

func (q *quarantine) suspects(id engine.ID) bool {
	n := q.byID[id]
	return n != nil && n.suspect
}

// asked reports whether a node may answer a Connect of a task.
func (q *quarantine) asked(id engine.ID, t Task) bool {
	n := q.byID[id]
	return n != nil && n.waiting&t.bit() != 0
}

// answered notes that a Connect was answered.
func (q *quarantine) answered(id engine.ID, t Task) {
	if n := q.byID[id]; n != nil {
		n.waiting &^= t.bit()
	}
}

// run releases those that are due, and returns when the next one's is.
func (q *quarantine) run(now time.Duration) (next time.Duration) {
	next = never
	for i := 0; i < len(q.order); {
		if n := q.order[i]; n.until <= now {
			q.release(n)
			continue
		}
		next = min(next, q.order[i].until)
		i++
	}
	return next
}

func (q *quarantine) release(n *inmate) {
	delete(q.byID, n.id)
	for i, o := range q.order {
		if o == n {
			q.order = append(q.order[:i], q.order[i+1:]...)
			break
		}
	}
	q.report(n.id, n.tasks)
}

// report sets which tasks may choose candidates, and which may not.
func (q *quarantine) report(id engine.ID, which uint8) {
	for t := range Task(tasks) {
		if which&t.bit() != 0 {
			q.candidates.Exclude(t, id, q.has(id, t) || q.in(t, id))
		}
	}
}
