package publish

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
)

// keyEvery is how often it is checked whether keys were rotated or revoked.
const keyEvery = 2 * time.Second

// watchKeys changes to new keys as they replace old ones, and ends what is published with revoked ones, until ctx ends.
func (p *Publisher) watchKeys(ctx context.Context) {
	seen := make(map[string]time.Time)
	every := time.NewTicker(keyEvery)
	defer every.Stop()
	for {
		all := p.all()
		changed := make(map[string]bool)
		for _, c := range all {
			name := c.name.key
			if info, err := os.Stat(p.config.Keys.File(name)); err == nil && !info.ModTime().Equal(seen[name]) {
				seen[name], changed[name] = info.ModTime(), true
			}
		}
		for _, c := range all {
			if changed[c.name.key] {
				p.checkKey(ctx, c)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// checkKeys applies a change of a key at once.
func (p *Publisher) checkKeys(ctx context.Context, name string) {
	for _, c := range p.all() {
		if c.name.key == name {
			p.checkKey(ctx, c)
		}
	}
}

// checkKey applies a change of a publication's key.
func (p *Publisher) checkKey(ctx context.Context, c *publication) {
	key, err := p.config.Keys.Get(c.name.key)
	switch {
	case err != nil:
		c.note(&c.wrong, err)
	case key.Revoked:
		p.revoked(ctx, c, key)
	case feedtree.TopicOf(c.topic, key.Fingerprint) != c.topic:
		p.rotated(ctx, c, key)
	default:
		_, _ = c.sign() // what is wrong is noted
	}
}

// rotated announces the new key to readers, and goes on with it.
func (p *Publisher) rotated(ctx context.Context, c *publication, key keyring.Key) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	private, err := p.secrets.private(key.Name)
	if err != nil {
		c.note(&c.wrong, err)
		return
	}
	p.speaker.author(ctx, c)
	for _, word := range key.Rotations {
		r := new(feedtree.Rotation)
		if err := r.UnmarshalText([]byte(word)); err != nil {
			c.note(&c.wrong, err)
			return
		}
		if feedtree.TopicOf(c.topic, r.Old.Fingerprint()) == c.topic {
			p.speaker.announce(ctx, c, r)
		}
	}
	kept, err := p.store.Publication(ctx, c.name.channel, c.name.key)
	if err == nil && kept.Stopped.IsZero() {
		next := publicationOf(c.name.channel, key, kept.Silence)
		next.Watched, next.Contents, next.ThirdParty = kept.Watched, kept.Contents, kept.ThirdParty
		if err = c.signAnew(ctx, next.Topic, private); err == nil {
			kept, err = p.store.Publish(ctx, next)
		}
	}
	if err != nil {
		c.note(&c.wrong, err)
		return
	}
	p.log.Info("a publication goes on with another key", "channel", c.name.channel, "key", key.Name, "fingerprint",
		key.Fingerprint)
	p.goOver(c, kept)
}

// signAnew has the items that no other node has signed with another key, for its topic.
func (c *publication) signAnew(ctx context.Context, topic engine.ID, private ed25519.PrivateKey) error {
	s := c.publisher.store
	unsent, err := s.Unsent(ctx, c.name.channel, c.name.key, maxUnsent)
	if err != nil || len(unsent) == 0 {
		return err
	}
	for i := range unsent {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(unsent[i].Signed); err != nil {
			return err
		}
		if unsent[i], err = signed(item, topic, private); err != nil {
			return err
		}
	}
	return s.Resign(ctx, c.name.channel, c.name.key, unsent)
}

// revoked announces to readers that the key is void, and ends the publication.
func (p *Publisher) revoked(ctx context.Context, c *publication, key keyring.Key) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	c.note(&c.wrong, fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked))
	p.speaker.author(ctx, c)
	for _, word := range key.Revocations {
		r := new(feedtree.Revocation)
		if err := r.UnmarshalText([]byte(word)); err != nil {
			continue // it cannot be: the file was checked
		}
		if feedtree.TopicOf(c.topic, r.Key.Fingerprint()) == c.topic {
			p.speaker.announce(ctx, c, r)
		}
	}
}
