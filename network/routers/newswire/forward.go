package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// job is an item that the node brings to all of a zone.
type job struct {
	item *Item
	name uint64 // of the item
	zone zone.Path
	// those that wait for a Done: usually one; none: the node's own item, or one that it goes on with by itself. At
	// most maxAskers
	askers []asker
	at     time.Duration // when the item was published, as far as that is known
	left   int           // parcels that are not done
	until  time.Duration // when it is given up
	kept   bool          // the log has it, as far as it can: the one that asks learns that it is accepted
	sign   engine.Alarm
}

// jobKey distinguishes jobs.
type jobKey struct {
	item uint64 // its name
	zone zone.Path
}

func (j *job) key() jobKey { return jobKey{j.name, j.zone} }

// asker is a node that has sent an item, with the number by which it knows that.
type asker struct {
	peer   engine.Peer
	number uint32
}

// maxAskers is how many wait for one job: more is no honest redundancy.
const maxAskers = 8

// maxJobs is how many items a node is at work on.
const maxJobs = 4096

// onForward receives an item for a zone that the node speaks for.
func (n *Node) onForward(from engine.Peer, f *Forward) {
	m, ok := f.Item.(*Item)
	if !ok || f.Zone.Validate() != nil {
		return
	}
	by, key := asker{from, f.Number}, jobKey{m.Name(), f.Zone}
	if j := n.jobs[key]; j != nil {
		n.join(j, by)
		return
	}
	if n.cache.finished(key.item, f.Zone) {
		n.env.Send(from, &Done{f.Number})
		return
	}
	size, ok := n.admit(m, from)
	if !ok {
		n.env.Send(from, &Done{f.Number}) // nobody is to try again
		return
	}
	path, placed := n.zones.Path()
	if !placed || !f.Zone.Contains(path) && !n.onTheWay(f.Zone, path) {
		n.env.Send(from, &Elsewhere{f.Number})
		return
	}
	if wait := n.full(m); wait > 0 {
		n.env.Send(from, &Busy{f.Number, uint16(wait / time.Millisecond)})
		return
	}
	at := n.published(f.Age)
	n.cache.add(m, size, at)
	n.start(m, at, f.Zone, by)
}

// onTheWay reports whether the node knows a zone that is nearer to another than its own path is.
func (n *Node) onTheWay(to, path zone.Path) bool {
	common := zone.Common(to, path)
	_, ok := n.zones.Table(common).Get(to.At(common.Depth() + 1).Label())
	return ok
}

// admit reports whether an item may be forwarded. Its publisher must have signed it, and be allowed to send the event,
// of so many bytes, which must be what the item says. An item with a known name is checked again: it may differ in what
// the publisher has not signed.
func (n *Node) admit(m *Item, from engine.Peer) (size int, ok bool) {
	why := ""
	id, size, ok := n.seams.Member.Admit(m.Topic, m.Event, from)
	switch {
	case !ok || id != m.ID:
		why = "an event that is not admitted"
	case len(m.Bits) == 0 || len(m.Bits)%n.config.Shape.Hashes != 0 || m.Zone.Validate() != nil:
		why = "an item without topics or zone"
	case n.seams.SignedBy != nil && !n.seams.SignedBy(m.Publisher.ID, m.Topic, m.Event):
		why = "an event that another than its publisher has signed"
	case !n.seams.Keys.Signed(m.Publisher, m.Words(), m.Signature[:]):
		why = "a signature that is false"
	case !n.cache.knows(m.Name()) && n.cache.wraps(m.ID, m.Publisher.ID) >= maxWraps:
		why = "an event that its publisher has sent too often"
	default:
		if err := n.mayPublish(m); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		n.env.Trace(Refused{from, why})
	}
	return size, why == ""
}

// mayPublish returns an error unless an item's publisher may publish it to its zone: see Seams.Vouched.
func (n *Node) mayPublish(m *Item) error {
	if n.seams.Vouched != nil && n.seams.Vouched(m.Topic, m.Event) {
		return n.zones.Admits(m.Publisher, zone.Root, m.Proof)
	}
	return n.zones.MayPublish(m.Publisher, m.Zone, m.Proof)
}

// full returns for how long an item has to wait before the node can accept it; 0: it can.
func (n *Node) full(m *Item) (wait time.Duration) {
	if len(n.jobs) >= maxJobs {
		n.env.Trace(Held{m.Publisher, "too many items at work"})
		return time.Second
	}
	if n.cache.knows(m.Name()) { // for another zone: it has been counted
		return 0
	}
	if !n.flow.spend(m.Publisher.ID, n.env.Now()) {
		n.env.Trace(Held{m.Publisher, "too many items of one publisher"})
		return time.Second / time.Duration(min(n.config.Rate, 20))
	}
	return 0
}

// join lets another wait for a job.
func (n *Node) join(j *job, by asker) {
	if len(j.askers) < maxAskers {
		j.askers = append(j.askers, by)
	}
	if j.kept {
		n.env.Send(by.peer, &Taken{by.number})
	}
}

