package budget

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// An origin that asks not to be polled (Retry-After) may mean one document or all of the host. 503 can be either, and
// even 429 is at times counted by document. So a channel waits by itself as soon as any poller was asked to. When a
// node knows that of two channels of a host, it leaves all of it in peace. The other channels of which it is primary
// wait, and it reports the wait to the primaries of those that it polls. For them the report is unverified: they wait
// an interval at most, and then ask the origin in their turn before they believe another.

// patience holds the hosts that have asked for patience.
type patience struct {
	hosts map[engine.ID]*longest // at most maxPatient
}

const maxPatient = 1 << 12

// longest holds the latest time reported, and the latest for any other channel.
type longest struct {
	first, second time.Duration
	by            engine.ID
	reported      time.Duration // the latest time that was reported to other primaries
}

// reportAgain is by how much longer a host must wait than reported, for another report.
const reportAgain = time.Minute

func (l *longest) add(by engine.ID, until time.Duration) {
	switch {
	case until > l.first:
		if l.by != by {
			l.second = l.first
		}
		l.first, l.by = until, by
	case until > l.second && l.by != by:
		l.second = until
	}
}

// Waits reports that a channel which is polled or led here is not to be polled until a time by Env.Now, as its own
// origin asks.
func (b *Budget) Waits(channel engine.ID, until time.Duration) {
	key, known := b.hostOf(channel)
	if !known || !b.Hosted() || until <= b.Env.Now() {
		return
	}
	l := b.waits.hosts[key]
	if l == nil {
		if b.makeRoom(); len(b.waits.hosts) >= maxPatient {
			b.LimitHit("maxPatient", maxPatient)
			return
		}
		l = &longest{}
		b.waits.hosts[key] = l
	}
	l.add(channel, until)
	if l.second > b.Env.Now() && l.second >= l.reported+reportAgain {
		l.reported = l.second
		b.Env.Trace(Patient{key, l.second - b.Env.Now()})
		b.leave(key, l)
	}
}

// leave applies a host's patience to the channels led here, and reports it to the primaries of the others.
func (b *Budget) leave(key engine.ID, l *longest) {
	for _, o := range slices.Clone(b.led.hosts[key]) {
		b.host.Renew(o.channel.ID)
	}
	if of := b.proofs.hosts[key]; of != nil {
		for _, k := range of.list {
			if b.led.index[k.channel] == nil && k.channel != l.by {
				b.host.Refused(k.channel, min(l.second-b.Env.Now(), b.config.Interval))
			}
		}
	}
}

// Patience returns until when the host of a channel that is led here is not to be polled, by Env.Now.
func (b *Budget) Patience(channel engine.ID) time.Duration {
	key, _ := b.hostOf(channel)
	if l := b.waits.hosts[key]; l != nil {
		return l.second
	}
	return 0
}

// makeRoom forgets the hosts whose time is over.
func (b *Budget) makeRoom() {
	if len(b.waits.hosts) >= maxPatient {
		for key, l := range b.waits.hosts {
			if l.first <= b.Env.Now() {
				delete(b.waits.hosts, key)
			}
		}
	}
}

// hostOf returns the host of a channel that is led or assigned here.
func (b *Budget) hostOf(channel engine.ID) (host engine.ID, known bool) {
	if l := b.led.index[channel]; l != nil {
		return l.host, true
	}
	if k := b.proofs.index[channel]; k != nil {
		return k.host, true
	}
	return host, false
}
