package sim

import "tidings/network/engine"

// Counters are what a world counts as it runs.
type Counters struct {
	Events uint64                 // of all types
	Kinds  map[engine.Kind]*Count // by kind of message; of kinds that were sent

	Dropped   [Fates]uint64 // messages that did not arrive, by why
	Timers    uint64        // that ran, done work among them
	PeerDowns uint64        // that were reported

	// PeakBacklog is the most messages that ever waited in one queue of a node.
	PeakBacklog int
}

// Count is of messages of one kind.
type Count struct {
	Sent, Bytes             uint64 // sent, with their encoded size
	Received, ReceivedBytes uint64 // a duplicate counts again
	Dropped                 uint64
}

// NodeCount is of the messages of one node, in this and all its earlier incarnations.
type NodeCount struct {
	Sent, SentBytes         uint64
	Received, ReceivedBytes uint64
	Dropped                 uint64 // of those that it sent
}

// NodeKindCount is of the messages of one kind at one node.
type NodeKindCount struct {
	Sent, Received uint32
	SentBytes      uint64
	ReceivedBytes  uint64
}

// kinds numbers the kinds of messages from 0, so that counting needs no map.
type kinds struct {
	numbers [256][]uint16 // by protocol and message: number+1; 0: none
	of      []kindOf
	byNode  [][]NodeKindCount // by number and node
}

// kindOf is what is known of a kind.
type kindOf struct {
	count *Count
	kind  engine.Kind
	class engine.Class

	// carrier says that messages of the kind are as urgent as what they carry.
	carrier bool
}

// word is what the trace hash uses of a kind.
func (k *kindOf) word() uint64 { return uint64(k.kind) << 32 }

func (k *kinds) number(kind engine.Kind) uint16 {
	if of := k.numbers[kind>>8]; int(kind&0xff) < len(of) {
		return of[kind&0xff] - 1
	}
	return 1<<16 - 1
}

// number returns the number of a kind, one that the codec does not know too.
func (w *World) number(kind engine.Kind) uint16 {
	n := w.kinds.number(kind)
	if n == 1<<16-1 {
		n = w.addKind(kind)
	}
	return n
}

// class returns how urgent a message of a kind is.
func (w *World) class(kind uint16, m engine.Message) engine.Class {
	if of := &w.kinds.of[kind]; !of.carrier {
		return of.class
	}
	return w.config.Codec.ClassOf(m)
}

func (w *World) addKind(kind engine.Kind) uint16 {
	k := &w.kinds
	n := uint16(len(k.of))
	of := k.numbers[kind>>8]
	for len(of) <= int(kind&0xff) {
		of = append(of, 0)
	}
	of[kind&0xff] = n + 1
	k.numbers[kind>>8] = of
	_, carrier := w.config.Codec.New(kind).(engine.Carrier)
	k.of = append(k.of, kindOf{kind: kind, class: w.config.Codec.Class(kind), carrier: carrier, count: &Count{}})
	k.byNode = append(k.byNode, nil)
	return n
}

func (w *World) countSent(n Node, v *node, kind uint16, size int) {
	c := w.kinds.of[kind].count
	if c.Sent == 0 {
		w.counts.Kinds[w.kinds.of[kind].kind] = c
	}
	c.Sent++
	c.Bytes += uint64(size)
	v.sent++
	v.sentBytes += uint64(size)
	if w.config.CountByNode {
		c := w.kindCount(n, kind)
		c.Sent++
		c.SentBytes += uint64(size)
	}
}

func (w *World) countReceived(n Node, v *node, p *delivery) {
	c := w.kinds.of[p.kind].count
	c.Received++
	c.ReceivedBytes += uint64(p.size)
	v.received++
	v.receivedBytes += uint64(p.size)
	if w.config.CountByNode {
		c := w.kindCount(n, p.kind)
		c.Received++
		c.ReceivedBytes += uint64(p.size)
	}
}

func (w *World) countDropped(p *delivery, why Fate) {
	w.kinds.of[p.kind].count.Dropped++
	w.origins[p.from].dropped++
	w.counts.Dropped[why]++
}

func (w *World) kindCount(n Node, kind uint16) *NodeKindCount {
	of := &w.kinds.byNode[kind]
	if missing := w.Len() - len(*of); missing > 0 {
		*of = append(*of, make([]NodeKindCount, missing)...)
	}
	return &(*of)[n]
}

// Counters returns what was counted so far. It goes on counting: copy what is to be kept.
func (w *World) Counters() *Counters { return &w.counts }

// NodeCount returns what was counted of a node so far.
func (w *World) NodeCount(n Node) NodeCount {
	v := w.node(n)
	return NodeCount{
		Sent: v.sent, SentBytes: v.sentBytes,
		Received: v.received, ReceivedBytes: v.receivedBytes,
		Dropped: w.origins[n].dropped,
	}
}

// NodeKindCount returns what was counted of a kind at a node so far; nothing unless
// Config.CountByNode.
func (w *World) NodeKindCount(n Node, kind engine.Kind) NodeKindCount {
	if !w.config.CountByNode {
		return NodeKindCount{}
	}
	return *w.kindCount(n, w.number(kind))
}

// Pending returns how many events are to come, and the most that ever were; timers that were
// cancelled count until their time.
func (w *World) Pending() (now, peak int) { return w.queue.length, w.queue.peak }
