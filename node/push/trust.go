package push

import (
	"context"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store/pushed"
)

// Trust trusts a channel to the key that its document names, in place of the one that it is trusted to. With the
// trusted key's fingerprint, it accepts its pushes again, or relies on it again although it has signed two items for
// one number. Any other key is a third party's, and is trusted if thirdParty says that this is meant. Errors:
// tidings.ErrNotFollowed; or tidings.ErrInvalid, with a hint. The latter is for a third party's key without thirdParty,
// a void key, or a channel that cannot be pushed.
func (p *Pushes) Trust(ctx context.Context, url, fingerprint string, thirdParty bool) error {
	f, err := feedtree.ParseFingerprint(fingerprint)
	if err != nil {
		return tidings.Invalidf("%v", err)
	}
	defer p.host.Lock(engine.ID(tidings.IDOf(url)))()
	c, known := p.pinOf(url)
	if !known {
		c = pushed.Pin{Channel: url}
		if err := p.mayBePushed(ctx, url); err != nil {
			return err
		}
	}
	switch fingerprint := [32]byte(f); {
	case known && fingerprint == c.Offered && c.Offered != [32]byte{}:
		if c, err = p.another(ctx, c, f); err != nil {
			return err
		}
	case known && fingerprint == c.Fingerprint:
		if !c.Revoked.IsZero() {
			return tidings.Invalidf(
				"that key was declared void with its own signature, which nobody can take back: a new key can be trusted once the feed names one")
		}
		if !c.ThirdParty {
			c.Offered, c.OfferedAt = [32]byte{}, time.Time{}
		}
		c.Distrusted, c.Replaced = false, [32]byte{}
	case !thirdParty:
		return notNamed(c, f)
	default:
		named, since := c.Offered, c.OfferedAt
		if named == [32]byte{} && known && !c.ThirdParty {
			named, since = c.Fingerprint, c.Pinned
		}
		if c, err = p.another(ctx, c, f); err != nil {
			return err
		}
		c.ThirdParty, c.Silence, c.Offered, c.OfferedAt = true, thirdPartySilence, named, since
	}
	if err := p.pin(ctx, c); err != nil {
		return err
	}
	return p.forgive(ctx, engine.ID(tidings.IDOf(url)))
}

// another forgets the key that a channel is trusted to, if there is one, and returns a pin of another one. Its numbers
// are its own, and may begin at 1.
func (p *Pushes) another(ctx context.Context, was pushed.Pin, f feedtree.Fingerprint) (pushed.Pin, error) {
	if err := p.config.Pushed.Unpin(ctx, was.Channel); err != nil {
		return pushed.Pin{}, err
	}
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(was.Channel)), f)
	return pushed.Pin{Channel: was.Channel, Topic: topic, Fingerprint: f, Silence: was.Silence, Pinned: time.Now()}, nil
}

// notNamed says that a key is a third party's.
func notNamed(c pushed.Pin, f feedtree.Fingerprint) error {
	why := "the fingerprint is neither that of the trusted key nor that of the key that the feed names now"
	if c.Fingerprint == ([32]byte{}) {
		why = "the feed names no publisher's key that this node has read of, so that this is the key of a third party"
	}
	return tidings.WithHint(tidings.Invalidf("%s", why), "to take what a third party signs with it: tidings trust "+
		c.Channel+" "+f.String()+" --third-party")
}

// mayBePushed returns why a channel cannot be pushed; nil if it can.
func (p *Pushes) mayBePushed(ctx context.Context, url string) error {
	const noFeed = "that is no feed, and only what is new in a feed can be pushed"
	if !tidings.KindOf(url).HasOrigin() {
		return tidings.Invalidf(noFeed)
	}
	w, err := p.config.Content.Watch(ctx, url)
	switch {
	case err != nil:
		return err
	case w.Kind == tidings.KindPage:
		return tidings.Invalidf(noFeed)
	case w.Privacy != tidings.Public, !w.Access.IsZero(), !w.Options.IsZero():
		return tidings.Invalidf("that is no public feed, and no other is named to other nodes")
	}
	return nil
}

// Distrust accepts no more pushes of a channel's publisher. Errors: tidings.ErrNotFound.
func (p *Pushes) Distrust(ctx context.Context, url string) error {
	c, known := p.pinOf(url)
	if !known {
		return tidings.ErrNotFound
	}
	c.Distrusted = true
	return p.pin(ctx, c)
}

func (p *Pushes) pinOf(url string) (pin pushed.Pin, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.channels[engine.ID(tidings.IDOf(url))]
	if c == nil {
		return pushed.Pin{}, false
	}
	return c.Pin, true
}

// Alone is a node that works alone, without pushes: there is no key to decide about.
type Alone struct{}

var errAlone = tidings.Invalidf("this node works alone, without pushes")

// Trust returns tidings.ErrInvalid, as Distrust does.
func (Alone) Trust(context.Context, string, string, bool) error { return errAlone }

// Distrust is described with Trust.
func (Alone) Distrust(context.Context, string) error { return errAlone }
