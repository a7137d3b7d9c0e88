package deliver

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// A version that may not have reached all is sent once more.
const (
	// resendAge is how long after a version was numbered a new primary does that: the one before may have died
	// half-way.
	resendAge = 2 * time.Minute
	// resendPause is how long a node waits if it has too much to send on.
	resendPause = 5 * time.Second
	// maxLends is how many contents the library looks up at a time.
	maxLends = 256
)

// Changed gets a new primary the latest content, and sends it on if that may not have been done. It reports that a
// channel's primary, its state, or whether it has readers has changed, or that it is about to be forgotten.
func (m *Machine) Changed(channel engine.ID) (next update.Steps) {
	o := m.find(channel)
	if o == nil {
		return nil
	}
	if o.Primary() && o.Version() > 0 {
		if o.unsent != nothing && m.Env.Now() < o.numberedAt+resendAge {
			next = m.resend(o)
		} else if o.unsent = nothing; m.lacksLatest(o) {
			next = m.missLatest(o)
		}
	}
	return next.Do(func() { m.ownedChanged(o) })
}

// Unsent notes that a node lacks the latest version of a channel that is owned here.
func (m *Machine) Unsent(channel engine.ID) { m.find(channel).unsent = lacked }

// Resend sends the latest version to all nodes that poll or subscribe. Those that have it ignore it.
func (m *Machine) Resend(channel engine.ID) update.Steps { return m.resend(m.find(channel)) }

func (m *Machine) resend(o *record) update.Steps {
	o.unsent = lacked
	if m.lacksLatest(o) {
		return m.missLatest(o) // it is sent once it is here
	}
	if o.now != nil && o.now.stage >= committing {
		return nil // it is about to be sent
	}
	asked := m.lend(o.ID(), o.previous, func(u *update.Update) {
		if m.owes(o) && u != nil && u.Version == o.Version() && m.Host.Sealed(u) {
			o.unsent = nothing
			m.distribute(o, u)
		}
	})
	if !asked {
		m.Host.After(m.Jitter(resendPause), func() update.Steps {
			if m.owes(o) {
				return m.resend(o)
			}
			return nil
		})
	}
	return nil
}

// sendOn sends the version that the library has just stored, if it was not sent before.
func (m *Machine) sendOn(u *update.Update) update.Steps {
	o := m.find(u.Channel)
	if o == nil || !m.owes(o) || o.Version() != u.Version {
		return nil
	}
	if u.Base == u.Hash { // it is of no use to nodes with another content
		return m.resend(o)
	}
	o.unsent = nothing
	if m.Host.Sealed(u) {
		m.distribute(o, u)
	}
	return nil
}

// owes reports whether this node is to send a channel's latest version once more. One that acts for the primary sends
// what the primary has numbered only if a node lacks it. A single lost report is enough to make it act, and all
// subscribers would be sent each version twice.
func (a *around) owes(o *record) bool {
	return a.makes(o) && (o.unsent == lacked || o.unsent == byAnother && o.Primary())
}

// makes reports whether this node makes versions of a channel, and lacksLatest whether the library does not have the
// latest.
func (a *around) makes(o *record) bool       { return !o.Gone() && a.Host.Makes(o.ID()) }
func (a *around) lacksLatest(o *record) bool { return a.held(o.ID()) < o.Version() }

// MissLatest requests the latest version of a channel from a finder, if it is lacked.
func (m *Machine) MissLatest(from engine.Peer, channel engine.ID) update.Steps {
	if o := m.find(channel); m.lacksLatest(o) {
		return m.Miss(from, channel, o.Version())
	}
	return nil
}

// missLatest requests the latest version of a channel from the other owners, unless the library has its content under
// another number.
func (m *Machine) missLatest(o *record) update.Steps {
	if _, hash := m.Library.Held(o.ID()); hash == o.hash {
		next, _ := m.Bring(engine.Peer{}, &update.Update{Channel: o.ID(), Version: o.Version(), Base: hash, Hash: hash},
			false)
		return next
	}
	return m.Miss(m.otherOwner(o), o.ID(), o.Version())
}

// lend requests the change from a content to the latest from the library. It returns false if maxLends requests are
// under way.
func (m *Machine) lend(channel engine.ID, base update.Hash, found func(*update.Update)) bool {
	if m.lends >= maxLends {
		return m.LimitHit("maxLends", maxLends)
	}
	m.lends++
	m.Library.Lend(channel, base, func(u *update.Update) {
		m.lends--
		found(u)
	})
	return true
}

// unpublished returns the content with a version's number that is not published yet, while its witnesses are asked.
// Without their signatures no node would believe it. It returns nil if there is none.
func (m *Machine) unpublished(channel engine.ID, version uint64) *numbered {
	o := m.find(channel)
	if o == nil || o.now == nil || o.now.update.Version != version {
		return nil
	}
	if _, asked, _ := m.Host.Witnesses(channel, version); !asked {
		return nil
	}
	return o.now
}

// Offers answers a request that came over the ring: it returns the version that may be offered. The ring does not
// authenticate the requester, and an update is long.
func (m *Machine) Offers(from engine.Peer, r *Missing) (version uint64, has bool) {
	version = m.held(r.Channel)
	return version, version > r.Version && !m.IsSelf(from) && m.unpublished(r.Channel, version) == nil
}

// Answer sends the change to the latest version held here.
func (m *Machine) Answer(from engine.Peer, r *Missing) {
	version, hash := m.Library.Held(r.Channel)
	if m.IsSelf(from) || version <= r.Version {
		return
	}
	if c := m.unpublished(r.Channel, version); c != nil {
		if len(c.lacking) < maxLacking {
			c.lacking = append(c.lacking, lacking{from, r})
		}
		return
	}
	if hash == r.Base {
		u := &update.Update{Channel: r.Channel, Version: version, Base: hash, Hash: hash}
		if m.Host.Sealed(u) {
			m.Env.Send(from, u)
		}
		return
	}
	m.lend(r.Channel, r.Base, func(u *update.Update) {
		if u != nil && m.Host.Sealed(u) {
			sent := *u
			sent.Trim()
			m.Env.Send(from, &sent)
		}
	})
}

// Audited handles the answer of an owner with a newer version. If it does not come down the tree within auditGrace, it
// was withheld.
func (m *Machine) Audited(from engine.Peer, channel engine.ID, version uint64) {
	a := m.member[channel]
	if a == nil || a.asked == 0 || m.Env.Now() > a.asked+auditWait {
		return
	}
	a.asked = 0
	m.Host.After(auditGrace, func() update.Steps {
		if m.member[channel] != a || m.held(channel) >= version || !update.Timely(m.Env.Wall(), version) {
			return nil
		}
		if t, ok := m.tree().(interface{ Distrust(topic engine.ID) }); ok {
			t.Distrust(channel)
		}
		return m.MaybeBehind(from, channel, version)
	})
}
