package corona

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// direct is the router without a tree: the primary sends an update to each node that subscribes,
// by the table of subscriptions that it has as an owner. It costs the primary as many messages
// as there are subscribers, and is what other routers are measured by.
//
// Subscribers acknowledge. Who does not is sent it again, directSends times in all; who has
// missed all of them is told of the version with its next renewal.
type direct struct {
	n     *versioner
	jobs  []*fanOut // in the order of Publish
	alarm engine.Alarm
	quota int           // how many may still be sent in this tick
	tick  time.Duration // when it began
}

// fanOut is a message on its way to all subscribers.
type fanOut struct {
	o       *owned
	message engine.Message
	version uint64                     // that they acknowledge; 0: a Routed
	done    func(missed []engine.Peer) // called when all have acknowledged, or are given up: those; may be nil
	page    int                        // where the next page of the table begins; below zero: there are no more

	list  []recipient
	index map[engine.ID]int32 // in list; nil while that is short
	open  int                 // those who have not acknowledged
	next  int                 // in list, who is sent it next
	sends int                 // rounds begun
	due   time.Duration       // when the next round begins
}

type recipient struct {
	peer engine.Peer
	got  bool
}

// How updates are sent.
const (
	directTick   = 20 * time.Millisecond
	directBurst  = 256 // messages in a tick
	directPage   = 64  // of one update in turn
	directSends  = 5
	directAgain  = 2 * time.Second // doubled with each round
	maxFanOuts   = 1 << 13
	fewRecipient = 32
)

// Join does nothing: the subscription is all there is.
func (d *direct) Join(engine.ID) {}

// Leave does nothing.
func (d *direct) Leave(engine.ID) {}

// Publish sends an update to all subscribers, if this node owns the channel.
func (d *direct) Publish(topic engine.ID, event engine.Message) {
	o, u := d.n.node.roster.Find(topic), event.(*Update)
	if o == nil || o.Live() == 0 {
		return
	}
	d.begin(&fanOut{o: o, message: u, version: u.Version}, nil)
}

// publishTo sends an update to some subscribers.
func (d *direct) publishTo(o *owned, to []engine.Peer, u *Update) {
	d.begin(&fanOut{o: o, message: u, version: u.Version}, to)
}

// tell has all subscribers of a channel join its tree, or those that are given, and calls done when that is over, with
// those who have not acknowledged.
func (d *direct) tell(o *owned, to []engine.Peer, done func(missed []engine.Peer)) {
	d.begin(&fanOut{o: o, message: &Routed{Channel: o.ID()}, done: done}, to)
}

// begin begins to send to all subscribers; if to is not nil, to those.
func (d *direct) begin(j *fanOut, to []engine.Peer) {
	if len(d.jobs) >= maxFanOuts {
		d.n.LimitHit("maxFanOuts", maxFanOuts)
		d.give(d.jobs[0])
		d.jobs = d.jobs[1:]
	}
	j.page, j.sends, j.due = -1, 1, d.n.Env.Now()
	d.jobs = append(d.jobs, j)
	if to == nil {
		j.turn(d.n)
	} else {
		j.add(d.n, to)
	}
	d.pump()
}

// turn takes the next page of subscribers.
func (j *fanOut) turn(n *versioner) {
	var page []engine.Peer
	page, j.page = n.node.roster.Subscribers(j.o.ID(), j.page, directPage)
	j.add(n, page)
}

// add takes in recipients.
func (j *fanOut) add(n *versioner, peers []engine.Peer) {
	for _, p := range peers {
		if n.IsSelf(p) {
			continue
		}
		if _, known := j.find(p.ID); known {
			continue
		}
		j.list = append(j.list, recipient{peer: p})
		j.open++
		switch {
		case j.index != nil:
			j.index[p.ID] = int32(len(j.list) - 1)
		case len(j.list) > fewRecipient:
			j.index = make(map[engine.ID]int32, 2*len(j.list))
			for i := range j.list {
				j.index[j.list[i].peer.ID] = int32(i)
			}
		}
	}
}

// find returns where a recipient stands.
func (j *fanOut) find(id engine.ID) (int, bool) {
	if j.index != nil {
		i, ok := j.index[id]
		return int(i), ok
	}
	for i := range j.list {
		if j.list[i].peer.ID == id {
			return i, true
		}
	}
	return 0, false
}

// pump sends as much as this tick has room for, a page of each update in turn.
func (d *direct) pump() {
	now := d.n.Env.Now()
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
		d.alarm.Soon(d.n.Env, d.tick+directTick, d.pump)
		return
	}
	next := d.jobs[0].due
	for _, j := range d.jobs {
		next = min(next, j.due)
	}
	d.alarm.Soon(d.n.Env, max(next, now+time.Millisecond), d.pump)
}

// send sends one update to a page of those who have not got it.
func (d *direct) send(j *fanOut, now time.Duration) {
	if now < j.due || j.sends > directSends {
		return
	}
	for count := 0; count < directPage && d.quota > 0; {
		if j.next == len(j.list) {
			if j.page < 0 {
				j.due = now + d.n.Jitter((directAgain+d.n.Ring.Patience())<<(j.sends-1))
				j.sends++
				j.next = 0
				return
			}
			j.turn(d.n)
			continue
		}
		if r := &j.list[j.next]; !r.got {
			d.n.Env.Send(r.peer, j.message)
			d.quota--
			count++
		}
		j.next++
	}
}

// tidy ends what has been acknowledged by all, or sent often enough.
func (d *direct) tidy() {
	now, rest := d.n.Env.Now(), d.jobs[:0]
	for _, j := range d.jobs {
		switch {
		case j.open == 0 && j.page < 0 && j.next == len(j.list) || j.open == 0 && j.sends > 1:
			j.end(nil)
		case j.sends > directSends && now >= j.due:
			d.give(j)
		default:
			rest = append(rest, j)
		}
	}
	clear(d.jobs[len(rest):])
	d.jobs = rest
}

// give gives up on those who have not acknowledged.
func (d *direct) give(j *fanOut) {
	for j.page >= 0 {
		j.turn(d.n)
	}
	var missed []engine.Peer
	for i := range j.list {
		if r := &j.list[i]; !r.got {
			d.n.Env.Trace(Unsent{j.o.ID(), j.version, r.peer})
			missed = append(missed, r.peer)
		}
	}
	j.end(missed)
}

func (j *fanOut) end(missed []engine.Peer) {
	if j.done != nil {
		j.done(missed)
	}
}

// got takes an acknowledgement.
func (d *direct) got(from engine.Peer, m *Got) {
	for _, j := range d.jobs {
		if j.o.ID() != m.Channel || j.version != m.Version {
			continue
		}
		if i, ok := j.find(from.ID); ok && !j.list[i].got {
			j.list[i].got = true
			j.open--
		}
		return
	}
}

var _ network.Router = (*direct)(nil)
