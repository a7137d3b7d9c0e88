package sharing

import (
	"tidings"
	"tidings/network/corona"
	"tidings/node/channels"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store/content"
)

// Standing is which nodes follow and poll a channel, and what was done about that.
type Standing struct {
	Readers int // accounts here that follow it, as far as others may know
	// Private says that people here follow it, or have followed it, in a way of their own. That is with a password, as
	// a private channel, or by rules that change its content. It is not polled for others.
	Private bool
	Pushed  bool // its publisher pushes what is new: others need not poll it for this node
	Acked   bool // the owners know that it is followed here

	Suspicion corona.Suspicion // why the owners are not relied on, if they are not
	Assigned  bool             // Corona has it polled here, at Slot
	Slot      source.Slot
	Relayed   bool // Corona makes its versions here, and has it kept for that

	Queued bool // a worker is about to reconcile it
	Told   int  // Readers as last reported to Corona
	Turns  bool // it is polled in turns with its other followers
	Kept   bool // the store knows that it is polled for others, if it is
}

// maxURL is the longest address that Corona's messages carry.
const maxURL = 2048

// CanShare reports whether others may know of a channel, and see the same in it. They refuse an address that is not
// canonical, such as one that was stored when canonical addresses were made otherwise.
func CanShare(w *content.Watch) bool {
	return w.Privacy == tidings.Public && w.Access.IsZero() && w.Options.IsZero() && Names(w.URL)
}

// Names reports whether an address is one by which nodes can name a channel.
func Names(url string) bool {
	canonical, err := feed.Canonical(url)
	return err == nil && canonical == url && len(url) <= maxURL
}

// Facts are what decides about the channel.
func (s *Standing) Facts(t Terms) channels.Facts {
	f := channels.Facts{
		Followed: s.Readers > 0, Private: s.Private, Alone: t.Alone, Assigned: s.Assigned, Relayed: s.Relayed,
		Pushed:     s.Pushed,
		Volunteers: t.Volunteers, Acknowledged: s.Acked,
	}
	switch s.Suspicion {
	case corona.Trusted:
	case corona.Denied:
		f.Trust = channels.Denied
	case corona.Silent:
		f.Trust = channels.Silent
	}
	return f
}

// Subscribes reports whether it is the owners' to see what changes of the channel for this node.
func (s *Standing) Subscribes(t Terms) bool { return channels.Decide(s.Facts(t)).Subscribe }

// IsPolled reports whether the channel is polled here as Corona says.
func (s *Standing) IsPolled() bool { return s.Assigned && !s.Private }

// isShared reports whether the channel's content is compared with what other nodes see.
func (s *Standing) isShared() bool { return !s.Private && (s.Assigned || s.Relayed || s.Readers > 0) }

// idle reports whether nothing is wanted of the channel, and nothing is left to be done about that.
func (s *Standing) idle() bool {
	return s.Readers == 0 && s.Told == 0 && !s.Assigned && !s.Relayed && !s.Kept && !s.Turns && !s.Queued
}

// Subscribed notes how many readers were reported to Corona.
func (s *Standing) Subscribed(readers int) {
	if s.Told = readers; readers == 0 {
		s.Acked = false
	}
}

// Stop notes that the network has stopped.
func (s *Standing) Stop() { s.Assigned, s.Relayed, s.Acked = false, false, false }

// set changes one of the facts, and reports whether it was another before.
func set[T comparable](fact *T, now T) (changed bool) {
	changed = *fact != now
	*fact = now
	return changed
}

// Assign has the channel polled here at a slot, until Unassign. That reports whether it was.
func (s *Standing) Assign(slot source.Slot) { s.Assigned, s.Slot = true, slot }

// Unassign ends what Assign began.
func (s *Standing) Unassign() bool { return set(&s.Assigned, false) }

// Release ends that the channel is relayed, and reports whether it was.
func (s *Standing) Release() bool { return set(&s.Relayed, false) }

// Suspect notes whether the owners are relied on, and reports whether that has changed.
func (s *Standing) Suspect(why corona.Suspicion) bool { return set(&s.Suspicion, why) }

// Push notes whether the publisher pushes what is new, and reports whether that has changed.
func (s *Standing) Push(pushed bool) bool { return set(&s.Pushed, pushed) }
