package corona

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// wedges is what a node polls, and who assigned it.
type wedges struct {
	polled polledTable
	limits map[engine.ID]limits // of the channels whose origins have asked for something

	// certificates are those of all channels polled here, where the load of hosts is bounded.
	certificates map[engine.ID]*certificate

	parents []parent // the first is this node itself, for the channels it is primary of
	latest  uint16   // the index of who sent assignments last: they come many at a time

	// below has, for each scope, the sum of the assignmentSums of all channels polled here with
	// that scope: what a contact within the scope has from this node, if it has all.
	below [viaDeputy + 1]uint64

	deputed []deputed // wedges that this node leads and is not in

	layouts  [engine.Bits + 1]*layout // by scope; nil: not needed so far
	relayout bool                     // contacts have come or gone since layouts were made

	changed   []engine.ID // channels of which assignments have to be passed on
	stops     []stop
	dismissed []engine.Peer // they were contacts
	flushing  bool          // a flush is due
	telling   bool          // the sending of MaintenanceDigests is due
}

// polled is a channel that is polled here, or was assigned to be. Nodes hold up to a million of
// these; see polledTable.
type polled struct {
	channel Channel
	// passed is the latest version that was passed on to those below.
	passed uint64
	slot
	parent uint16 // in parents
	bits   uint8  // the polling level
	// scope says who is below: those who share so many first bits with this node; viaDeputy: the deputy.
	scope uint8
	round uint8 // the parent's when it was assigned last
	// hushed says that it was passed on with the message that changes need not be reported for a time.
	hushed bool
	news   news
}

// news is what contacts below have not been told yet.
type news uint8

const (
	moved     news = 1 << iota // when they poll
	assigned                   // that they poll, perhaps
	certified                  // that they may go on
)

// stop is a Stop on its way.
type stop struct {
	to      *contact
	channel engine.ID
}

func (n *planner) startWedges() {
	n.wedges.polled.seed = n.Env.Rand().Uint64()
	n.wedges.limits = make(map[engine.ID]limits)
	n.wedges.certificates = make(map[engine.ID]*certificate)
	n.wedges.parents = []parent{{peer: n.Env.Self()}}
	n.startPlan()
}

// assignmentSum is what one assignment adds to a MaintenanceDigest's sum.
func assignmentSum(channel engine.ID, bits uint8) uint64 {
	return fold(uint64(bits)+1, binary.LittleEndian.Uint64(channel[:]), binary.LittleEndian.Uint64(channel[12:]))
}

// polledHere returns what is known of a channel that is polled here; nil if it is not. It is good
// until the next channel goes.
func (n *planner) Polled(channel engine.ID) *polled { return n.wedges.polled.find(channel) }

// below returns who passes on to the nodes below this one what concerns a channel that is polled
// here.
func (n *planner) Below(channel engine.ID) (peers []engine.Peer) {
	if p := n.Polled(channel); p != nil {
		for _, c := range n.Beneath(p) {
			peers = append(peers, c.peer)
		}
	}
	return peers
}

// put takes in a channel to be polled, or what is new about it.
func (n *planner) put(p polled, l limits) {
	old := n.Polled(p.channel.ID)
	if old == nil {
		n.account(&p, 1)
		n.setLimit(p.channel.ID, l)
		n.noteDeputy(&p)
		n.poll(&p)
		n.Pass(n.wedges.polled.add(p), assigned)
		return
	}
	if old.bits != p.bits && old.parent == p.parent {
		n.stopBelow(old, int(p.scope))
	}
	was, limited := *old, n.wedges.limits[p.channel.ID] != l
	n.account(old, -1)
	n.account(&p, 1)
	n.setLimit(p.channel.ID, l)
	p.news, p.passed = was.news, was.passed
	*old = p
	n.noteDeputy(&p)
	if p.start != was.start || limited {
		n.poll(old)
	}
	switch {
	case p.bits != was.bits || p.scope != was.scope:
		n.Pass(old, assigned)
	case p.slot != was.slot || limited:
		n.Pass(old, moved)
	}
}

// drop takes out a channel.
func (n *planner) Drop(channel engine.ID) {
	p := n.Polled(channel)
	if p == nil {
		return
	}
	n.account(p, -1)
	n.queueDigestsBelow(p)
	n.forgetDeputy(channel)
	n.wedges.polled.remove(channel)
	delete(n.wedges.limits, channel)
	delete(n.wedges.certificates, channel)
	n.poller.Stop(channel)
}

func (n *planner) setLimit(channel engine.ID, l limits) {
	if l == (limits{}) {
		delete(n.wedges.limits, channel)
	} else {
		n.wedges.limits[channel] = l
	}
}

// account adds a channel to the sums that it is part of, or takes it out.
func (n *planner) account(p *polled, times int) {
	sum := assignmentSum(p.channel.ID, p.bits) * uint64(times)
	n.wedges.below[p.scope] += sum
	by := &n.wedges.parents[p.parent]
	by.sum += sum
	by.count += times
}

// poll tells the Poller when a channel is polled.
func (n *planner) poll(p *polled) {
	l := n.wedges.limits[p.channel.ID]
	period := n.Period(l)
	n.poller.Poll(p.channel, Task{
		First:    nextTime(p.start.time(), period, n.Env.Now()),
		Interval: period, NotBefore: l.notBefore,
	})
}

// period returns how often a node polls that is to keep the limits by itself.
func (n *planner) Period(l limits) time.Duration { return max(n.config.Interval, l.interval) }
