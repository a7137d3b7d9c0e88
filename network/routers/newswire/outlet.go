package newswire

import (
	"slices"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// outlet is the queue of one row: a member, or a zone (NewsWire, section 9: "forwarding queues, one for each of the
// representatives at a child zone"). As many parcels as fit the window are on their way. For the rest the publishers
// alternate, so that one that publishes much does not keep the others' items back.
type outlet struct {
	key     outletKey
	away    int     // parcels that were sent and not accepted yet
	lines   []*line // publishers that wait, in the order of their turns
	waiting int     // parcels in all lines; at most Config.Queue
}

type outletKey struct {
	table zone.Path
	label string
}

// line is the parcels of one publisher that wait, the oldest first.
type line struct {
	publisher engine.ID
	parcels   []*parcel
}

// outlets are those on which something waits or is on its way.
type outlets struct{ all map[outletKey]*outlet }

func (o *outlets) count() int { return len(o.all) }

// queue sends a parcel as soon as there is room. Where too much waits, the publisher with most that waits loses its
// oldest: for that one its members ask later.
func (n *Node) queue(p *parcel) {
	key := outletKey{p.table, p.label}
	o := n.outlets.all[key]
	if o == nil {
		if n.outlets.all == nil {
			n.outlets.all = make(map[outletKey]*outlet)
		}
		o = &outlet{key: key}
		n.outlets.all[key] = o
	}
	p.outlet = o
	n.load.occupied(p, n.outlets.count)
	if o.away < n.config.Window {
		o.away++
		n.send(p)
		return
	}
	at := slices.IndexFunc(o.lines, func(l *line) bool { return l.publisher == p.job.item.Publisher.ID })
	if at < 0 {
		at = len(o.lines)
		o.lines = append(o.lines, &line{publisher: p.job.item.Publisher.ID})
	}
	o.lines[at].parcels = append(o.lines[at].parcels, p)
	if o.waiting++; o.waiting > n.config.Queue {
		n.env.Trace(LimitHit{"Queue", n.config.Queue})
		n.drop(o)
	}
}

// drop removes the oldest parcel of the publisher of which most wait.
func (n *Node) drop(o *outlet) {
	longest := slices.MaxFunc(o.lines, func(a, b *line) int { return len(a.parcels) - len(b.parcels) })
	p := longest.parcels[0]
	longest.parcels = longest.parcels[1:]
	o.waiting--
	n.load.vacated(p)
	n.finish(p)
}

// withdraw removes the parcels of a job from all queues, in which they wait.
func (n *Node) withdraw(j *job) (parcels []*parcel) {
	for _, o := range n.outlets.all { // the order makes no difference: they are sorted afterwards
		for _, l := range o.lines {
			l.parcels = slices.DeleteFunc(l.parcels, func(p *parcel) bool {
				if p.job != j {
					return false
				}
				n.load.vacated(p)
				o.waiting--
				parcels = append(parcels, p)
				return true
			})
		}
	}
	return parcels
}

// release notes that a parcel was accepted, or is done, and sends the next.
func (n *Node) release(p *parcel) {
	o := p.outlet
	if o == nil {
		return
	}
	n.load.vacated(p)
	o.away--
	for o.away < n.config.Window && o.waiting > 0 {
		l := o.lines[0]
		o.lines = o.lines[1:]
		if len(l.parcels) == 0 {
			continue
		}
		next := l.parcels[0]
		if l.parcels = l.parcels[1:]; len(l.parcels) > 0 {
			o.lines = append(o.lines, l)
		}
		o.waiting--
		o.away++
		n.send(next)
	}
	if o.away == 0 && o.waiting == 0 {
		delete(n.outlets.all, o.key)
	}
}
