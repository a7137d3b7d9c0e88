package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// leading holds the channels that this node is primary of, and what it has shown of their readers.
type leading struct {
	index map[engine.ID]*led
	hosts map[engine.ID][]*led // the same, by host
}

// led is one of them.
type led struct {
	channel machine.Channel
	host    engine.ID
	shown   uint32 // proofs sent to members of its set since the last Planned
	beside  uint32 // proofs sent to other nodes since then
}

// How many proofs a primary sends in a maintenance interval: about shownEach to each member of a set, and shownMore
// more in all. Nodes that pass assignments on and witnesses are outside of the set: shownBeside for all of these.
const (
	shownEach   = 4
	shownMore   = 64
	shownBeside = 256
)

// Led reports whether this node is the primary of a channel with readers.
func (b *Budget) Led(c machine.Channel, leads bool) {
	l := b.led.index[c.ID]
	switch {
	case leads == (l != nil):
		return
	case !leads:
		delete(b.led.index, c.ID)
		list := slices.DeleteFunc(b.led.hosts[l.host], func(o *led) bool { return o == l })
		if b.led.hosts[l.host] = list; len(list) == 0 {
			delete(b.led.hosts, l.host)
		}
	default:
		l = &led{channel: c, host: HostKey(c.URL)}
		b.led.index[c.ID] = l
		b.led.hosts[l.host] = append(b.led.hosts[l.host], l)
	}
	if n := len(b.led.hosts[l.host]); n >= b.turns() {
		for _, o := range slices.Clone(b.led.hosts[l.host]) {
			b.host.Renew(o.channel.ID)
		}
	}
	b.rejoin(l.host) // it leaves others more turns, or fewer
}

// Planned reports that sizes of polling sets have been chosen, as once a maintenance interval.
func (b *Budget) Planned() {
	for _, l := range b.led.index {
		l.shown, l.beside = 0, 0
	}
}

// fewReaders is how many readers a channel has that its primary polls alone, and never out of turn: their nodes poll
// once for each version, to see it themselves.
const fewReaders = 3

// Most returns how many nodes may poll a channel that this node is primary of, at most: as many as it has readers. ok
// is false if there is no bound.
func (b *Budget) Most(channel engine.ID) (pollers float64, ok bool) {
	if !b.Hosted() || b.led.index[channel] == nil {
		return 0, false
	}
	readers := b.host.Readers(channel)
	if readers <= fewReaders {
		return 1, true
	}
	return float64(min(readers, uint64(b.config.HostCeiling))), true
}

// Spacing returns the least time between two polls of a channel that this node is primary of, if it is primary of more
// channels of the host than it may poll in an interval; else 0.
func (b *Budget) Spacing(channel engine.ID) time.Duration {
	l := b.led.index[channel]
	if !b.Hosted() || l == nil {
		return 0
	}
	if n, turns := len(b.led.hosts[l.host]), b.turns(); n > turns {
		return b.config.Interval * time.Duration((n+turns-1)/turns)
	}
	return 0
}

// PollsAlone reports whether this node, a channel's primary, may let no other node poll it. Then it polls out of turn
// for no report, either.
func (b *Budget) PollsAlone(channel engine.ID) bool {
	most, bounded := b.Most(channel)
	return bounded && (most <= 1 || b.Spacing(channel) > 0)
}

// MayCheck reports whether this node may poll a channel out of turn to check a report: it is the primary, or polls the
// channel by an assignment.
func (b *Budget) MayCheck(channel engine.ID) bool {
	if !b.Hosted() || b.led.index[channel] != nil {
		return true
	}
	k := b.proofs.index[channel]
	return k != nil && k.joined
}

// answerAskProof shows the subscriptions that prove a channel's readers.
func (b *Budget) answerAskProof(to engine.Peer, m *AskProof) {
	l := b.led.index[m.Channel]
	if l == nil {
		return
	}
	count, most := &l.beside, uint32(shownBeside)
	if size := b.host.Size(m.Channel); machine.ArcOf(m.Channel, size).Contains(to.ID) {
		count, most = &l.shown, shownMore+shownEach*uint32(b.host.Pollers(m.Channel, size))
	}
	if *count >= most {
		b.LimitHit("shown", int(most))
		return
	}
	*count++
	b.Env.Send(to, &Proof{m.Channel, m.Nonce, b.host.Sample(m.Channel, m.Nonce)})
}
