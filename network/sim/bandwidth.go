package sim

import (
	"math/bits"
	"time"
)

// pipe is a place where messages of a node pass one at a time, and wait while others do.
type pipe struct {
	rate    int64         // bytes a second; 0: no limit
	each    time.Duration // that each message needs besides
	bound   int           // messages that may wait
	backlog backlog

	current    uint32 // message that passes now; slot+1, 0: none
	generation uint32 // of the serve event to come; others are void
}

// pipeKind distinguishes a node's pipes.
type pipeKind uint8

const (
	upload pipeKind = iota
	download
	inbox
	pipes = 3
)

const generationBits = slotBits - 2

// full is the fate of messages that find a pipe full.
var full = [pipes]Fate{upload: UploadFull, download: DownloadFull, inbox: InboxFull}

// Bandwidth is what a node's link carries.
type Bandwidth struct {
	// Up and Down are bytes a second that a node can send and receive, by the encoded
	// size of messages. 0: without limit.
	Up, Down int64
}

// SetBandwidth bounds what a node can send and receive from now on. Messages wait for each other, Config.Queue of them
// at most each way. Beyond, the oldest of the least urgent class is dropped without notice. A node with a Down of 1000
// reads 1 KB/s.
func (w *World) SetBandwidth(n Node, b Bandwidth) {
	if b.Up < 0 || b.Down < 0 {
		panic("sim: a bandwidth below zero")
	}
	w.setPipe(n, upload, b.Up, 0)
	w.setPipe(n, download, b.Down, 0)
}

// SetSlow makes a node need the duration each of virtual time for each message that it receives, from now on; 0: none,
// [Forever]: it never reads. Messages wait in an inbox, Config.Queue of them at most. Beyond, the oldest of the least
// urgent class is dropped without notice. Timers are not slowed.
func (w *World) SetSlow(n Node, each time.Duration) {
	if each < 0 {
		panic("sim: a node slower than nothing")
	}
	w.setPipe(n, inbox, 0, each)
}

// Forever is a time that does not end.
const Forever = time.Duration(forever)

func (w *World) setPipe(n Node, kind pipeKind, rate int64, each time.Duration) {
	c := w.conditionOf(n)
	p := c.pipes[kind]
	if p == nil {
		if rate == 0 && each == 0 {
			return
		}
		p = &pipe{bound: w.config.Queue}
		c.pipes[kind] = p
	}
	p.rate, p.each = rate, each
	if p.current != 0 {
		w.pass(n, kind, p, p.current-1)
	}
}

// open reports whether messages go through p, not past it.
func (p *pipe) open() bool {
	return p != nil && (p.rate > 0 || p.each > 0 || p.current != 0)
}

// passage returns how long a message of the given size passes.
func (p *pipe) passage(size int32) time.Duration {
	if p.rate == 0 {
		return p.each
	}
	high, low := bits.Mul64(uint64(size), uint64(time.Second))
	passing, _ := bits.Div64(high, low, uint64(p.rate)) // high is 0: sizes are below 2^31
	return later(p.each, time.Duration(passing))
}

// enter has a message go through a pipe of n.
func (w *World) enter(n Node, kind pipeKind, slot uint32) {
	p := w.node(n).condition.pipes[kind]
	if p.current == 0 {
		w.pass(n, kind, p, slot)
		return
	}
	p.backlog.push(w, slot)
	if p.backlog.length > p.bound {
		w.drop(p.backlog.shed(w), full[kind])
	}
	w.counts.PeakBacklog = max(w.counts.PeakBacklog, p.backlog.length)
}

// pass begins to let a message through.
func (w *World) pass(n Node, kind pipeKind, p *pipe, slot uint32) {
	p.current = slot + 1
	p.generation = (p.generation + 1) % (1 << generationBits)
	if at := later(w.now, p.passage(w.passages.at(slot).size)); at < forever {
		w.queue.push(entry{at: int64(at), ref: refOf(serve, uint32(kind)<<generationBits|p.generation), node: n})
	}
}

// served lets a message out of a pipe, and the next one in.
func (w *World) served(e entry) {
	kind := pipeKind(e.slot() >> generationBits)
	c := w.node(e.node).condition
	p := c.pipes[kind]
	if p.current == 0 || p.generation != e.slot()%(1<<generationBits) {
		return
	}
	if kind == inbox && c.sleep.on {
		w.hold(e, c)
		return
	}
	w.count(e)
	slot := p.current - 1
	p.current = 0
	if p.backlog.length > 0 {
		w.pass(e.node, kind, p, p.backlog.pop(w))
	}
	switch kind {
	case upload:
		w.depart(slot, w.passages.at(slot))
	case download:
		w.reach(entry{at: e.at, ref: refOf(arrive, slot), node: e.node})
	case inbox:
		w.deliver(slot, w.passages.at(slot), w.node(e.node))
	}
}

// clearPipe drops what is in a pipe of a node that crashed.
func (w *World) clearPipe(n Node, kind pipeKind) {
	p := w.node(n).condition.pipes[kind]
	if p == nil {
		return
	}
	if p.current != 0 {
		w.losing(p.current-1, Crashed)
		p.current = 0
	}
	for p.backlog.length > 0 {
		w.losing(p.backlog.pop(w), Crashed)
	}
}

// Backlog is how many messages wait at a node.
type Backlog struct {
	Sending, Reading int
	Peak             int // the most that ever waited in one of its queues
	// PeakOfSender is the most of one sender that ever waited in one of them. The upload queue has one sender, the
	// node. A message that overflows its queue is counted.
	PeakOfSender int
}

// Backlog returns what waits at a node, and what did.
func (w *World) Backlog(n Node) (b Backlog) {
	c := w.node(n).condition
	if c == nil {
		return b
	}
	for kind, p := range c.pipes {
		if p == nil {
			continue
		}
		b.Peak, b.PeakOfSender = max(b.Peak, p.backlog.peak), max(b.PeakOfSender, p.backlog.senders.peak)
		if pipeKind(kind) == upload {
			b.Sending += p.backlog.length
		} else {
			b.Reading += p.backlog.length
		}
	}
	b.Reading += c.sleep.messages
	b.Peak, b.PeakOfSender = max(b.Peak, c.sleep.peak), max(b.PeakOfSender, c.sleep.senders.peak)
	return b
}
