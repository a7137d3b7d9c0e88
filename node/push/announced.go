package push

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store/pushed"
)

// Announced notes what a document that was just read says of pushes. The first word of a key is believed if the
// connection is safe from tampering. From then on, only the key can name another one.
func (p *Pushes) Announced(ctx context.Context, w source.Job, d *source.Document) error {
	if d == nil || w.Guest || w.Privacy != tidings.Public || !w.Access.IsZero() || !w.Options.IsZero() {
		return nil
	}
	believed := d.Secure || p.config.Lab
	if err := p.unprotected.note(ctx, w, d.Announcement != nil && !believed); err != nil || !believed {
		return err
	}
	id := engine.ID(w.ID())
	p.mu.Lock()
	c := p.channels[id]
	p.mu.Unlock()
	a := d.Announcement
	if a != nil && engine.ID(a.Topic) != feedtree.TopicOf(id, a.Fingerprint) {
		p.config.Log.Warn("a feed announces pushes on a topic that is not that of its address and key", "channel",
			w.URL)
		return nil
	}
	switch {
	case a == nil:
		return nil // trusted still: an attacker could remove it, and name another later
	case c == nil:
		return p.pin(ctx, pushed.Pin{
			Channel: w.URL, Topic: a.Topic, Fingerprint: a.Fingerprint, Silence: a.Silence, Pinned: time.Now(),
		})
	}
	return p.compare(ctx, c, a)
}

// Names reports whether the feed at an address names a key. If this node does not know, it asks the feed's server.
func (p *Pushes) Names(ctx context.Context, url string, f feedtree.Fingerprint) (bool, error) {
	if pin, known := p.pinOf(url); known && !pin.ThirdParty {
		return pin.Fingerprint == f && pin.Revoked.IsZero() && pin.Offered == [32]byte{} && !pin.Distrusted, nil
	}
	res, err := p.host.Fetch(ctx, fetch.Request{URL: url})
	if err != nil {
		return false, err
	}
	document, err := source.Parse(res.Body, res.Header.Get("Content-Type"), res.URL, p.config.Feed)
	if err != nil {
		return false, err
	}
	a, secure := document.Announcement, isTLS(url) && isTLS(res.URL)
	return a != nil && (secure || p.config.Lab) && a.Fingerprint == f &&
		engine.ID(a.Topic) == feedtree.TopicOf(engine.ID(tidings.IDOf(url)), f), nil
}

func isTLS(url string) bool { return strings.HasPrefix(url, "https://") }

// compare holds what a document says against the key that is trusted.
func (p *Pushes) compare(ctx context.Context, c *pinned, a *feed.Announcement) error {
	p.mu.Lock()
	pin, state := c.Pin, c.state
	p.mu.Unlock()
	for _, text := range a.Revocations {
		var r feedtree.Revocation
		if r.UnmarshalText(inBase64(text)) == nil && r.Key.Fingerprint() == pin.Fingerprint &&
			state != tidings.PushRevoked {
			return p.revoked(ctx, c)
		}
	}
	switch next, ok := succession(pin.Fingerprint, a); {
	case a.Fingerprint == pin.Fingerprint && pin.Offered == [32]byte{} && pin.Silence == a.Silence && !pin.ThirdParty:
		return nil
	case a.Fingerprint == pin.Fingerprint:
		pin.Offered, pin.OfferedAt, pin.Silence, pin.ThirdParty = [32]byte{}, time.Time{}, a.Silence, false
	case ok && pin.Revoked.IsZero():
		pin.Topic, pin.Fingerprint, pin.Silence, pin.ThirdParty = feedtree.TopicOf(c.id, next), next, a.Silence, false
		pin.Offered, pin.OfferedAt = [32]byte{}, time.Time{}
	case pin.ThirdParty && pin.Offered == [32]byte{}:
		return p.replace(ctx, pin, a)
	case a.Fingerprint == pin.Offered:
		return nil
	default:
		p.config.Log.Warn(
			"a feed names another publisher's key, which the trusted one has not signed: it is checked as before, and not pushed by that key",
			"channel", pin.Channel, "trusted", feedtree.Fingerprint(pin.Fingerprint), "named",
			feedtree.Fingerprint(a.Fingerprint))
		pin.Offered, pin.OfferedAt = a.Fingerprint, time.Now()
	}
	return p.pin(ctx, pin)
}

// replace replaces a third party's key by the one that a document names: it named none when a person trusted that.
func (p *Pushes) replace(ctx context.Context, third pushed.Pin, a *feed.Announcement) error {
	p.config.Log.Warn("a feed has come to name its publisher's key, which takes the place of a third party's",
		"channel", third.Channel, "third_party", feedtree.Fingerprint(third.Fingerprint), "named",
		feedtree.Fingerprint(a.Fingerprint))
	own := pushed.Pin{Channel: third.Channel, Topic: a.Topic, Fingerprint: a.Fingerprint, Silence: a.Silence,
		Pinned: time.Now()}
	if !third.Distrusted {
		own.Replaced = third.Fingerprint
	}
	if err := p.config.Pushed.Unpin(ctx, third.Channel); err != nil { // its numbers are its own
		return err
	}
	return p.pin(ctx, own)
}

// succession follows the rotations of an announcement from a key to the one that it names. ok reports whether they lead
// there. A void key hands over to none: its thief could have signed that.
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
func (p *Pushes) pin(ctx context.Context, pin pushed.Pin) error {
	if err := p.config.Pushed.SetPin(ctx, pin); err != nil {
		return err
	}
	now, err := p.config.Pushed.PinOf(ctx, pin.Channel)
	if err != nil {
		return err
	}
	doubled, err := p.isDoubled(ctx, now.Topic)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enqueue(p.add(now, doubled).id)
	return nil
}

// revoked notes that a channel's key is void.
func (p *Pushes) revoked(ctx context.Context, c *pinned) error {
	p.mu.Lock()
	pin := c.Pin
	p.mu.Unlock()
	p.config.Log.Warn("a publisher's key was declared void: its feed is checked as before", "channel", pin.Channel)
	pin.Revoked = time.Now()
	return p.pin(ctx, pin)
}
