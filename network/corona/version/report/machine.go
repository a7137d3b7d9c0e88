package report

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Machine is one node's part in finding out what is news.
type Machine struct {
	finder
	judge
}

// New returns a machine without channels.
func New(b machine.Base, s Seams, c update.Config) *Machine {
	a := around{b, s, c}
	m := &Machine{
		finder: finder{a, make(map[engine.ID]*sentReport), make(map[engine.ID]time.Duration),
			make(map[engine.ID]dismissal), make(map[engine.ID]Suspicion)},
		judge: judge{origins: origins{around: a}},
	}
	m.records.Seed = b.Seed
	return m
}

// Reconfigure replaces the configuration.
func (m *Machine) Reconfigure(c update.Config) {
	before := m.judge.config.Interval
	m.finder.config, m.judge.config = c, c
	if before != c.Interval {
		for o := range m.records.All() {
			o.estimate.rescale(m.judge.Env.Now(), before, c.Interval)
		}
	}
}

// Own begins to keep what this node knows of a channel that it owns, and Forget ends that.
func (m *Machine) Own(o Owned)              { m.records.Set(o.Channel().ID, &record{Owned: o}) }
func (m *Machine) Forget(channel engine.ID) { m.records.Remove(channel) }

// Found submits a change that this node has found to the primary.
func (m *Machine) Found(u *update.Update) update.Steps {
	m.judge.Env.Trace(Found{u.Channel, u.Hash})
	o := m.find(u.Channel)
	switch {
	case o == nil:
	case o.Primary():
		return m.consider(o, m.found(u))
	case o.candidate() != nil && o.candidate().update.Hash == u.Hash && m.makes(o):
		// this node acts for the primary, which is notified all the same
		return m.foundAgain(o, o.candidate(), m.found(u)).Then(func() update.Steps { return m.report(u) })
	}
	return m.report(u)
}

// Receive checks the report of another node that was routed to its channel.
func (m *Machine) Receive(from engine.Peer, d *Detected) update.Steps {
	channel, finder := d.Update.Channel, from
	if m.judge.Keys != nil {
		finder = d.Update.Finder()
	}
	switch o := m.find(channel); {
	case o == nil || !o.Primary():
		m.Drop(d, from, update.Unowned) // the finder repeats it
	case m.judge.Keys != nil && !update.IsFound(m.judge.Keys, &d.Update):
		m.Drop(d, from, update.Unsound)
	default:
		return m.accept(o, finder, d)
	}
	return nil
}

// ReceiveBypassing checks a well signed report that bypasses the primary, of a channel that is owned here.
func (m *Machine) ReceiveBypassing(d *Detected) update.Steps {
	if o := m.find(d.Update.Channel); o != nil {
		return m.accept(o, d.Update.Finder(), d)
	}
	return nil
}

// Drop traces that a report is not considered.
func (m *Machine) Drop(d *Detected, from engine.Peer, why update.Why) {
	m.judge.Env.Trace(Dropped{d.Update.Channel, d.Update.Hash, from.ID, why})
}

// ReceiveVerified handles what a finder confirms, or a poller sees.
func (m *Machine) ReceiveVerified(from engine.Peer, v *update.Verified) update.Steps {
	if o := m.find(v.Channel); o != nil && o.candidate() != nil {
		return m.answered(o, o.candidate(), from, v)
	}
	return nil
}

// Informed considers the report that was kept while this owner did not know what the others do.
func (m *Machine) Informed(channel engine.ID) update.Steps {
	o := m.find(channel)
	if o == nil || o.contents == nil || o.contents.next == nil || o.contents.now != nil || !m.makes(o) {
		return nil
	}
	return m.considerNext(o)
}

// Polled handles this node's poll. It returns false if that was not for a report, nor for what this node doubts.
func (m *Machine) Polled(channel engine.ID, r *update.PollResult) (next update.Steps, was bool) {
	if o := m.find(channel); o != nil && m.makes(o) {
		return m.polled(o, r)
	}
	return nil, false
}

// Sees handles the content that this node's poll shows, and that of a poll in its turn.
func (m *Machine) Sees(channel engine.ID, h update.Hash) {
	if o := m.find(channel); o != nil && o.contents != nil && h != (update.Hash{}) {
		o.contents.seen = m.judge.Env.Now()
	}
}
func (m *Machine) SeesInTurn(channel engine.ID, h update.Hash) {
	if o := m.find(channel); o != nil && o.contents != nil {
		o.contents.doubt.sees(h, m.judge.Env.Now())
	}
}

// Raised reports that a content has become the channel's latest version, that was numbered then.
func (m *Machine) Raised(channel engine.ID, h update.Hash, at time.Duration) {
	o := m.find(channel)
	w := o.remember()
	w.latest, w.numberedAt = h, at
	w.recent.note(h.Start())
	w.doubt.end()
}

