package deliver

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// arrival is an update that the library is storing, or is to store.
type arrival struct {
	update *update.Update
	from   engine.Peer // the sender; zero: this node makes the version
	seen   bool        // by a poll of this node
	own    *numbered   // which it is to become; nil: another node has numbered it
	news   bool        // its content differs from the one held
	before update.Hash // the content held before, if this node has not seen the new one
	after  []*arrival  // arrived meanwhile, in order; at most maxAfter
}

// maxAfter is how many updates of a channel wait for the one that the library is storing.
const maxAfter = 4

// Bring passes the library an update that leads on from the held version. One that does not waits for what lies
// between. seen: a poll of this node has shown it. Bring returns false if there is no room.
func (m *Machine) Bring(from engine.Peer, u *update.Update, seen bool) (next update.Steps, room bool) {
	return m.bring(&arrival{update: u, from: from, seen: seen})
}

func (m *Machine) bring(a *arrival) (next update.Steps, room bool) {
	channel := a.update.Channel
	if now := m.arrivals[channel]; now != nil {
		switch {
		case a.own == nil && a.update.Version == now.update.Version:
		case len(now.after) >= maxAfter:
			return nil, m.LimitHit("maxAfter", maxAfter)
		default:
			now.after = append(now.after, a)
		}
		return nil, true
	}
	held, hash := m.Library.Held(channel)
	fits := a.update.Version > held && a.update.Fits(m.Library)
	switch {
	case !fits && (a.own != nil || a.update.Version <= held):
		return m.kept(a.own, false), true
	case !fits:
		return m.setAside(a), true
	case a.own == nil && !a.seen && !m.Host.Believes(a.update):
		return update.Steps{Unseen{a.from, a.update}}, true
	case !update.Room(&m.Base, len(m.arrivals), "arrivals", maxUnderWay):
		return m.kept(a.own, false), false
	}
	if m.find(channel) != nil {
		m.Host.Relay(channel)
	}
	a.news = a.update.Hash != hash
	if !a.seen && m.Library.Content(channel) != a.update.Hash {
		a.before = hash
	}
	m.arrivals[channel] = a
	m.Library.Store(a.update)
	return nil, true
}

// again brings an update that has waited.
func (m *Machine) again(a *arrival) func() update.Steps {
	return func() update.Steps {
		next, _ := m.bring(a)
		return next
	}
}

// Stored handles the outcome of Library.Store: ok, if the library keeps the update.
func (m *Machine) Stored(channel engine.ID, version uint64, ok bool) (next update.Steps) {
	a := m.arrivals[channel]
	if a == nil || a.update.Version != version {
		return nil
	}
	delete(m.arrivals, channel)
	if ok {
		next = update.Steps{Kept{a.update, a.news, a.own != nil, a.before}}.Then(
			func() update.Steps { return m.sendOn(a.update) })
	} else {
		update.Refuse(&m.Base, channel, version, a.from, update.Unfit)
		if a.own == nil {
			next = m.missWhole(a.from, channel, version)
		}
	}
	next = next.Then(func() update.Steps { return m.kept(a.own, ok) })
	for _, b := range a.after {
		next = next.Then(m.again(b))
	}
	if ok {
		next = next.Then(func() update.Steps { return m.closeGap(channel) })
	}
	return next
}

// closeGap is called when the library has stored an update: those set aside may lead on from it.
func (m *Machine) closeGap(channel engine.ID) (next update.Steps) {
	g := m.of[channel]
	if g == nil {
		return nil
	}
	aside := g.aside
	g.aside = nil
	for _, a := range aside {
		next = next.Then(m.again(a)) // sets aside again what still does not fit
	}
	return next.Then(func() update.Steps {
		if m.held(channel) >= g.version && len(g.aside) == 0 {
			return m.endGap(g)
		}
		return nil
	})
}

// PolledFirst continues a gap that waits for the first poll of its channel. It returns false if none does.
func (m *Machine) PolledFirst(channel engine.ID, found *update.Update) (next update.Steps, awaits bool) {
	g := m.of[channel]
	if g == nil || g.first != awaited {
		return nil, false
	}
	g.first, g.found = over, found
	g.timer.Stop()
	return m.closeGap(channel).Then(func() update.Steps {
		if m.of[channel] == g {
			return m.fill(g)
		}
		return nil
	}), true
}

// PolledForGap fills the gap with this node's poll of the origin. It returns false if that did not show the missing
// version.
func (m *Machine) PolledForGap(channel engine.ID, r *update.PollResult) (next update.Steps, was bool) {
	u := m.byOrigin(channel, r)
	if u == nil {
		return nil, false
	}
	next, _ = m.bring(&arrival{update: u, seen: true})
	return next, true
}
