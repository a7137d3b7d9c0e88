package node

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
)

// pinned is a channel that is trusted to a publisher's key. pushes.mu guards it, but for the pin's Channel and
// Pinned, which never change.
type pinned struct {
	store.Pin
	id engine.ID // the channel's

	state   tidings.PushState
	refused int64
	lacking uint64 // up to this number items are missing that nobody has; 0: none
	newest  uint64 // the highest number that is stored
}

func (c *pinned) topic() engine.ID                  { return c.Topic }
func (c *pinned) fingerprint() feedtree.Fingerprint { return c.Fingerprint }

// wanted tells whether its pushes are to be taken.
func (c *pinned) wanted() bool { return !c.Distrusted && c.Revoked.IsZero() && c.Offered == [32]byte{} }

// standing is the state of a channel of which FeedTree has told nothing.
func (c *pinned) standing() tidings.PushState {
	switch {
	case c.Distrusted:
		return tidings.PushDistrusted
	case !c.Revoked.IsZero():
		return tidings.PushRevoked
	case c.Offered != [32]byte{}:
		return tidings.PushAlarm
	}
	return tidings.PushJoining
}

// unreliable tells whether polls have found too much that pushes should have brought: three items at
// least, and a fifth of all.
func (c *pinned) unreliable() bool { return c.Missed >= 3 && 5*c.Missed > c.Pushed+c.Missed }

// told is the state as people are told it. The caller holds pushes.mu.
func (c *pinned) told() tidings.PushState {
	if c.state == tidings.PushGood && c.unreliable() {
		return tidings.PushUnreliable
	}
	return c.state
}

// recall takes in the keys that channels are trusted with.
func (p *pushes) recall(ctx context.Context) error {
	if err := p.recallUnprotected(ctx); err != nil {
		return err
	}
	pins, err := p.node.store.Pins(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pin := range pins {
		p.add(pin)
	}
	return nil
}

// add takes in a pin, in place of one that the channel had. The caller holds p.mu.
func (p *pushes) add(pin store.Pin) *pinned {
	c := &pinned{Pin: pin, id: engine.ID(tidings.IDOf(pin.Channel))}
	c.state = c.standing()
	if before := p.channels[c.id]; before != nil {
		c.refused = before.refused
		if before.topic() == c.topic() && c.wanted() && before.wanted() {
			c.state = before.state
		}
		p.remove(before)
	}
	p.channels[c.id], p.topics[c.topic()] = c, c
	return c
}

// remove is the opposite of add. The caller holds p.mu.
func (p *pushes) remove(c *pinned) {
	delete(p.channels, c.id)
	for topic, other := range p.topics {
		if other == c {
			delete(p.topics, topic)
		}
	}
}

// begin has FeedTree follow what is pinned, once it runs.
func (p *pushes) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.channels {
		p.accordSoon(id)
	}
}

// accordSoon has a worker bring FeedTree, and who polls a channel, in accord with what is wanted of it.
func (p *pushes) accordSoon(id engine.ID) {
	p.node.coop.Work(func(ctx context.Context) {
		if err := p.accord(ctx, id); err != nil && ctx.Err() == nil {
			p.node.log.Error("a channel is not followed by pushes", "channel", id, "error", err)
		}
	})
}

func (p *pushes) accord(ctx context.Context, id engine.ID) error {
	defer p.node.coop.Lock(id)()
	p.mu.Lock()
	c, follows := p.channels[id], p.follows[id]
	var want engine.ID
	var pin store.Pin
	if c != nil && c.wanted() {
		want, pin = c.topic(), c.Pin
	}
	p.mu.Unlock()
	p.node.coop.SetPushed(id, p.isGood(c))
	if want == follows {
		return nil
	}
	if follows != (engine.ID{}) {
		p.inLoop(ctx, func() { p.trees.Unfollow(follows) })
		p.setFollows(id, engine.ID{})
	}
	if want == (engine.ID{}) {
		return nil
	}
	later, err := p.node.store.PushedNumbers(ctx, pin.Channel, pin.Have)
	if err != nil {
		return err
	}
	p.mu.Lock()
	c.newest = max(c.newest, pin.Have, slices.Max(append(later, 0)))
	p.mu.Unlock()
	forgiven, err := p.forgiven(ctx, want)
	if err != nil {
		return err
	}
	p.inLoop(ctx, func() {
		err = p.trees.Follow(feedtree.Following{
			Topic: want, Channel: id, Pin: pin.Fingerprint, Have: pin.Have, Later: later, Silence: pin.Silence, Window: windowOf(pin), Forgiven: forgiven,
		})
	})
	switch {
	case errors.Is(err, feedtree.ErrVoid):
		return p.revoked(ctx, c)
	case err == nil:
		p.setFollows(id, want)
	}
	return err
}

