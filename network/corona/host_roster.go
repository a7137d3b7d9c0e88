package corona

import (
	"iter"

	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/table"
)

// What others need of package roster.
type (
	Subscribe       = roster.Subscribe
	Subscription    = roster.Subscription
	State           = roster.State
	Acknowledgement = roster.Acknowledgement
	Unsigned        = roster.Unsigned
)

// rosterHost is the roster's host. To the other machines it is the roster, with their knowledge of the channels owned
// here.
type rosterHost struct {
	*roster.Roster
	*core
	records table.Index[*owned] // of all channels that the roster holds
	changed []func(*owned)      // see OnChange
	homed   func(engine.ID)     // see OnRoot; may be nil
}

func newRoster(c *core) *rosterHost {
	h := &rosterHost{core: c, records: table.Index[*owned]{Seed: c.Seed}}
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

// Find returns the record of a channel that is owned here, or nil.
func (h *rosterHost) Find(channel engine.ID) *owned { return h.records.Get(channel) }

// All iterates over all channels that are owned here.
func (h *rosterHost) All() iter.Seq[*owned] {
	return func(yield func(*owned) bool) {
		for _, o := range h.List() {
			if !yield(h.Find(o.ID())) {
				return
			}
		}
	}
}

// OnChange registers f for relevant changes of a channel's owners, readers or state: see roster.Host.Changed.
func (h *rosterHost) OnChange(f func(*owned)) { h.changed = append(h.changed, f) }

// NotifyChange calls the functions registered by OnChange.
func (h *rosterHost) NotifyChange(o *owned) {
	for _, f := range h.changed {
		f(o)
	}
}

// Began and the methods below implement roster.Host.
func (h *rosterHost) Began(o *roster.Owned) {
	h.records.Set(o.ID(), &owned{Owned: o})
	h.node.version.Owned(o)
}

func (h *rosterHost) Changed(o *roster.Owned) {
	known := h.Find(o.ID())
	if o.Gone() {
		h.records.Remove(o.ID())
	}
	h.NotifyChange(known)
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
