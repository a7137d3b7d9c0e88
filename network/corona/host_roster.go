package corona

import (
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// What others need of package roster.
type (
	Subscribe       = roster.Subscribe
	Subscription    = roster.Subscription
	State           = roster.State
	Acknowledgement = roster.Acknowledgement
)

// rosterHost is the roster's host. To the other machines it is the roster.
type rosterHost struct {
	*roster.Roster
	*core
	changed []func(*roster.Owned) // see OnChange
	homed   func(engine.ID)       // see OnRoot; may be nil
}

func newRoster(c *core) *rosterHost {
	h := &rosterHost{core: c}
	h.Roster = roster.New(c.Base, h, c.config.roster())
	return h
}

// roster returns c for a roster.
func (c *Config) roster() roster.Config {
	return roster.Config{
		Owners: c.Owners, Maintenance: c.Maintenance, Renew: c.Renew, Forget: c.Forget,
		MaxChannels: c.MaxChannels, MaxSubscriptions: c.MaxSubscriptions, MaxEntries: c.MaxEntries,
		MaxPerNode: c.MaxPerNode, MaxCount: c.MaxCount, MaxUnacked: c.MaxUnacked,
	}
}

// OnChange registers f for relevant changes of a channel's owners, readers or state: see roster.Host.Changed.
func (h *rosterHost) OnChange(f func(*roster.Owned)) { h.changed = append(h.changed, f) }

// NotifyChange calls the functions registered by OnChange.
func (h *rosterHost) NotifyChange(o *roster.Owned) {
	for _, f := range h.changed {
		f(o)
	}
}

// Began and the methods below implement roster.Host.
func (h *rosterHost) Began(o *roster.Owned) { h.node.version.Owned(o) }

func (h *rosterHost) Changed(o *roster.Owned) {
	h.NotifyChange(o)
	if o.Gone() {
		h.node.version.Forgotten(o.ID())
	}
}

func (h *rosterHost) Informed(o *roster.Owned) { h.node.version.Informed(o.ID()) }

func (h *rosterHost) Compared(o *roster.Owned, version uint64) {
	h.node.version.Compare(o.ID(), version)
}

func (h *rosterHost) Reported(o *roster.Owned, s *Subscription) {
	if s.Count > 0 {
		h.node.version.SubscriberReported(o.ID(), s.Node)
	}
}

func (h *rosterHost) State(o *roster.Owned) State { return h.node.stateOf(o) }

func (h *rosterHost) Merge(o *roster.Owned, from engine.Peer, s State) {
	h.node.version.Merge(o.ID(), from, &s)
}

func (h *rosterHost) Routed(o *roster.Owned) bool { return h.node.version.Routed(o.ID()) }

func (h *rosterHost) Acknowledged(from engine.Peer, a Acknowledgement, routed bool) {
	h.listener.Acknowledged(a)
	if a.Count == 0 {
		return
	}
	h.node.version.Joined(a.Channel, routed)
	h.node.version.MaybeBehind(from, a.Channel, a.Version)
	if held, _ := h.library.Held(a.Channel); a.Version < held {
		h.node.version.MaybeAhead(from, a.Channel, a.Version)
	}
}

func (h *rosterHost) Homed(channel engine.ID) {
	if h.homed != nil {
		h.homed(channel)
	}
}

func (h *rosterHost) Unsubscribed(channel engine.ID) { h.node.version.Joined(channel, false) }

func (h *rosterHost) Silent(channel engine.ID, silent bool) {
	if silent {
		h.node.version.Suspect(channel, Silent)
	} else {
		h.node.version.Suspect(channel, Trusted)
	}
}