// start begins a job: what the node knows of the zone's table decides to which nodes the item goes. A job that cannot
// be finished at once is written to the log before those that wait for it learn that it is accepted.
func (n *Node) start(m *Item, at time.Duration, z zone.Path, askers ...asker) {
	j := &job{item: m, name: m.Name(), at: at, zone: z, askers: askers, until: n.env.Now() + n.config.Deadline}
	if j.kept = n.seams.Log == nil; j.kept {
		n.reportWork(j)
	}
	n.jobs[j.key()] = j
	from := engine.Peer{}
	if len(askers) > 0 {
		from = askers[0].peer
	}
	n.deliverHere(m, from)
	j.left = 1 // until all parcels are made, so that it is not done before
	n.walk(j, z)
	n.arrived(j)
	if j.left == 0 {
		return
	}
	j.sign.Set(n.env, n.env.Now()+n.config.Sign, func() { n.signs(j) })
	j.kept = j.kept || !n.book.write(n.book.entry(m, z, at), n.cache.size(m.Name()), func() {
		j.kept = true
		n.reportWork(j)
	})
}

// reportWork reports to those that wait for a job that the node is at work on it.
func (n *Node) reportWork(j *job) {
	for _, a := range j.askers {
		n.env.Send(a.peer, &Taken{a.number})
	}
}

// deliverHere delivers an item that the node has to forward, for whatever zone, if it is for the node too: a node that
// has it does not get it again.
func (n *Node) deliverHere(m *Item, from engine.Peer) {
	path, _ := n.zones.Path()
	concerned := m.Predicate == "" && n.config.Shape.has(n.announced, m.Bits)
	if row, ok := n.zones.Table(path).Get(zone.Member(n.env.Self().ID)); ok {
		concerned = n.concerns(m, row.Attributes)
	}
	if concerned && m.Zone.Contains(path) {
		n.deliver(m, from)
	}
}

// walk makes parcels for all others in a zone: for one that the node lies in, down its own tables.
func (n *Node) walk(j *job, z zone.Path) {
	path, _ := n.zones.Path()
	if !z.Contains(path) {
		common := zone.Common(z, path)
		if r, ok := n.zones.Table(common).Get(z.At(common.Depth() + 1).Label()); ok {
			n.dispatch(j, r, z)
		}
		return
	}
	self := zone.Member(n.env.Self().ID)
	for r := range n.zones.Table(z).Children() {
		switch {
		case r.Label == self:
		case zone.IsZone(r.Label) && r.Path().Contains(path):
			n.walk(j, r.Path())
		case n.concerns(j.item, r.Attributes):
			to := z
			if zone.IsZone(r.Label) {
				to = r.Path()
			}
			n.dispatch(j, r, to)
		}
	}
}

// dispatch makes the parcels that bring an item to a member, or to a zone by way of the representatives of a row.
func (n *Node) dispatch(j *job, r table.Row, to zone.Path) {
	copies := 1
	if zone.IsZone(r.Label) {
		copies = min(n.config.Redundancy, max(1, len(astrolabe.Representatives(r))))
	}
	var made []*parcel
	for range copies {
		j.left++
		n.parcels.last++
		p := &parcel{job: j, label: r.Label, table: r.Zone, to: to, number: n.parcels.last, beside: slices.Clone(made)}
		made = append(made, p)
		n.queue(p)
	}
}

// arrived notes that one of a job's parcels is done, and reports it to those that wait when all are.
func (n *Node) arrived(j *job) {
	if j.left--; j.left > 0 {
		return
	}
	j.sign.Stop()
	delete(n.jobs, j.key())
	n.cache.finish(j.name, j.zone)
	n.book.strike(j.key())
	for _, a := range j.askers {
		n.env.Send(a.peer, &Done{a.number})
	}
	j.askers = nil
}

// signs reports to those that wait for a job that the node is at work on it, or gives it up.
func (n *Node) signs(j *job) {
	if n.env.Now() >= j.until {
		n.abandon(j)
		return
	}
	n.reportWork(j)
	j.sign.Set(n.env, n.env.Now()+n.config.Sign, func() { n.signs(j) })
}

// abandon ends a job with parcels at others, which say that they are at work on them and do not come to an end. They
// wait for one another, or lie.
func (n *Node) abandon(j *job) {
	open := n.withdraw(j)
	for _, p := range n.parcels.byNumber {
		if p.job == j {
			open = append(open, p)
		}
	}
	slices.SortFunc(open, func(a, b *parcel) int { return int(a.number) - int(b.number) })
	for _, p := range open {
		n.env.Trace(Unreached{j.item.ID, p.to, p.label})
		n.finish(p)
	}
}

// published returns when an item of this age was published. It returns no time further back than items are kept,
// whatever the sender claims. Otherwise the item would be forgotten at once.
func (n *Node) published(age uint32) time.Duration {
	return n.env.Now() - min(time.Duration(age)*time.Second, n.config.Keep)
}

// age returns how many seconds ago an item was published.
func (n *Node) age(published time.Duration) uint32 {
	return uint32((n.env.Now() - published) / time.Second)
}

// onDeliver receives an item for the node itself.
func (n *Node) onDeliver(from engine.Peer, d *Deliver) {
	m, ok := d.Item.(*Item)
	if !ok {
		return
	}
	if !n.peers.spend(from.ID, n.env.Now()) {
		n.env.Trace(Held{from, "too many items by one node"})
		n.env.Send(from, &Busy{d.Number, uint16(time.Second / time.Millisecond)})
		return
	}
	n.env.Send(from, &Done{d.Number})
	if size, ok := n.admit(m, from); ok {
		n.cache.add(m, size, n.published(d.Age))
		n.deliver(m, from)
	}
}