// windowOf returns how far back a channel's items are looked for: whoever was away has what came
// meanwhile, and a new reader what is recent.
func windowOf(pin store.Pin) int {
	if pin.Have == 0 {
		return 0
	}
	return feedtree.MaxWindow
}

// setFollows notes on which topic FeedTree follows a channel; the zero topic: on none.
func (p *pushes) setFollows(id, topic engine.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if topic == (engine.ID{}) {
		delete(p.follows, id)
	} else {
		p.follows[id] = topic
	}
}

// reviewed is called when who follows a channel here has changed, or what others may be told of it.
func (p *pushes) reviewed(ctx context.Context, url string, shared bool) {
	id := engine.ID(tidings.IDOf(url))
	p.mu.Lock()
	c := p.channels[id]
	if c != nil && !shared {
		p.remove(c)
		p.accordSoon(id)
	}
	p.mu.Unlock()
	if c != nil || !shared {
		return
	}
	pin, err := p.node.store.PinOf(ctx, url) // from when it was followed before
	if err != nil {
		if !errors.Is(err, tidings.ErrNotFound) {
			p.node.log.Error("a publisher's key is not known", "channel", url, "error", err)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(pin)
	p.accordSoon(id)
}

// of returns the channel of a topic; nil if it is not pinned.
func (p *pushes) of(topic engine.ID) *pinned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.topics[topic]
}

// announced takes what a document that was just read says of pushes. The first word of a key over a
// connection that nobody can have tampered with is believed; from then on, the key alone can name
// another one.
func (p *pushes) announced(ctx context.Context, w source.Job, d *source.Document) error {
	if d == nil || w.Guest || w.Privacy != tidings.Public || w.User != "" || !w.Options.IsZero() {
		return nil
	}
	believed := d.Secure || p.node.config.LabOrigins
	if err := p.noteUnprotected(ctx, w, d.Announcement != nil && !believed); err != nil || !believed {
		return err
	}
	id := engine.ID(w.ID())
	p.mu.Lock()
	c := p.channels[id]
	p.mu.Unlock()
	a := d.Announcement
	if a != nil && engine.ID(a.Topic) != feedtree.TopicOf(id, a.Fingerprint) {
		p.node.log.Warn("a feed announces pushes on a topic that is not that of its address and key", "channel", w.URL)
		return nil
	}
	switch {
	case a == nil:
		return nil // a key that is trusted stays so: whoever can take it out of the document could put another in later
	case c == nil:
		return p.pin(ctx, store.Pin{
			Channel: w.URL, Topic: a.Topic, Fingerprint: a.Fingerprint, Silence: a.Silence, Pinned: time.Now(),
		})
	}
	return p.compare(ctx, c, a)
}

// compare holds what a document says against the key that is trusted.
func (p *pushes) compare(ctx context.Context, c *pinned, a *feed.Announcement) error {
	p.mu.Lock()
	pin, state := c.Pin, c.state
	p.mu.Unlock()
	for _, text := range a.Revocations {
		var r feedtree.Revocation
		if r.UnmarshalText(inBase64(text)) == nil && r.Key.Fingerprint() == pin.Fingerprint && state != tidings.PushRevoked {
			return p.revoked(ctx, c)
		}
	}
	switch next, ok := succession(pin.Fingerprint, a); {
	case a.Fingerprint == pin.Fingerprint && pin.Offered == [32]byte{} && pin.Silence == a.Silence:
		return nil
	case a.Fingerprint == pin.Fingerprint:
		pin.Offered, pin.OfferedAt, pin.Silence = [32]byte{}, time.Time{}, a.Silence
	case ok && pin.Revoked.IsZero():
		pin.Topic, pin.Fingerprint, pin.Silence = feedtree.TopicOf(c.id, next), next, a.Silence
		pin.Offered, pin.OfferedAt = [32]byte{}, time.Time{}
	case a.Fingerprint == pin.Offered:
		return nil
	default:
		p.node.log.Warn("a feed names another publisher's key, which the trusted one has not signed: it is checked as before, and pushes are not taken",
			"channel", pin.Channel, "trusted", pin.Fingerprint, "named", feedtree.Fingerprint(a.Fingerprint))
		pin.Offered, pin.OfferedAt = a.Fingerprint, time.Now()
	}
	return p.pin(ctx, pin)
}

// succession follows the rotations of an announcement from a key to the one that it names, and tells
// whether they lead there. A key that is void hands over to nobody: who has stolen it could have signed that.
func succession(from feedtree.Fingerprint, a *feed.Announcement) (to feedtree.Fingerprint, ok bool) {
	void := make(map[feedtree.Fingerprint]bool)
	for _, text := range a.Revocations {
		var r feedtree.Revocation
		if r.UnmarshalText(inBase64(text)) == nil {
			void[r.Key.Fingerprint()] = true
		}
	}
	for range a.Rotations {
		for _, text := range a.Rotations {
			var r feedtree.Rotation
			if r.UnmarshalText(inBase64(text)) == nil && r.Old.Fingerprint() == from && !void[from] {
				from = r.New.Fingerprint()
				break
			}
		}
		if from == a.Fingerprint {
			return from, true
		}
	}
	return from, false
}

// inBase64 returns a statement as feedtree reads it.
func inBase64(statement []byte) []byte { return base64.StdEncoding.AppendEncode(nil, statement) }

// pin trusts a channel to a key, or notes what has become of the one that it is trusted to.
func (p *pushes) pin(ctx context.Context, pin store.Pin) error {
	if err := p.node.store.SetPin(ctx, pin); err != nil {
		return err
	}
	now, err := p.node.store.PinOf(ctx, pin.Channel)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accordSoon(p.add(now).id)
	return nil
}

// revoked notes that a channel's key is void.
func (p *pushes) revoked(ctx context.Context, c *pinned) error {
	p.mu.Lock()
	pin := c.Pin
	p.mu.Unlock()
	p.node.log.Warn("a publisher's key was declared void: its feed is checked as before", "channel", pin.Channel)
	pin.Revoked = time.Now()
	return p.pin(ctx, pin)
}

// Trust trusts a channel to the key that its document names, in place of the one that it is trusted to;
// fingerprint must be that key's, or the trusted one's, to take its pushes again, or to rely on it again although it
// has signed two items for one number. Errors: tidings.ErrNotFound if no key is known, tidings.ErrInvalid if the
// fingerprint is another, or that of a key that was declared void.
func (n *Node) Trust(ctx context.Context, url, fingerprint string) error {
	c, f, err := n.pinOf(url, fingerprint)
	if err != nil {
		return err
	}
	switch [32]byte(f) {
	case c.Offered:
		if err := n.store.Unpin(ctx, url); err != nil { // its numbers are its own, and may begin at 1
			return err
		}
		c = store.Pin{Channel: url, Topic: feedtree.TopicOf(engine.ID(tidings.IDOf(url)), f), Fingerprint: f, Silence: c.Silence, Pinned: time.Now()}
	case c.Fingerprint:
		if !c.Revoked.IsZero() {
			return tidings.Invalidf("that key was declared void with its own signature, which nobody can take back: a new key can be trusted once the feed names one")
		}
	default:
		return tidings.Invalidf("the fingerprint is neither that of the trusted key nor that of the key that the feed names now")
	}
	c.Offered, c.OfferedAt, c.Distrusted = [32]byte{}, time.Time{}, false
	if err := n.pushes.pin(ctx, c); err != nil {
		return err
	}
	return n.pushes.forgive(ctx, engine.ID(tidings.IDOf(url)))
}

// Distrust takes no pushes of a channel's publisher any more. Errors: tidings.ErrNotFound.
func (n *Node) Distrust(ctx context.Context, url string) error {
	c, _, err := n.pinOf(url, "")
	if err != nil {
		return err
	}
	c.Distrusted = true
	return n.pushes.pin(ctx, c)
}

func (n *Node) pinOf(url, fingerprint string) (pin store.Pin, f feedtree.Fingerprint, err error) {
	if fingerprint != "" {
		if f, err = feedtree.ParseFingerprint(fingerprint); err != nil {
			return pin, f, tidings.Invalidf("%v", err)
		}
	}
	if n.pushes == nil {
		return pin, f, tidings.Invalidf("this node works alone, without pushes")
	}
	n.pushes.mu.Lock()
	defer n.pushes.mu.Unlock()
	c := n.pushes.channels[engine.ID(tidings.IDOf(url))]
	if c == nil {
		return pin, f, tidings.ErrNotFound
	}
	return c.Pin, f, nil
}
