package rappel

import (
	"time"

	"tidings/network/engine"
)

// pulling is the mending of gaps (section 4.1): a node that lacks updates asks its parent for them, then those above.
type pulling struct {
	due   time.Duration // when somebody is asked next; 0: nothing is missing
	tries int           // how many were asked
	// which of Config.PullTries had nothing, a bit each: nothing is given up before all have said so
	empty uint16

	from     engine.Peer // the one that was asked last
	until    time.Duration
	answered bool // it has said all that it had
}

func (p *pulling) asked(from engine.Peer, now time.Duration) bool {
	return now < p.until && p.from.ID == from.ID
}

// noteNumber notes that there are updates up to a number.
func (f *feed) noteNumber(from engine.Peer, epoch, last uint64) {
	if f.top {
		return
	}
	if f.Epoch == 0 {
		f.Begin(epoch, last)
		return
	}
	f.Know(epoch, last)
	f.checkGap(from)
}

// checkGap has what is missing pulled, unless it comes by itself soon. A node that leaves passes on what comes and asks
// for nothing: its children pull from those above.
func (f *feed) checkGap(from engine.Peer) {
	if n := f.Lacking(); n > 0 && f.pull.due == 0 && !f.top && f.leaving == 0 {
		f.env.Trace(Gap{f.topic, n, from})
		f.pull.due, f.pull.tries, f.pull.empty = f.now()+f.config.Pull, 0, 0
		f.wake(f.pull.due)
	}
}

// runPull asks for what is missing, and returns when something will be due.
func (f *feed) runPull(now time.Duration) time.Duration {
	p := &f.pull
	if p.due == 0 {
		return never
	}
	if now < p.due {
		return p.due
	}
	switch {
	case f.Lacking() == 0:
		p.due = 0
		return never
	case f.parent.IsZero(): // the parent that admits this node gives it what it lacks
		p.due = now + f.config.Pull
	case p.empty == 1<<f.config.PullTries-1 || p.tries >= patient*f.config.PullTries:
		f.env.Trace(GaveUp{f.topic, f.Lacking()})
		f.Missing, p.due = 0, 0
		return never
	default:
		f.pullFrom(f.source(p.tries % f.config.PullTries))
		p.due = now + f.config.Pull<<min(p.tries/2, 4)
		p.tries++
	}
	return p.due
}

// patient is how many times more tries there are where nobody answers at all: the network may be cut. Waits double
// after every two, up to 16 times Config.Pull.
const patient = 4

// source returns which node to ask at the n-th try: the parent twice, then those above, and the root.
func (f *feed) source(n int) engine.Peer {
	chain := f.above.Chain
	switch {
	case n < 2 || len(chain) == 0:
		return f.parent
	case n >= f.config.PullTries-1:
		return chain[len(chain)-1]
	}
	return chain[min(n-2, len(chain)-1)]
}

func (f *feed) pullFrom(p engine.Peer) {
	f.pull.from, f.pull.until, f.pull.answered = p, f.now()+2*f.config.Pull, false
	f.env.Send(p, &Pull{Topic: f.topic, Have: f.Have})
}

// onPull gives a member what it lacks.
func (f *feed) onPull(from engine.Peer, m *Pull) {
	list := f.lacking(m.Have)
	for _, u := range list {
		f.env.Send(from, u)
	}
	f.env.Send(from, &Pulled{Topic: f.topic, Epoch: f.Epoch, Last: f.Last, Sent: uint8(len(list))})
}

// onPulled ends the answer to a Pull. A node that had nothing is not waited for.
func (f *feed) onPulled(from engine.Peer, m *Pulled) {
	p := &f.pull
	if !p.asked(from, f.now()) || p.answered {
		return
	}
	p.answered = true
	if from.ID == f.inspection.of.ID {
		f.inspection.answered()
		if m.Gone && from.ID != f.parent.ID {
			f.blame("chain") // the parent named an ancestor that is none
			return
		}
	}
	if !m.Gone {
		f.noteNumber(from, m.Epoch, m.Last)
	}
	if p.due > 0 && p.tries > 0 && f.Lacking() > 0 && m.Sent == 0 {
		p.empty |= 1 << ((p.tries - 1) % f.config.PullTries)
		p.due = f.now()
		f.wake(p.due)
	}
}