// Numbered reports the same of an accepted content.
func (m *Machine) Numbered(channel engine.ID, h update.Hash) {
	m.Raised(channel, h, m.judge.Env.Now())
	m.offenders.Acquit(h)
}

// Published ends the check of a content that has become a version.
func (m *Machine) Published(channel engine.ID, u *update.Update) update.Steps {
	o, now := m.find(channel), m.judge.Env.Now()
	took := now - o.candidate().learned
	m.judge.Env.Trace(Numbered{channel, u.Version, u.Hash, u.FoundBy, took})
	o.contents.confirmed(took)
	o.estimate.change(now, m.judge.config.Interval)
	return m.end(o)
}

// Unfit reports that the library does not have what an accepted update leads on from.
func (m *Machine) Unfit(channel engine.ID) update.Steps {
	o := m.find(channel)
	switch c := o.candidate(); {
	case c.checks == 0:
		return m.check(o, c)
	case c.update.IsBare() && !m.judge.IsSelf(c.finder):
		m.fetch(o, c)
		return nil
	default:
		return m.refuse(o, c, update.Unfit)
	}
}

// Refused reports that an accepted content becomes no version.
func (m *Machine) Refused(channel engine.ID, why update.Why) update.Steps {
	o := m.find(channel)
	return m.refuse(o, o.candidate(), why)
}

// Reunite reports that another owner has assigned other versions.
func (m *Machine) Reunite(channel engine.ID) update.Steps { return m.reunite(m.find(channel)) }

// Noisy reports whether a channel's content differed from request to request lately.
func (m *Machine) Noisy(channel engine.ID) bool {
	o := m.find(channel)
	if o == nil || o.contents == nil || o.contents.quiet == 0 {
		return false
	}
	return m.judge.Env.Now() < o.contents.quiet+4*m.judge.config.Interval
}

// PollsAlone reports whether this node is a primary, and its host lets no other node poll. Its poll has to suffice, and
// there is at most one version an interval.
func (m *Machine) PollsAlone(channel engine.ID) bool { return m.pollsAlone(m.find(channel)) }

// Limits returns what the origin of a channel owned here asks for. Tighten applies what another owner knows of that.
func (m *Machine) Limits(channel engine.ID) Limits {
	if o := m.find(channel); o != nil {
		return o.limit
	}
	return Limits{}
}
func (m *Machine) Tighten(channel engine.ID, wait, interval time.Duration) {
	m.tighten(m.find(channel), wait, interval)
}

// Fill fills in this machine's part of a channel's state. A channel that is not owned here counts as a new one.
func (m *Machine) Fill(channel engine.ID, s *roster.State) {
	o, now := m.find(channel), m.judge.Env.Now()
	if o == nil {
		o = &record{}
	}
	s.Wait, s.Least = uint32(max(0, o.limit.NotBefore-now)/time.Second), inSeconds(o.limit.Interval)
	s.Interval = o.estimate.interval(now, m.judge.config.Interval).Seconds()
	s.Watched = o.estimate.watched
	if o.contents != nil {
		s.Age = inSeconds(now - o.contents.numberedAt)
		s.Recent = slices.Clone(o.contents.recent) // it goes on changing
	}
}

// Adopt adopts another owner's newer state of a channel. newer: the version is newer as well.
func (m *Machine) Adopt(channel engine.ID, s *roster.State, newer bool) {
	o, now := m.find(channel), m.judge.Env.Now()
	interval := time.Duration(min(max(s.Interval, 0), maxEstimate) * float64(time.Second))
	estimated := o.estimate.adopt(s.Watched, interval, now, m.judge.config.Interval)
	if !newer {
		return
	}
	for _, start := range s.Recent {
		o.remember().recent.note(start)
	}
	m.Raised(channel, s.Hash, now-time.Duration(s.Age)*time.Second)
	if !estimated {
		o.estimate.change(now, m.judge.config.Interval)
	}
}

// ChangesEvery returns the estimated time between a channel's changes.
func (m *Machine) ChangesEvery(channel engine.ID) time.Duration {
	o := m.find(channel)
	if o == nil {
		o = &record{}
	}
	return o.estimate.interval(m.judge.Env.Now(), m.judge.config.Interval)
}

// ConfirmsWithin returns how long it is of late, on average, from the first report of a change until its number. It is
// 0 before the first number.
func (m *Machine) ConfirmsWithin(channel engine.ID) time.Duration {
	if o := m.find(channel); o != nil && o.contents != nil {
		return o.contents.confirming
	}
	return 0
}

// Checks reports whether a report of a channel is being checked, or accepted and not published yet.
func (m *Machine) Checks(channel engine.ID) bool {
	o := m.find(channel)
	return o != nil && o.candidate() != nil
}
