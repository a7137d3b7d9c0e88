package publish

import (
	"crypto/ed25519"
	"fmt"
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/store"
)

// signer has the private key of a publication.
type signer struct {
	secrets *secrets
	key     string // its name
	topic   engine.ID

	mu       sync.Mutex
	private  ed25519.PrivateKey // nil: the key is locked, or not read so far
	replaced bool               // another publication has taken this one's place, with another key
}

// known returns the private key if it was read before; else nil.
func (s *signer) known() ed25519.PrivateKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.private
}

// read reads the private key, or returns why it cannot sign for the topic.
func (s *signer) read() (ed25519.PrivateKey, error) {
	key, err := s.secrets.keys.Get(s.key)
	if err != nil {
		return nil, err
	}
	if key.Revoked {
		return nil, fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked)
	}
	private, err := s.secrets.private(s.key)
	if err != nil {
		return nil, err
	}
	if feedtree.TopicOf(s.topic, feedtree.KeyOf(private).Fingerprint()) != s.topic {
		return nil, fmt.Errorf("key %s is another now", s.key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private = private
	return private, nil
}

func (s *signer) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replaced = true
}

func (s *signer) wasReplaced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaced
}

// signed signs an item, and checks what was signed as readers will.
func signed(item *feedtree.Item, topic engine.ID, private ed25519.PrivateKey) (store.PublishedItem, error) {
	item.Sign(topic, private)
	if err := item.Verify(topic, time.UnixMilli(item.Time), time.Second); err != nil {
		return store.PublishedItem{}, fmt.Errorf("item %d was signed in vain: %w", item.Number, err)
	}
	b, err := item.MarshalBinary()
	return store.PublishedItem{Number: item.Number, Topic: topic, Item: b, Withdraws: item.Withdraws()}, err
}
