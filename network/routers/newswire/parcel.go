package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// parcel is an item on its way to one member, or to a zone by one of its representatives.
type parcel struct {
	job    *job
	table  zone.Path // the table with the row
	label  string    // of the row
	to     zone.Path // for which the item is: the row's zone, or one below; of a member: its zone
	number uint32

	at engine.Peer // the one that has it now; zero: none, its receiver was busy
	// those that had it before: of a zone at most Config.Attempts, and contacts, one every Config.Patience
	tried  []engine.ID
	alarm  engine.Alarm  // when there should have been another
	outlet *outlet       // nil: it waits for none
	since  time.Duration // when it came into that

	beside []*parcel // those to other representatives of the same zone that were made before; see Config.Redundancy

	elsewhere bool // one of those that got it lies elsewhere by now, and knows of none nearer
	held      int  // how often all representatives have been tried in vain
}

// parcels are those that are not done.
type parcels struct {
	last     uint32 // number that was given
	byNumber map[uint32]*parcel
	held     map[rowName]map[uint32]*parcel // those that Node.hold keeps, until they are sent or done
}

// rowName names a row, by the table in which it stands.
type rowName struct {
	table zone.Path
	label string
}

// hold notes that a parcel is held.
func (p *parcels) hold(q *parcel) {
	row := rowName{q.table, q.label}
	if p.held == nil {
		p.held = make(map[rowName]map[uint32]*parcel)
	}
	if p.held[row] == nil {
		p.held[row] = make(map[uint32]*parcel)
	}
	p.held[row][q.number] = q
}

// release notes that a parcel is held no longer, if it was.
func (p *parcels) release(q *parcel) {
	row := rowName{q.table, q.label}
	if delete(p.held[row], q.number); len(p.held[row]) == 0 {
		delete(p.held, row)
	}
}

func (p *parcels) stop() {
	for _, q := range p.byNumber {
		q.alarm.Stop()
	}
}

// parcelOf returns the parcel of an answer; nil: nobody waits for it any more.
func (n *Node) parcelOf(from engine.Peer, number uint32) *parcel {
	if p := n.parcels.byNumber[number]; p != nil && p.at.ID == from.ID {
		return p
	}
	return nil
}

// stuck returns the parcels for a row that wait for its zone's representatives in vain.
func (p *parcels) stuck(row rowName, suspected func(engine.ID) bool) (list []*parcel) {
	for _, q := range p.byNumber { // sendAll puts them in order
		if q.table == row.table && q.label == row.label && (p.held[row][q.number] != nil || suspected(q.at.ID)) {
			list = append(list, q)
		}
	}
	return list
}

// send sends a parcel to the next node that may forward it. Without one it is lost here, unless a zone may have other
// representatives soon: nodes that it should have reached request what they missed.
func (n *Node) send(p *parcel) {
	to := n.next(p)
	if zone.IsZone(p.label) && (to.IsZero() || rank(n, p, to.ID) > 0) {
		n.contacts.find(rowName{p.table, p.label})
	}
	if to.IsZero() {
		if zone.IsZone(p.label) && !p.elsewhere && n.env.Now()+n.config.Silence < p.job.until {
			n.hold(p)
			return
		}
		n.env.Trace(Unreached{p.job.item.ID, p.to, p.label})
		n.finish(p)
		return
	}
	p.at = to
	n.parcels.release(p)
	n.env.Trace(Forwarded{p.job.item.ID, p.to, to, len(p.tried) > 0})
	age := n.age(p.job.at)
	if zone.IsMember(p.label) {
		n.env.Send(to, &Deliver{p.number, p.job.item, age})
	} else {
		n.env.Send(to, &Forward{p.number, p.to, p.job.item, age})
	}
	wait := p.patience(n.config.Patience, 2*n.config.Silence, to)
	p.tried = append(p.tried, to.ID)
	n.note(p)
	p.alarm.Set(n.env, n.env.Now()+wait, func() { overdue(n, p) })
}

// patience returns how long a parcel waits for the first sign of its next receiver. A zone has several, and it is
// unlikely that two are slow: after the first, the others follow sooner. A member has twice as long each time, up to
// longest: there is no other way to it.
func (p *parcel) patience(first, longest time.Duration, next engine.Peer) time.Duration {
	switch {
	case zone.IsMember(p.label):
		return min(first<<min(len(p.tried), 16), max(first, longest))
	case len(p.tried) == 0:
		return first
	case !slices.Contains(p.tried, next.ID):
		return first / 2
	}
	return 2 * first
}

// overdue sends a parcel to another receiver, as this one gives no sign.
func overdue(n *Node, p *parcel) {
	if zone.IsZone(p.label) {
		n.contacts.suspects.add(p.at.ID, n.env.Now())
	}
	n.send(p)
}

// hold keeps a parcel for a zone where no representative answers: they are down, or hang. Its members name others
// within seconds, once they notice. It waits twice as long each time.
func (n *Node) hold(p *parcel) {
	p.at, p.tried = engine.Peer{}, nil
	n.note(p)
	n.parcels.hold(p)
	n.release(p)
	p.alarm.Set(n.env, n.env.Now()+n.jittered(n.config.Silence<<p.held), func() { n.send(p) })
	p.held = min(p.held+1, 4)
}

