package sim

import (
	"fmt"
	"time"

	"tidings/network/engine"
)

// loopback is how long a message to oneself needs. No fault reaches it.
const loopback = 50 * time.Microsecond

// A message passes, in this order: send, the sender's upload pipe if its bandwidth is bounded, depart, the network,
// arrive, the receiver's download pipe if bounded, reach, the inbox if the receiver is slow or paused, deliver.

func (w *World) send(from Node, v *node, to *engine.Peer, m engine.Message) {
	kind := w.number(m.Kind())
	m, size := w.encoded(m)
	w.countSent(from, v, kind, size)
	place, target, is := w.resolve(to)
	slot, p := w.passages.alloc()
	p.message, p.size = m, int32(size)
	p.from, p.incarnation = from, v.incarnation
	p.to, p.place = target, place
	p.kind, p.class = kind, w.class(kind, m)
	if w.watched {
		w.watch(Sent, p)
	}
	switch {
	case !is || w.config.IDWork > 0 && !w.config.admits(v.id, to.ID):
		w.unanswered(from, v.incarnation, *to, false)
		if p.to == nobody || w.node(p.to).place != place {
			w.drop(slot, NobodyThere)
		} else {
			w.drop(slot, Stranger)
		}
	case target == from:
		w.queueArrival(slot, p, later(w.now, loopback))
	case v.condition != nil && v.condition.pipes[upload].open():
		w.enter(from, upload, slot)
	default:
		w.depart(slot, p)
	}
}

// resolve returns the place that a peer's address names, which node lives or lived there, and whether that is the peer;
// nobody if there is no such address.
func (w *World) resolve(p *engine.Peer) (place int32, n Node, is bool) {
	place, ok := w.places.find(p.Address)
	if !ok {
		return 0, nobody, false
	}
	n = w.places.home(place)
	return place, n, w.node(n).id == p.ID
}

// encoded returns the message as it arrives, and its length.
func (w *World) encoded(m engine.Message) (engine.Message, int) {
	if !w.config.Wire {
		return m, w.sizes.of(w.config.Codec, m, w.Len())
	}
	var err error
	var copied engine.Message
	if w.wire, err = w.config.Codec.Append(w.wire[:0], m); err == nil {
		copied, err = w.config.Codec.Decode(w.wire)
	}
	if err != nil {
		panic(fmt.Sprintf("sim: a message does not pass the codec: %v", err))
	}
	return copied, len(w.wire)
}

func (w *World) queueArrival(slot uint32, p *delivery, at time.Duration) {
	w.queue.push(entry{at: int64(at), ref: refOf(arrive, slot), node: p.to})
}

// depart gives a message to the network.
func (w *World) depart(slot uint32, p *delivery) {
	if len(w.cuts) > 0 && w.cut(p.from, p.to) {
		w.losing(slot, Cutoff)
		return
	}
	if !w.homes.reaches(p.from, p.to) {
		w.losing(slot, Unreachable)
		return
	}
	at := later(w.now, w.homes.latency(w, p.from, p.to))
	if w.faulty {
		fate := w.fateOf(p)
		if fate.lost {
			w.drop(slot, Lost)
			return
		}
		if fate.duplicate {
			w.duplicate(p)
		}
		at = later(at, fate.late)
		if fate.reordered {
			w.queueArrival(slot, p, at)
			return
		}
	}
	if !w.steady || w.now < w.order.until {
		at = w.order.after(p.from, p.to, at, w.now)
	}
	w.queueArrival(slot, p, at)
}

// duplicate sends a copy, which travels by itself and out of order.
func (w *World) duplicate(p *delivery) {
	slot, copied := w.passages.alloc()
	*copied = *p
	at := later(w.now, w.homes.latency(w, p.from, p.to))
	w.queueArrival(slot, copied, at)
}

// arrive has a message come to where it was sent.
func (w *World) arrive(e entry) {
	slot := e.slot()
	p := w.passages.at(slot)
	v := w.node(e.node)
	w.hash = w.hash.with(uint64(e.at)).
		with(uint64(arrive)<<48 | w.kinds.of[p.kind].word() | uint64(uint32(p.to))).
		with(uint64(uint32(p.from))<<32 | uint64(uint32(p.size)))
	switch {
	case !v.up() || v.place != p.place:
		w.losing(slot, NobodyThere)
	case len(w.cuts) > 0 && p.from != p.to && w.cut(p.from, p.to):
		w.losing(slot, Cutoff)
	case v.condition == nil:
		w.deliver(slot, p, v)
	case v.condition.sleep.machine:
		w.losing(slot, Asleep)
	case v.condition.pipes[download].open() && p.from != p.to:
		w.enter(p.to, download, slot)
	default:
		w.reach(e)
	}
}

// reach gives a message to the node's program.
func (w *World) reach(e entry) {
	slot := e.slot()
	p := w.passages.at(slot)
	v := w.node(p.to)
	c := v.condition
	switch {
	case c.sleep.on:
		w.unanswered(p.from, p.incarnation, w.addressee(p), true)
		w.hold(e, c)
	case c.pipes[inbox].open():
		w.enter(p.to, inbox, slot)
	default:
		w.deliver(slot, p, v)
	}
}

// deliver has a protocol receive a message.
func (w *World) deliver(slot uint32, p *delivery, v *node) {
	from, to, m := p.from, p.to, p.message
	connects := w.config.Connections && from != to && p.incarnation == w.node(from).incarnation
	w.countReceived(to, v, p)
	if w.watched {
		w.watch(Received, p)
	}
	p.message = nil
	w.passages.release(slot)
	if v.condition != nil && len(v.condition.outages) > 0 {
		w.cameFrom(to, v.condition, from)
	}
	if connects {
		w.touch(from, to)
	}
	v.protocol.Receive(w.Peer(from), m)
}

// addressee returns the peer that a message was sent to.
func (w *World) addressee(p *delivery) engine.Peer {
	return engine.Peer{ID: w.node(p.to).id, Address: w.places.address(p.place)}
}

// losing drops a message and has its sender learn that none answered.
func (w *World) losing(slot uint32, why Fate) {
	p := w.passages.at(slot)
	w.unanswered(p.from, p.incarnation, w.addressee(p), false)
	w.drop(slot, why)
}

// drop ends a message that is not delivered.
func (w *World) drop(slot uint32, why Fate) {
	p := w.passages.at(slot)
	w.hash.add(uint64(w.now), uint64(why)<<56|w.kinds.of[p.kind].word()|uint64(uint32(p.to)),
		uint64(uint32(p.from))<<32|uint64(uint32(p.size)))
	w.countDropped(p, why)
	if w.watched {
		w.watch(why, p)
	}
	p.message = nil
	w.passages.release(slot)
}
