package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// A grant proves that nodes near a host's key want a channel polled, and keys can be made. So an assigned node requires
// the primary to prove, by signed subscriptions, how many readers there are. It polls only if no more nodes than that
// are as near to the channel. So a certificate for all of the ring, by any signers, activates only as many nodes as
// there are readers. The sample is drawn by a number that the requester invents when it asks, after all keys were made.
// So nobody can have keys ready that rank low. So n invented readers need n/Config.MaxCount made nodes, and these as
// many parts of the network as crowded leaves room for.
//
//	assigned ──▶ asks ──▶ proved: polls as far as there are readers ──proofLasts──▶ asks
//	              ▲  │ no answer in time, proofTries times           ──a larger set than was proved──▶ asks
//	              └──┴── a maintenance interval
//
// Until the proof comes a node follows an assignment, and passes it on, but does not poll. It asks once, not with each
// assignment. At rest a node sends and gets two messages a day for each channel that it polls. They have some 150 bytes
// for each node of the sample.
//
// Owners divide what all readers of a host would send. If some channels have more readers than there are nodes, others
// get more polls than they have readers. These are for nodes that poll the former as well, and have proof of it; see
// spared.
const (
	proofWait  = 5 * time.Second // doubled each time
	proofTries = 3
	joinPause  = time.Second // after a proof, until its surplus is passed on to other channels of the host
	// former readers can be shown for two days more: when it has passed twice without another proof, there are none
	proofLasts = 24 * time.Hour
	maxAsking  = 256 // proofs that are awaited at a time
	// fullRoom multiplies an estimate. EstimateReaders keeps back a standard error, and hosts' owners have granted by
	// estimates of their own. With it one in forty edge members of a fully used set is wrongly kept from polling for a
	// while. A forger of grants gains a tenth on average.
	fullRoom = 1.25
	// exactRoom is for when all subscriptions are shown. Nodes count nodes differently, and the rest of a host's
	// requests goes to channels that get a step more than their readers pay for. A forger of grants gains an eighth,
	// and nothing for fewer than eight readers.
	exactRoom = 1 + 1./8
)

// proofs holds the proved readers of channels that are assigned to this node.
type proofs struct {
	*core
	index  map[engine.ID]*proving // by channel; at most the channels polled here
	hosts  map[engine.ID]*payers  // the same by host
	asking int
}

// payers are the channels of one host, whose readers pay for each other.
type payers struct {
	list  []*proving // in the order of arrival
	alarm engine.Alarm
}

// proving is one such channel.
type proving struct {
	channel  engine.ID
	host     engine.ID
	assigned machine.Size
	pollers  float64       // of a set of that size, as counted when it was assigned
	inside   bool          // readers of the channel itself pay for this node
	readers  float64       // proved, with room for errors
	proved   time.Duration // when, by Env.Now
	nonce    uint64        // of the awaited proof; 0: none
	tries    int
	timer    engine.Timer // for another try, or proof
	asked    machine.Size // for which it last asked
}

// ask asks a channel's primary for proof, or waits while too many proofs are awaited.
func (p *proofs) ask(k *proving) {
	k.timer.Stop()
	if !p.Hosted() {
		p.end(k.channel)
		p.host.Joins(k.channel)
		return
	}
	if !p.Ring.Active() || p.asking >= maxAsking {
		k.timer = p.Env.After(proofWait+p.Chance(proofWait), func() { p.ask(k) })
		return
	}
	p.asking++
	k.asked, k.nonce = k.assigned, p.Env.Rand().Uint64()|1
	p.Ring.Route(k.channel, &AskProof{Asks: []AskFor{{k.channel, k.nonce}}})
	k.timer = p.Env.After(proofWait<<k.tries+p.Ring.Patience(), func() { p.unanswered(k) })
}

// unanswered tries again, after proofTries once a maintenance interval.
func (p *proofs) unanswered(k *proving) {
	p.answered(k)
	if k.tries++; k.tries < proofTries {
		p.ask(k)
		return
	}
	if p.Env.Now() >= k.proved+2*proofLasts {
		k.readers = 0
	}
	p.rest(k, p.config.Maintenance)
}

// rest schedules the next proof, and reports the present one.
func (p *proofs) rest(k *proving, d time.Duration) {
	k.tries = 0
	k.timer = p.Env.After(p.Jitter(d), func() { p.ask(k) })
	p.host.Joins(k.channel)
	of := p.hosts[k.host]
	of.alarm.Soon(p.Env, p.Env.Now()+joinPause, func() {
		for _, o := range slices.Clone(of.list) {
			p.host.Joins(o.channel)
		}
	})
}

func (p *proofs) answered(k *proving) {
	k.timer.Stop()
	k.nonce = 0
	p.asking--
}

// receive handles a requested proof.
func (p *proofs) receive(m *Proof) {
	k := p.index[engine.IDOf([]byte(m.Claim.URL))]
	if k == nil || k.nonce == 0 || k.nonce != m.Nonce {
		return
	}
	p.checkSample(m, k.channel, func(signed []roster.Sampled) {
		if k.nonce != m.Nonce { // it came too late, or the channel has ended
			return
		}
		p.answered(k)
		room := exactRoom
		if len(signed) == roster.SampleSize {
			room = fullRoom
		}
		k.readers, k.proved = room*roster.EstimateReaders(signed, func(engine.ID) float64 { return 1 }), p.Env.Now()
		if k.pollers <= k.readers {
			p.rest(k, proofLasts)
		} else {
			p.rest(k, p.config.Maintenance)
		}
	})
}

// end drops a channel.
func (p *proofs) end(channel engine.ID) {
	k := p.index[channel]
	if k == nil {
		return
	}
	delete(p.index, channel)
	of := p.hosts[k.host]
	if of.list = slices.DeleteFunc(of.list, func(o *proving) bool { return o == k }); len(of.list) == 0 {
		of.alarm.Stop()
		delete(p.hosts, k.host)
	}
	if k.timer.Stop(); k.nonce != 0 {
		p.answered(k)
	}
}
