package push

import (
	"context"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store"
)

// Trust trusts a channel to the key that its document names, in place of the one that it is trusted to;
// fingerprint must be that key's, or the trusted one's, to take its pushes again, or to rely on it again although it
// has signed two items for one number. Errors: tidings.ErrNotFound if no key is known, tidings.ErrInvalid if the
// fingerprint is another, or that of a key that was declared void.
func (p *Pushes) Trust(ctx context.Context, url, fingerprint string) error {
	c, f, err := p.pinOf(url, fingerprint)
	if err != nil {
		return err
	}
	switch [32]byte(f) {
	case c.Offered:
		if err := p.config.Store.Unpin(ctx, url); err != nil { // its numbers are its own, and may begin at 1
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
	if err := p.pin(ctx, c); err != nil {
		return err
	}
	return p.forgive(ctx, engine.ID(tidings.IDOf(url)))
}

// Distrust takes no pushes of a channel's publisher any more. Errors: tidings.ErrNotFound.
func (p *Pushes) Distrust(ctx context.Context, url string) error {
	c, _, err := p.pinOf(url, "")
	if err != nil {
		return err
	}
	c.Distrusted = true
	return p.pin(ctx, c)
}

func (p *Pushes) pinOf(url, fingerprint string) (pin store.Pin, f feedtree.Fingerprint, err error) {
	if fingerprint != "" {
		if f, err = feedtree.ParseFingerprint(fingerprint); err != nil {
			return pin, f, tidings.Invalidf("%v", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.channels[engine.ID(tidings.IDOf(url))]
	if c == nil {
		return pin, f, tidings.ErrNotFound
	}
	return c.Pin, f, nil
}

// Alone is a node that works alone, without pushes: there is no key to decide about.
type Alone struct{}

var errAlone = tidings.Invalidf("this node works alone, without pushes")

// Trust returns tidings.ErrInvalid, as Distrust does.
func (Alone) Trust(context.Context, string, string) error { return errAlone }

// Distrust is described with Trust.
func (Alone) Distrust(context.Context, string) error { return errAlone }
