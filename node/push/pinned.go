package push

import (
	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store/pushed"
)

// pinned is a channel that is trusted to a publisher's key, or a third party's. Pushes.mu guards it, but for the pin's
// Channel, Pinned and ThirdParty, which never change.
type pinned struct {
	pushed.Pin
	id engine.ID // the channel's

	state   tidings.PushState
	refused int64
	lacking uint64 // up to this number items are missing that no node has; 0: none
	newest  uint64 // the highest number that is stored
	doubled bool   // two items were signed for one number, as of when it was pinned

	revisions *revisions // has a lock of its own, and stays from pin to pin
}

func (c *pinned) topic() engine.ID                  { return c.Topic }
func (c *pinned) fingerprint() feedtree.Fingerprint { return c.Fingerprint }

// wanted reports whether its pushes are to be accepted.
func (c *pinned) wanted() bool { return !c.Distrusted && c.Revoked.IsZero() && !c.contested() }

// contested reports whether the document names another key in the place of its publisher's. A third party's key
// replaces none: a person knows that the document does not name it.
func (c *pinned) contested() bool { return c.Offered != [32]byte{} && !c.ThirdParty }

// standing is the state of a channel before FeedTree's first report.
func (c *pinned) standing() tidings.PushState {
	switch {
	case c.Distrusted:
		return tidings.PushDistrusted
	case !c.Revoked.IsZero():
		return tidings.PushRevoked
	case c.contested():
		return tidings.PushAlarm
	case c.doubled:
		return tidings.PushDoubled
	}
	return tidings.PushJoining
}

// unreliable reports whether polls have found too much that pushes should have brought: at least three items, and a
// fifth of all.
func (c *pinned) unreliable() bool { return c.Missed >= 3 && 5*c.Missed > c.Pushed+c.Missed }

// shown is the state as it is shown to people. The caller holds Pushes.mu.
func (c *pinned) shown() tidings.PushState {
	if c.state == tidings.PushGood && c.unreliable() {
		return tidings.PushUnreliable
	}
	return c.state
}

// add adds a pin, in place of one that the channel had; doubled is of its key. The caller holds p.mu.
func (p *Pushes) add(pin pushed.Pin, doubled bool) *pinned {
	c := &pinned{Pin: pin, id: engine.ID(tidings.IDOf(pin.Channel)), doubled: doubled, revisions: newRevisions()}
	c.state = c.standing()
	if before := p.channels[c.id]; before != nil {
		c.refused, c.revisions = before.refused, before.revisions
		if before.topic() == c.topic() && c.wanted() && before.wanted() && !doubled {
			c.state = before.state
		}
		p.remove(before)
	}
	p.channels[c.id], p.topics[c.topic()] = c, c
	return c
}

// remove is the opposite of add. The caller holds p.mu.
func (p *Pushes) remove(c *pinned) {
	delete(p.channels, c.id)
	for topic, other := range p.topics {
		if other == c {
			delete(p.topics, topic)
		}
	}
}
