package campaign

import (
	"time"

	"tidings/network/corona/version/believe"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// polite checks that no host gets more requests in an interval than the readers of its channels would send by
// themselves, but to verify changes (README, "Politeness"; corona's TestNoMoreRequestsThanReaders). A change is
// verified by a request of the primary and one of each witness, or, if there are fewer readers than witnesses, by one
// for each reader. Each is sent at most twice.
//
// It judges from begin on. Before that, all nodes may believe that they are pollers and witnesses. Each reader's node
// may also poll by itself, as often as corona/version allows when witnesses do not answer (doc.go, "Not promised"). The
// same holds later for channels that have lately changed within seconds: no two nodes see the same content there. It
// holds for all channels if an owner may invent versions (believe, doc.go, "What an attacker can do"): an invention may
// stand until the origin changes.
type polite struct {
	verdict
	interval  time.Duration
	witnesses int
	ceiling   int // of a host, which each node may exceed to poll once; 0: none
	nodes     int
	inventors bool // nodes say that origins serve what they do not
	host      map[engine.ID]int

	begun     time.Duration
	on        bool
	followers followers
	polls     map[int][]poll // by host, of the last interval
	issued    map[engine.ID][]time.Duration

	served   map[engine.ID]time.Duration // when the origin changed last
	restless map[engine.ID]time.Duration // when it last changed twice within confirming
}

// confirming is how long witnesses need at most to see a content that does not change: requests under way, each poll,
// and a second one at another mirror.
const confirming = 10 * time.Second

// serves notes that an origin changes.
func (p *polite) serves(at time.Duration, topic engine.ID) {
	if last, ok := p.served[topic]; ok && at-last < confirming {
		p.restless[topic] = at
	}
	p.served[topic] = at
}

type poll struct {
	at    time.Duration
	topic engine.ID
}

func (p *polite) begin(at time.Duration) { p.begun, p.on = at, true }

// Observe implements check.Checker.
func (p *polite) Observe(at time.Duration, n sim.Node, event check.Event) {
	p.followers.observe(at, n, event)
	switch e := event.(type) {
	case check.Published:
		if p.issued == nil {
			p.issued = make(map[engine.ID][]time.Duration)
		}
		p.issued[e.Topic] = append(p.issued[e.Topic], at)
	case check.Polled:
		p.polled(at, n, e.Topic)
	}
}

func (p *polite) polled(at time.Duration, n sim.Node, topic engine.ID) {
	if p.polls == nil {
		p.polls = make(map[int][]poll)
	}
	host := p.host[topic]
	list := append(p.polls[host], poll{at, topic})
	for list[0].at <= at-p.interval {
		list = list[1:]
	}
	p.polls[host] = list
	if !p.on {
		if limit := p.stormy(host); len(list) > limit {
			p.fail(at, n, topic, "host %d got %d requests within %v, where %d are allowed while faults last", host,
				len(list), p.interval, limit)
		}
		return
	}
	count := 0
	for _, e := range list {
		if e.at > p.begun {
			count++
		}
	}
	if limit := p.limit(host, at); count > limit {
		p.fail(at, n, topic, "host %d got %d requests within %v, where its readers and changes allow %d", host, count,
			p.interval, limit)
	}
}

// mostLooks is how often each reader's node may poll by itself in an interval while faults last, besides once a minute.
const mostLooks = 12

// primaryLooks is how often an honest primary polls for a version that the one before it has invented.
const primaryLooks = 10

// stormy returns how many requests a host may get in an interval while faults last. Clocks may run twice as fast as
// they should.
func (p *polite) stormy(host int) (most int) {
	for topic, h := range p.host {
		if h == host {
			most += 2 * (p.nodes*(2+p.witnesses+believe.Spare) + p.looks(topic))
		}
	}
	return most
}

// looks returns how often the nodes of a channel's readers may look for themselves in an interval.
func (p *polite) looks(topic engine.ID) int {
	return p.followers.count[topic] * (mostLooks + int(p.interval/time.Minute))
}

// limit returns how many requests a host may have got in the interval before at.
func (p *polite) limit(host int, at time.Duration) int {
	readers, verifying, looking := 0, 0, 0
	for topic, h := range p.host {
		if h != host {
			continue
		}
		q := p.followers.count[topic]
		readers += q
		changes := 1
		for _, issued := range p.issued[topic] {
			if issued > at-p.interval {
				changes++
			}
		}
		each := 1 + p.witnesses + believe.Spare
		if q <= p.witnesses {
			each = max(1, q)
		}
		verifying += 2 * changes * each
		// an interval, and until the last change is announced
		if last, ok := p.restless[topic]; ok && last > at-2*p.interval {
			looking += p.looks(topic)
		}
		if p.inventors {
			looking += q*mostLooks + primaryLooks
		}
	}
	if p.ceiling > 0 {
		readers = min(readers, max(p.ceiling, p.nodes))
	}
	return readers + verifying + looking
}
