package budget

import (
	"slices"
	"sort"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// A node that assigns a channel may lie, and keys can be made. So an assigned node requires the primary to prove, by
// signed subscriptions, how many readers there are. It polls only if no more nodes than that are as near to the
// channel. The sample is drawn by a number that the node invents when it asks, after all keys were made. So nobody can
// have keys ready that rank low.
//
// Until the proof comes a node neither polls nor passes an assignment on. It asks once, not with each assignment. At
// rest a node sends and gets two messages a day for each channel that it polls. They have some 150 bytes for each node
// of the sample.
const (
	proofWait  = 5 * time.Second // doubled each time
	proofTries = 3
	joinPause  = time.Second // after a change, until other channels of the host are looked at
	// former readers can be shown for two days more: when it has passed twice without another proof, there are none
	proofLasts = 24 * time.Hour
	maxAsking  = 256 // proofs that are awaited at a time
	// fullRoom multiplies an estimate. roster.Stands keeps back a standard error. With it one in forty edge members
	// of a fully used set is wrongly kept from polling for a while. A liar gains a tenth on average.
	fullRoom = 1.25
	// exactRoom is for when all subscriptions are shown: nodes count nodes differently. A liar gains an eighth, and
	// nothing for fewer than eight readers.
	exactRoom = 1 + 1./8
	// An assignment is followed, and passed on, if its set has at most passRoom pollers for each proved reader, and
	// passMore more. Which of them poll is decided by the exact count.
	passRoom = 2
	passMore = 4
	// lookers is how many channels are kept that this node only sees as a witness.
	lookers = 1 << 10
	// looksPause is how long a witness goes by a proof at least, though its polls are nearly used up.
	looksPause = time.Minute
	// leastReaders is what counts as one reader, for errors of rounding.
	leastReaders = 0.99
)

// proofs holds the proved readers of channels that are assigned to this node.
type proofs struct {
	index   map[engine.ID]*proving  // by channel; at most the channels assigned here, and lookers
	hosts   map[engine.ID]*assigned // the same by host
	asking  int                     // at most maxAsking
	alarm   engine.Alarm            // for the queue
	looking int                     // of the index: those that this node only sees as a witness
	queue   []*proving              // to be asked for when fewer proofs are awaited, in the order of arrival
}

// assigned are the channels of one host.
type assigned struct {
	list  []*proving // in the order of arrival
	alarm engine.Alarm
}

// proving is one such channel.
type proving struct {
	channel  engine.ID
	host     engine.ID
	assigned machine.Size
	pollers  float64       // of a set of that size, as counted when it was assigned
	sample   []reader      // of those that have signed
	room     float64       // for errors of the sample
	proved   time.Duration // when, by Env.Now; 0: never
	nonce    uint64        // of the awaited proof; 0: none
	tries    int
	timer    engine.Timer // for another try, or proof
	asked    machine.Size // for which it last asked
	joined   bool         // MayJoin has returned true
	looks    bool         // this node only sees it as a witness
	looked   int          // how often Looks was called since the last proof
	queued   bool         // it is in proofs.queue
}

// Proved reports whether the readers of a channel pay for a set of that size, as far as an assignment of it may be
// followed. If not yet, it asks for proof, and calls Host.Joins when that has come, or does not come.
func (b *Budget) Proved(c machine.Channel, size machine.Size) bool {
	if !b.Hosted() {
		return true
	}
	k := b.provingOf(c)
	if k.looks {
		k.looks = false
		b.proofs.looking--
		if k.nonce == 0 && k.proved > 0 {
			k.timer.Stop()
			k.timer = b.Env.After(b.Jitter(proofLasts), func() { b.ask(k) })
		}
	}
	k.assigned, k.pollers = size, b.host.Pollers(c.ID, size)
	if k.proved > 0 && k.pollers <= passRoom*b.readers(k)+passMore {
		return true
	}
	if k.proved == 0 || !size.Within(k.asked) {
		b.askFor(k, size)
	}
	return false
}

// Asking reports whether a proof of a channel is awaited.
func (b *Budget) Asking(channel engine.ID) bool {
	k := b.proofs.index[channel]
	return k != nil && (k.nonce != 0 || k.tries > 0 || k.queued)
}

// MayJoin reports whether this node, which is in the set that it was assigned, may poll a channel. If not yet,
// Host.Joins is called when it may.
func (b *Budget) MayJoin(c machine.Channel, size machine.Size) bool {
	if !b.Hosted() {
		return true
	}
	k := b.provingOf(c)
	k.assigned, k.pollers = size, b.host.Pollers(c.ID, size)
	readers := b.readers(k)
	if k.pollers > readers && !size.Within(k.asked) {
		b.askFor(k, size)
	}
	may := b.isInside(k, readers) && b.hasTurn(k)
	if may != k.joined {
		k.joined = may
		b.rejoinOthers(k)
	}
	return may
}

// Looks returns how often this node may poll a channel in an interval as a witness. Without a proof of its readers that
// is once, and 0 when it has made unprovedLooks such polls for all channels of the host together. Before as many as
// were proved are used up, it asks for another proof: there may be more readers by now.
func (b *Budget) Looks(c machine.Channel) int {
	switch {
	case !c.Genuine():
		return 0
	case !b.Hosted():
		return 1 + int(b.host.Pollers(c.ID, machine.Size{}))
	}
	if k := b.proofs.index[c.ID]; k != nil && k.proved > 0 {
		readers := int(b.readers(k))
		if k.looked++; k.looked > readers/2 && b.Env.Now() >= k.proved+looksPause {
			b.askFor(k, k.asked)
		}
		return 1 + readers
	}
	if b.proofs.index[c.ID] == nil && b.proofs.looking < lookers {
		k := b.provingOf(c)
		k.looks = true
		b.proofs.looking++
		b.askFor(k, machine.Alone)
	}
	if b.reserve(HostKey(c.URL), unprovedLooks) {
		return 1
	}
	return 0
}

// Ended reports that a channel is no longer polled here or assigned to others.
func (b *Budget) Ended(channel engine.ID) {
	p := &b.proofs
	k := p.index[channel]
	if k == nil {
		return
	}
	delete(p.index, channel)
	of := p.hosts[k.host]
	if of.list = slices.DeleteFunc(of.list, func(o *proving) bool { return o == k }); len(of.list) == 0 {
		of.alarm.Stop()
		delete(p.hosts, k.host)
	} else if k.joined {
		b.rejoin(k.host)
	}
	if k.looks {
		p.looking--
	}
	k.queued = false // the queue passes it over
	if k.timer.Stop(); k.nonce != 0 {
		b.answered(k)
	}
}

// provingOf returns the record of a channel, which it makes if there is none.
func (b *Budget) provingOf(c machine.Channel) *proving {
	p := &b.proofs
	k := p.index[c.ID]
	if k == nil {
		k = &proving{channel: c.ID, host: HostKey(c.URL), assigned: machine.Alone, asked: machine.Alone}
		p.index[c.ID] = k
		of := p.hosts[k.host]
		if of == nil {
			of = &assigned{}
			p.hosts[k.host] = of
		}
		of.list = append(of.list, k)
	}
	return k
}

// askFor asks for proof of a set of that size, unless a proof is awaited.
func (b *Budget) askFor(k *proving, size machine.Size) {
	if !b.Asking(k.channel) {
		k.asked = size
		b.ask(k)
	}
}

// ask asks a channel's primary for proof, or waits while too many proofs are awaited.
func (b *Budget) ask(k *proving) {
	k.timer.Stop()
	if l := b.led.index[k.channel]; l != nil { // it is this node
		b.settle(k, b.sampleOf(k.channel, b.host.Sample(k.channel, 1)))
		return
	}
	if b.proofs.asking >= maxAsking || !b.Ring.Active() {
		k.queued = true
		b.proofs.queue = append(b.proofs.queue, k)
		b.proofs.alarm.Soon(b.Env, b.Env.Now()+proofWait, b.askQueued)
		return
	}
	b.proofs.asking++
	k.nonce = b.Env.Rand().Uint64() | 1
	b.Ring.Route(k.channel, &AskProof{k.channel, k.nonce})
	k.timer = b.Env.After(proofWait<<k.tries+b.Ring.Patience(), func() { b.unanswered(k) })
}

// askQueued asks for the proofs that wait, as far as there is room.
func (b *Budget) askQueued() {
	p := &b.proofs
	for len(p.queue) > 0 && p.asking < maxAsking && b.Ring.Active() {
		k := p.queue[0]
		p.queue = p.queue[1:]
		if k.queued {
			k.queued = false
			b.ask(k)
		}
	}
	if len(p.queue) > 0 {
		p.alarm.Soon(b.Env, b.Env.Now()+proofWait, b.askQueued)
	}
}

// unanswered tries again, after proofTries once a maintenance interval.
func (b *Budget) unanswered(k *proving) {
	b.answered(k)
	if k.tries++; k.tries < proofTries {
		b.ask(k)
		return
	}
	if b.Env.Now() >= k.proved+2*proofLasts {
		k.sample, k.proved = nil, 0
	}
	b.rest(k, b.config.Maintenance)
}

func (b *Budget) answered(k *proving) {
	k.timer.Stop()
	k.nonce = 0
	if b.proofs.asking--; len(b.proofs.queue) > 0 {
		b.proofs.alarm.Soon(b.Env, b.Env.Now(), b.askQueued)
	}
}

// rest schedules the next proof, and reports the present one. A channel that this node only sees as a witness is
// forgotten in place of that.
func (b *Budget) rest(k *proving, d time.Duration) {
	k.tries = 0
	k.timer = b.Env.After(b.Jitter(d), func() {
		if k.looks {
			b.Ended(k.channel)
		} else {
			b.ask(k)
		}
	})
	b.host.Joins(k.channel)
	b.rejoinOthers(k)
}

// rejoinOthers looks at all channels of a channel's host again, soon, if there are others.
func (b *Budget) rejoinOthers(k *proving) {
	if of := b.proofs.hosts[k.host]; of != nil && len(of.list) > 1 {
		b.rejoin(k.host)
	}
}

// rejoin looks at all channels of a host again, soon.
func (b *Budget) rejoin(host engine.ID) {
	of := b.proofs.hosts[host]
	if of == nil {
		return
	}
	of.alarm.Soon(b.Env, b.Env.Now()+joinPause, func() {
		for _, o := range slices.Clone(of.list) {
			b.host.Joins(o.channel)
		}
	})
}

// receiveProof handles a requested proof.
func (b *Budget) receiveProof(m *Proof) {
	k := b.proofs.index[m.Channel]
	if k == nil || k.nonce == 0 || k.nonce != m.Nonce {
		return
	}
	b.checkSample(m, func(signed []roster.Sampled) {
		if k.nonce != m.Nonce { // it came too late, or the channel has ended
			return
		}
		b.answered(k)
		b.settle(k, signed)
	})
}

// settle keeps a proof.
func (b *Budget) settle(k *proving, signed []roster.Sampled) {
	k.room = exactRoom
	if len(signed) == roster.SampleSize {
		k.room = fullRoom
	}
	k.sample, k.proved, k.looked = readersOf(signed), max(1, b.Env.Now()), 0
	readers := b.readers(k)
	b.Env.Trace(Paid{k.channel, readers, k.pollers})
	if k.pollers <= readers {
		b.rest(k, proofLasts)
	} else {
		b.rest(k, b.config.Maintenance)
	}
}

// isInside reports whether this node is in the largest set that the readers of a channel pay for, up to the assigned
// one.
func (b *Budget) isInside(k *proving, readers float64) bool {
	if k.pollers <= readers {
		return true
	}
	const end = machine.Steps * machine.MaxSizeBits
	covers := func(s machine.Size) bool { return b.host.Pollers(k.channel, s) <= readers }
	first := sort.Search(end, func(i int) bool { return machine.Fine(i).Within(k.assigned) })
	size := machine.Fine(first + sort.Search(end-first, func(i int) bool { return covers(machine.Fine(first + i)) }))
	return readers >= leastReaders && machine.ArcOf(k.channel, size).Contains(b.Env.Self().ID)
}

// hasTurn reports whether this node may take a turn of a channel, besides those of the same host that come first: the
// channels that it leads, and those that were assigned earlier.
func (b *Budget) hasTurn(k *proving) bool {
	turns := b.turns() - len(b.led.hosts[k.host])
	for _, o := range b.proofs.hosts[k.host].list {
		if o == k || turns <= 0 {
			break
		}
		if o.joined && b.led.index[o.channel] == nil {
			turns--
		}
	}
	return turns > 0
}
