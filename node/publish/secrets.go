package publish

import (
	"cmp"
	"crypto/ed25519"
	"fmt"
	"sync"

	"tidings/network/feedtree"
	"tidings/node/keyring"
)

// secrets opens the keys that publications are signed with, by passphrases that it remembers nowhere but here.
type secrets struct {
	keys  *keyring.Keyring
	usual string // passphrase for keys for which no other was given

	mu          sync.Mutex
	passphrases map[string]string             // by a key's name
	opened      map[feedtree.Fingerprint]bool // keys to which those belong
}

func newSecrets(keys *keyring.Keyring, usual string) *secrets {
	return &secrets{keys: keys, usual: usual, passphrases: make(map[string]string),
		opened: make(map[feedtree.Fingerprint]bool)}
}

// unlock picks a key and remembers the passphrase that was given for it, if that is right.
func (s *secrets) unlock(name, passphrase string) (keyring.Key, error) {
	key, err := s.keys.Pick(name)
	if err != nil {
		return key, err
	}
	if key.Revoked {
		return key, fmt.Errorf("key %s: %w", key.Name, keyring.ErrRevoked)
	}
	s.mu.Lock()
	opened := passphrase == "" && s.opened[key.Fingerprint]
	s.mu.Unlock()
	if opened || !key.Encrypted {
		return key, nil
	}
	if passphrase == "" {
		passphrase = s.passphrase(key.Name)
	}
	if _, err := s.keys.Unlock(key.Name, passphrase); err != nil { // it takes a tenth of a second
		return key, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passphrases[key.Name], s.opened[key.Fingerprint] = passphrase, true
	return key, nil
}

// private returns a private key, by what is remembered.
func (s *secrets) private(name string) (ed25519.PrivateKey, error) {
	return s.keys.Unlock(name, s.passphrase(name))
}

func (s *secrets) passphrase(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.passphrases[name], s.usual)
}
