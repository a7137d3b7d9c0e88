package rappel

import (
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/interest"
)

// audit is the examination of one candidate (section 3.4). Its profile is fetched, unless it is known. If the candidate
// is worth it, it is asked to be a friend.
type audit struct {
	next   time.Duration // when the next begins
	peer   engine.Peer   // the one that is examined; zero: none
	number uint32        // of what was asked
	sent   time.Duration
	wooed  bool // friendship was asked for, not the profile
}

func (a *audit) on() bool { return !a.peer.IsZero() }
func (a *audit) end()     { a.peer = engine.Peer{} }

// runAudit does what is due, and returns when something will be. Audits follow each other at once while trees are still
// to be joined (section 5.2).
func (f *friends) runAudit(now time.Duration) time.Duration {
	a := &f.audit
	if a.on() && now >= a.sent+f.config.PingTimeout {
		f.candidates.remove(a.peer.ID)
		a.end()
	}
	if f.session.eager() && !a.on() {
		a.next = min(a.next, now)
	}
	for !a.on() && now >= a.next {
		k := f.candidates.next(now)
		if k != nil {
			f.examine(k)
		}
		if a.on() || k == nil { // else its profile was known, and it was judged without a message
			a.next = now + f.config.Audit
		}
	}
	if a.on() {
		return a.sent + f.config.PingTimeout
	}
	return max(a.next, now+time.Millisecond)
}

// examine begins an audit.
func (f *friends) examine(k *candidate) {
	k.audited = true
	if k.profile != nil {
		f.judge(k)
		return
	}
	f.audit.peer, f.audit.wooed = k.peer, false
	f.audit.number, f.audit.sent = f.env.Rand().Uint32(), f.now()
	f.env.Send(k.peer, &ProfileRequest{Number: f.audit.number})
}

// judge asks a candidate to be a friend if that is of use.
func (f *friends) judge(k *candidate) {
	victim, viable := f.victim(k)
	f.env.Trace(Audited{k.peer, viable})
	if f.audit.end(); !viable {
		return
	}
	f.audit.peer, f.audit.wooed = k.peer, true
	f.audit.number, f.audit.sent = f.env.Rand().Uint32(), f.now()
	needed := f.needs(k.peer.ID, k.profile, victim.ID)
	f.env.Send(k.peer, &FriendRequest{Number: f.audit.number, Versions: f.self.versions, Needed: needed})
}

// victim returns which friend a candidate should replace, none if there is room. It also returns whether the candidate
// should be a friend at all.
func (f *friends) victim(k *candidate) (p engine.Peer, viable bool) {
	if len(f.list) < f.config.Friends {
		return engine.Peer{}, true
	}
	var set []interest.Proximity
	var of []engine.Peer
	for _, g := range f.list {
		if g.profile != nil { // else it is of the session before, and has not announced itself yet
			set, of = append(set, f.proximity(g.profile, g.rtt)), append(of, g.peer)
		}
	}
	i := interest.Improvement(&f.self.filter, set, f.proximity(k.profile, k.rtt), f.config.Gain, f.config.Cover)
	if i < 0 {
		return engine.Peer{}, false
	}
	return of[i], true
}

// proximity returns what makes a node useful, or the part of it that Config.Useful leaves: one distance for all, or one
// interest.
func (f *friends) proximity(p *profile, rtt time.Duration) interest.Proximity {
	switch f.config.Useful {
	case InterestAlone:
		return interest.Proximity{Filter: &p.filter, Distance: time.Second}
	case DistanceAlone:
		return interest.Proximity{Filter: &f.self.filter, Distance: f.distance(p, rtt)}
	}
	return interest.Proximity{Filter: &p.filter, Distance: f.distance(p, rtt)}
}

// distance returns how far a node is: by its coordinate, but at least the measured round trip, as coordinates can be
// invented.
func (f *friends) distance(p *profile, rtt time.Duration) time.Duration {
	return max(f.self.coordinate.Distance(p.coordinate), rtt)
}

// onProfile receives a profile: of a candidate, or of a friend that announced a newer one.
func (f *friends) onProfile(from engine.Peer, m *Profile) {
	p := &profile{m.Versions, interest.FromWire(m.Filter), m.Coordinate}
	valid := m.Coordinate.Validate(len(f.self.coordinate.Vector)) == nil
	if nb := f.links.byID[from.ID]; nb != nil && nb.asked == m.Number && nb.asked != 0 && valid {
		nb.asked = 0
		nb.profile, nb.versions, nb.denied = p, p.versions, nil
		return
	}
	a := &f.audit
	if a.wooed || a.peer.ID != from.ID || a.number != m.Number {
		return
	}
	k := f.candidates.find(from.ID)
	if k == nil || !valid {
		a.end()
		f.candidates.remove(from.ID)
		return
	}
	k.profile, k.rtt = p, f.now()-a.sent
	f.judge(k)
}

// onFriendReply ends an audit: the candidate is a friend now, or denied it.
func (f *friends) onFriendReply(from engine.Peer, m *FriendReply) {
	a := &f.audit
	if f.onRecall(from, m) || !a.wooed || a.peer.ID != from.ID || a.number != m.Number {
		return
	}
	a.end()
	f.met(m.Friends...)
	switch k := f.candidates.find(from.ID); {
	case k == nil || k.profile == nil: // it has been forgotten meanwhile
		f.env.Send(from, &Unfriend{})
	case !m.OK:
		if k.denied = f.now() + shunning; len(f.list) < f.config.Friends {
			a.next = f.now() // the audit is repeated with another
		}
	default:
		f.befriend(k)
	}
}

// befriend puts a candidate that has agreed into the set, in the place of the victim there is now.
func (f *friends) befriend(k *candidate) {
	victim, viable := f.victim(k)
	if !viable {
		f.env.Send(k.peer, &Unfriend{})
		return
	}
	if !victim.IsZero() {
		f.env.Send(victim, &Unfriend{})
		f.drop(victim.ID, "replaced")
		f.met(victim)
	}
	f.add(k.peer, k.profile, victim)
}
