package node

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
)

// keyEvery is how often the publisher looks whether keys were rotated or revoked.
const keyEvery = 2 * time.Second

// unlock picks a key and remembers the passphrase that was given for it, if that is right.
func (p *publisher) unlock(name, passphrase string) (keyring.Key, error) {
	key, err := p.keys.Pick(name)
	if err != nil {
		return key, err
	}
	if key.Revoked {
		return key, fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked)
	}
	p.secrets.Lock()
	opened := passphrase == "" && p.opened[key.Fingerprint]
	p.secrets.Unlock()
	if opened || !key.Encrypted {
		return key, nil
	}
	if passphrase == "" {
		passphrase = p.passphrase(key.Name)
	}
	if _, err := p.keys.Unlock(key.Name, passphrase); err != nil { // it takes a tenth of a second
		return key, err
	}
	p.secrets.Lock()
	defer p.secrets.Unlock()
	p.passphrases[key.Name], p.opened[key.Fingerprint] = passphrase, true
	return key, nil
}

// passphrase returns the one that was given for a key, or else the node's for all keys.
func (p *publisher) passphrase(name string) string {
	p.secrets.Lock()
	defer p.secrets.Unlock()
	return cmp.Or(p.passphrases[name], p.node.config.Passphrase)
}

// signer returns the key that signs now, or why nothing can be signed.
func (c *publication) signer() (private ed25519.PrivateKey, err error) {
	c.mu.Lock()
	private, wrong := c.private, c.wrong
	c.mu.Unlock()
	if private != nil && wrong == "" {
		return private, nil
	}
	p := c.publisher
	key, err := p.keys.Get(c.name.key)
	switch {
	case err != nil:
	case key.Revoked:
		err = fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked)
	default:
		private, err = p.keys.Unlock(c.name.key, p.passphrase(c.name.key))
	}
	if err == nil && feedtree.TopicOf(c.topic, feedtree.KeyOf(private).Fingerprint()) != c.topic {
		err = fmt.Errorf("key %s is another now", c.name.key)
	}
	c.noteTrouble(&c.wrong, err)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.private = private
	return private, nil
}

// watchKeys goes over to other keys as they are put in the place of old ones, and ends what is published with
// revoked ones, until ctx ends.
func (p *publisher) watchKeys(ctx context.Context) {
	seen := make(map[string]time.Time)
	every := time.NewTicker(keyEvery)
	defer every.Stop()
	for {
		p.mu.Lock()
		all := p.sorted()
		p.mu.Unlock()
		changed := make(map[string]bool)
		for _, c := range all {
			name := c.name.key
			if info, err := os.Stat(p.keys.File(name)); err == nil && !info.ModTime().Equal(seen[name]) {
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

// checkKeys takes in at once what has become of a key.
func (p *publisher) checkKeys(ctx context.Context, name string) {
	p.mu.Lock()
	all := p.sorted()
	p.mu.Unlock()
	for _, c := range all {
		if c.name.key == name {
			p.checkKey(ctx, c)
		}
	}
}

// checkKey takes in what has become of a publication's key.
func (p *publisher) checkKey(ctx context.Context, c *publication) {
	key, err := p.keys.Get(c.name.key)
	switch {
	case err != nil:
		c.noteTrouble(&c.wrong, err)
	case key.Revoked:
		p.revoked(ctx, c, key)
	case feedtree.TopicOf(c.topic, key.Fingerprint) != c.topic:
		p.rotated(ctx, c, key)
	default:
		_, _ = c.signer() // what is wrong is noted
	}
}

// rotated has readers told of the new key, and goes on with that.
func (p *publisher) rotated(ctx context.Context, c *publication, key keyring.Key) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	private, err := p.keys.Unlock(key.Name, p.passphrase(key.Name))
	if err != nil {
		c.noteTrouble(&c.wrong, err)
		return
	}
	p.node.pushes.author(ctx, c)
	for _, word := range key.Rotations {
		r := new(feedtree.Rotation)
		if err := r.UnmarshalText([]byte(word)); err != nil {
			c.noteTrouble(&c.wrong, err)
			return
		}
		if feedtree.TopicOf(c.topic, r.Old.Fingerprint()) == c.topic {
			p.tell(ctx, c, r)
		}
	}
	kept, err := p.node.store.Publication(ctx, c.name.channel, c.name.key)
	if err == nil && kept.Stopped.IsZero() {
		next := p.publicationOf(c.name.channel, key, kept.Silence)
		next.Watched, next.Contents = kept.Watched, kept.Contents
		if err = c.signAnew(ctx, next.Topic, private); err == nil {
			kept, err = p.node.store.Publish(ctx, next)
		}
	}
	if err != nil {
		c.noteTrouble(&c.wrong, err)
		return
	}
	p.node.log.Info("a publication goes on with another key", "channel", c.name.channel, "key", key.Name, "fingerprint", key.Fingerprint)
	p.goOver(c, func() { p.take(kept) })
}

// signAnew has the items that no other node has signed with another key, for its topic.
func (c *publication) signAnew(ctx context.Context, topic engine.ID, private ed25519.PrivateKey) error {
	s := c.publisher.node.store
	unsent, err := s.Unsent(ctx, c.name.channel, c.name.key, maxUnsent)
	if err != nil || len(unsent) == 0 {
		return err
	}
	for i := range unsent {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(unsent[i].Item); err != nil {
			return err
		}
		if unsent[i], err = sign(item, topic, private); err != nil {
			return err
		}
	}
	return s.Resign(ctx, c.name.channel, c.name.key, unsent)
}

// maxUnsent is how many items that no other node has are signed anew at once.
const maxUnsent = 1 << 20

// goOver puts another publication into one's place, and keeps the old topic for a while: readers hear there
// where to go.
func (p *publisher) goOver(c *publication, take func()) {
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	p.mu.Lock()
	c.stop()
	delete(p.active, c.name)
	delete(p.byTopic, c.topic)
	p.mu.Unlock()
	take()
	p.running.Go(func() {
		select {
		case <-time.After(feedtree.Default().Linger):
			p.node.pushes.unauthor(c.topic, nil)
		case <-p.run.Done():
		}
	})
}

// revoked has readers told that the key is void, and ends the publication.
func (p *publisher) revoked(ctx context.Context, c *publication, key keyring.Key) {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	c.noteTrouble(&c.wrong, fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked))
	p.node.pushes.author(ctx, c)
	for _, word := range key.Revocations {
		r := new(feedtree.Revocation)
		if err := r.UnmarshalText([]byte(word)); err != nil {
			continue // it cannot be: the file was checked
		}
		if feedtree.TopicOf(c.topic, r.Key.Fingerprint()) == c.topic {
			p.tell(ctx, c, r)
		}
	}
}

// tell says a word on a publication's topic.
func (p *publisher) tell(ctx context.Context, c *publication, word engine.Message) {
	var err error
	p.node.pushes.inLoop(ctx, func() { err = p.node.pushes.trees.Publish(c.topic, word) })
	if err != nil && !errors.Is(err, context.Canceled) {
		p.node.log.Warn("readers were not told of a key's change", "channel", c.name.channel, "error", err)
	}
}