// resend sends the parcels that are held for zones of a table, where those have named representatives that are not
// suspected.
func resend(n *Node, z zone.Path) {
	var ready []*parcel
	for row, held := range n.parcels.held {
		if row.table == z && slices.ContainsFunc(n.contacts.representatives(row),
			func(q engine.Peer) bool { return !n.contacts.suspected(q.ID) }) {
			for _, p := range held { // sendAll puts them in order
				ready = append(ready, p)
			}
		}
	}
	sendAll(n, ready)
}

// sendAll sends parcels in the order of their numbers.
func sendAll(n *Node, parcels []*parcel) {
	slices.SortFunc(parcels, func(a, b *parcel) int { return int(a.number) - int(b.number) })
	for _, p := range parcels {
		n.send(p)
	}
}

// note has a parcel be found by its number.
func (n *Node) note(p *parcel) {
	if n.parcels.byNumber == nil {
		n.parcels.byNumber = make(map[uint32]*parcel)
	}
	n.parcels.byNumber[p.number] = p
}

// next returns the node to which a parcel goes. To a member it is the same each time, to a zone its representatives by
// turns, beginning with one drawn by chance. Those that cannot be reached are left out. Those that sent no sign of life
// lately come last, after the zone's contact.
func (n *Node) next(p *parcel) (to engine.Peer) {
	row := rowName{p.table, p.label}
	left := len(p.tried) < n.config.Attempts
	if zone.IsMember(p.label) {
		left = n.env.Now() < p.job.until
	}
	if reps := n.contacts.representatives(row); len(reps) > 0 && left {
		n.env.Rand().Shuffle(len(reps), func(i, j int) { reps[i], reps[j] = reps[j], reps[i] })
		to = slices.MinFunc(reps, func(a, b engine.Peer) int { return rank(n, p, a.ID) - rank(n, p, b.ID) })
	}
	if !to.IsZero() && rank(n, p, to.ID) == 0 {
		return to
	}
	if c := n.contacts.get(row); !c.IsZero() && !slices.Contains(p.tried, c.ID) {
		return c
	}
	return to
}

// rank orders the receivers that a parcel may have, the best first: those that had the item already come after the
// others.
func rank(n *Node, p *parcel, id engine.ID) (rank int) {
	had := func(q *parcel) bool { return slices.Contains(q.tried, id) }
	if had(p) || slices.ContainsFunc(p.beside, had) {
		rank = 2
	}
	if n.contacts.suspected(id) {
		rank++
	}
	return rank
}

func (n *Node) onTaken(from engine.Peer, m *Taken) {
	p := n.parcelOf(from, m.Number)
	if p == nil {
		return
	}
	p.alarm.Set(n.env, n.env.Now()+n.config.Silence, func() { overdue(n, p) })
	p.reportTaken(n, from)
	n.release(p)
}

// reportTaken reports that another node has the node's own event.
func (p *parcel) reportTaken(n *Node, by engine.Peer) {
	if m := p.job.item; n.seams.OnTaken != nil && m.Publisher.ID == n.env.Self().ID {
		n.seams.OnTaken(m.Topic, m.Event, by)
	}
}

func (n *Node) onDone(from engine.Peer, m *Done) {
	if p := n.parcelOf(from, m.Number); p != nil {
		if zone.IsMember(p.label) {
			p.reportTaken(n, from)
		}
		n.finish(p)
	}
}

// onBusy sends a parcel again after a while.
func (n *Node) onBusy(from engine.Peer, m *Busy) {
	p := n.parcelOf(from, m.Number)
	if p == nil {
		return
	}
	p.tried = p.tried[:len(p.tried)-1] // it was no failure
	p.at = engine.Peer{}               // a second answer counts for nothing
	wait := max(time.Duration(m.Wait)*time.Millisecond, n.config.Patience/8)
	p.alarm.Set(n.env, n.env.Now()+n.jittered(wait), func() { n.send(p) })
}

// onElsewhere sends a parcel to another at once.
func (n *Node) onElsewhere(from engine.Peer, m *Elsewhere) {
	if p := n.parcelOf(from, m.Number); p != nil {
		if !n.contacts.drop(rowName{p.table, p.label}, from.ID) {
			p.elsewhere = true
		}
		n.send(p)
	}
}

// PeerDown reports that a peer cannot be reached: its parcels go to others, and it does not count among those that were
// tried.
func (n *Node) PeerDown(peer engine.Peer) {
	var lost []*parcel
	for _, p := range n.parcels.byNumber {
		if p.at.ID == peer.ID {
			lost = append(lost, p)
		}
		p.tried = slices.DeleteFunc(p.tried, func(id engine.ID) bool { return id == peer.ID })
	}
	sendAll(n, lost)
}

// finish ends a parcel.
func (n *Node) finish(p *parcel) {
	p.alarm.Stop()
	delete(n.parcels.byNumber, p.number)
	n.parcels.release(p)
	n.release(p)
	n.arrived(p.job)
}

// jittered returns about d, so that nodes do not act in step.
func (n *Node) jittered(d time.Duration) time.Duration {
	return d/2 + time.Duration(n.env.Rand().Int64N(int64(d)))
}
