package deliver

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// fan sends an update to each node in the primary's table of subscriptions. A subscriber that does not acknowledge is
// sent an update again, and at last, the directSends-th time, it is offered the version over the ring. It is offered no
// sooner: nodes that are slow or busy would cost the ring more than they cost the primary. After that it learns of the
// version when it renews.
type fan struct {
	around
	jobs  []*fanOut // in the order of their beginning, at most maxFanOuts
	alarm engine.Alarm
	quota int           // messages left in this tick
	tick  time.Duration // when it began
}

// fanOut is a message in transit to all subscribers.
type fanOut struct {
	o       *record
	message engine.Message
	version uint64                     // which they acknowledge; 0: the message is a Routed
	done    func(missed []engine.Peer) // called once all have acknowledged or are given up, with the latter
	page    int                        // where the next page of the table begins; below zero: there are none

	list  []recipient
	index map[engine.ID]int // in list
	open  int               // how many have not acknowledged
	next  int               // in list, the next to send to
	sends int               // rounds begun
	due   time.Duration     // when the next round begins
}

type recipient struct {
	peer engine.Peer
	got  bool
}

// How updates are sent.
const (
	directTick  = 20 * time.Millisecond
	directBurst = 256 // messages in a tick
	directPage  = 64  // of one update in turn
	directSends = 5
	directAgain = 2 * time.Second // doubled with each round
	maxFanOuts  = 1 << 13
)

// publish sends an update to all subscribers.
func (d *fan) publish(o *record, u *update.Update) {
	if o.Live() > 0 {
		d.publishTo(o, nil, u)
	}
}

// publishTo sends an update to the given subscribers.
func (d *fan) publishTo(o *record, to []engine.Peer, u *update.Update) {
	d.begin(&fanOut{o: o, message: u, version: u.Version, done: func([]engine.Peer) {}}, to)
}

// sendRouted notifies the given subscribers of a channel, or all if to is nil, that they are to join its tree. It calls
// done at the end, with those that have not acknowledged.
func (d *fan) sendRouted(o *record, to []engine.Peer, done func(missed []engine.Peer)) {
	d.begin(&fanOut{o: o, message: &Routed{Channel: o.ID()}, done: done}, to)
}

// begin begins to send to the given subscribers, or to all if to is nil.
func (d *fan) begin(j *fanOut, to []engine.Peer) {
	if len(d.jobs) >= maxFanOuts {
		d.LimitHit("maxFanOuts", maxFanOuts)
		d.giveUp(d.jobs[0])
		d.jobs = d.jobs[1:]
	}
	j.page, j.sends, j.due, j.index = -1, 1, d.Env.Now(), make(map[engine.ID]int)
	d.jobs = append(d.jobs, j)
	if to == nil {
		d.turn(j)
	} else {
		d.add(j, to)
	}
	d.pump()
}

// turn adds the next page of subscribers.
func (d *fan) turn(j *fanOut) {
	var page []engine.Peer
	page, j.page = d.Roster.Subscribers(j.o.ID(), j.page, directPage)
	d.add(j, page)
}

// add adds recipients.
func (d *fan) add(j *fanOut, peers []engine.Peer) {
	for _, p := range peers {
		if _, known := j.index[p.ID]; known || d.IsSelf(p) {
			continue
		}
		j.index[p.ID] = len(j.list)
		j.list = append(j.list, recipient{peer: p})
		j.open++
	}
}

// pump sends as much as this tick has room for, a page of each update in turn.
func (d *fan) pump() {
	now := d.Env.Now()
	if now >= d.tick+directTick {
		d.quota, d.tick = directBurst, now
	}
	for d.quota > 0 {
		before := d.quota
		for _, j := range d.jobs {
			d.send(j, now)
		}
		if d.quota == before {
			break
		}
	}
	d.tidy()
	if len(d.jobs) == 0 {
		return
	}
	if d.quota <= 0 {
		d.alarm.Soon(d.Env, d.tick+directTick, d.pump)
		return
	}
	next := d.jobs[0].due
	for _, j := range d.jobs {
		next = min(next, j.due)
	}
	d.alarm.Soon(d.Env, max(next, now+time.Millisecond), d.pump)
}

// send sends one update to a page of those that have not acknowledged it.
func (d *fan) send(j *fanOut, now time.Duration) {
	if now < j.due || j.sends > directSends {
		return
	}
	for count := 0; count < directPage && d.quota > 0; {
		if j.next == len(j.list) {
			if j.page < 0 {
				j.due = now + d.Jitter((directAgain+d.Ring.Patience())<<(j.sends-1))
				j.sends++
				j.next = 0
				return
			}
			d.turn(j)
			continue
		}
		if r := &j.list[j.next]; !r.got {
			d.reach(j, r.peer)
			d.quota--
			count++
		}
		j.next++
	}
}

// reach sends a message to a subscriber, or offers it over the ring.
func (d *fan) reach(j *fanOut, p engine.Peer) {
	if j.version > 0 && j.sends == directSends {
		d.Ring.Route(p.ID, &Offer{j.o.ID(), j.version})
	} else {
		d.Env.Send(p, j.message)
	}
}

// tidy ends the messages that all have acknowledged, or that were sent directSends times.
func (d *fan) tidy() {
	now, rest := d.Env.Now(), d.jobs[:0]
	for _, j := range d.jobs {
		switch {
		case j.open == 0 && j.page < 0 && j.next == len(j.list) || j.open == 0 && j.sends > 1:
			j.done(nil)
		case j.sends > directSends && now >= j.due:
			d.giveUp(j)
		default:
			rest = append(rest, j)
		}
	}
	clear(d.jobs[len(rest):])
	d.jobs = rest
}

// giveUp ends a message, and reports those that have not acknowledged.
func (d *fan) giveUp(j *fanOut) {
	for j.page >= 0 {
		d.turn(j)
	}
	var missed []engine.Peer
	for i := range j.list {
		if r := &j.list[i]; !r.got {
			d.Env.Trace(Unsent{j.o.ID(), j.version, r.peer})
			missed = append(missed, r.peer)
		}
	}
	j.done(missed)
}

// Acknowledged handles an acknowledgement.
func (d *fan) Acknowledged(from engine.Peer, m *Got) {
	for _, j := range d.jobs {
		if j.o.ID() != m.Channel || j.version != m.Version {
			continue
		}
		if i, ok := j.index[from.ID]; ok && !j.list[i].got {
			j.list[i].got = true
			j.open--
		}
		return
	}
}
