// Package keyring keeps the keys with which publishers, and authorities over zones, sign. The folder keys of a data
// directory has one file for each, which its owner alone can read. That is the owner of the data directory, also of
// what root makes.
package keyring

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tidings/network/feedtree"
	"tidings/node/wholefile"
)

// Keyring is the keys of a data directory. They can be used while a node runs there and while none does.
type Keyring struct{ dir string }

// In returns the keyring of a data directory. It touches nothing.
func In(data string) *Keyring { return &Keyring{filepath.Join(data, "keys")} }

// Key is a key as everybody may know it.
type Key struct {
	Name        string               `json:"name"`
	Fingerprint feedtree.Fingerprint `json:"fingerprint"`
	Made        time.Time            `json:"made"`      // the one in use
	Encrypted   bool                 `json:"encrypted"` // a passphrase is needed to sign
	// Rotations lead from the first key to the one in use, as text.
	Rotations []string `json:"rotations,omitempty"`
	// Revocations are of the key in use, and of former ones, as text.
	Revocations []string `json:"revocations,omitempty"`
	Revoked     bool     `json:"revoked,omitempty"` // what the key in use signs is accepted nowhere

	key feedtree.Key
}

// Errors of keyrings. They are wrapped with the key's name.
var (
	ErrNoKey      = errors.New("there is no such key")
	ErrExists     = errors.New("there is such a key already")
	ErrLocked     = errors.New("the key needs its passphrase")
	ErrPassphrase = errors.New("that is not its passphrase")
	ErrRevoked    = errors.New("the key was revoked")
	ErrName       = errors.New("a key's name has small letters, digits, dots and dashes, at most 64, and begins with a letter or digit")
	ErrAmbiguous  = errors.New("there are several keys")
	ErrFile       = errors.New("no file with a publisher's key")
	ErrRotations  = errors.New("it was changed as often as a feed can tell")
)

var keyName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

const keySuffix = ".key"

func (k *Keyring) file(name string) (string, error) {
	if !keyName.MatchString(name) {
		return "", fmt.Errorf("key %q: %w", name, ErrName)
	}
	return filepath.Join(k.dir, name+keySuffix), nil
}

// File returns where the key of a name is, or would be.
func (k *Keyring) File(name string) string { return filepath.Join(k.dir, name+keySuffix) }

// Files returns the files of all keys.
func (k *Keyring) Files() []string {
	files, _ := filepath.Glob(filepath.Join(k.dir, "*"+keySuffix)) // a directory that cannot be read has none
	return files
}

// New makes a key. With a passphrase, its private half is encrypted with that.
func (k *Keyring) New(name, passphrase string) (Key, error) {
	file, err := k.file(name)
	if err != nil {
		return Key{}, err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("making key %s: %w", name, err)
	}
	f := keyContent{made: time.Now().UTC().Truncate(time.Second)}
	if err := f.set(private, passphrase); err != nil {
		return Key{}, fmt.Errorf("making key %s: %w", name, err)
	}
	if err := wholefile.MakeDir(k.dir); err != nil {
		return Key{}, fmt.Errorf("making key %s: %w", name, err)
	}
	if err := wholefile.Create(file, f.encode()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = ErrExists
		}
		return Key{}, fmt.Errorf("key %s: %w", name, err)
	}
	return f.public(name), nil
}

// List returns all keys, by name.
func (k *Keyring) List() ([]Key, error) {
	entries, err := os.ReadDir(k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing keys: %w", err)
	}
	var all []Key
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), keySuffix)
		if !ok || !keyName.MatchString(name) {
			continue
		}
		key, err := k.Get(name)
		if err != nil {
			return nil, err
		}
		all = append(all, key)
	}
	return all, nil
}

// Get returns what everybody may know of a key.
func (k *Keyring) Get(name string) (Key, error) {
	f, err := k.read(name)
	if err != nil {
		return Key{}, err
	}
	return f.public(name), nil
}

// Unlock returns the private key. One that is not encrypted needs no passphrase.
func (k *Keyring) Unlock(name, passphrase string) (ed25519.PrivateKey, error) {
	f, err := k.read(name)
	if err != nil {
		return nil, err
	}
	private, err := f.unlock(passphrase)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", name, err)
	}
	return private, nil
}

// Rotate puts a new key into an old one's place, and keeps the old one's word for it. The old private key
// is gone then. The new one has the old one's passphrase.
func (k *Keyring) Rotate(name, passphrase string) (Key, error) {
	return k.change(name, passphrase, func(f *keyContent, old ed25519.PrivateKey) error {
		if f.revoked() {
			return ErrRevoked
		}
		if len(f.rotations) >= maxKeyChanges {
			return ErrRotations
		}
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		r := feedtree.Rotation{New: feedtree.KeyOf(private), Time: time.Now().UnixMilli()}
		r.Sign(old)
		f.rotations = append(f.rotations, r)
		f.made = time.Now().UTC().Truncate(time.Second)
		if !f.encrypted() {
			passphrase = ""
		}
		return f.set(private, passphrase)
	})
}

// Revoke has a key declare itself void, and keeps its word for that. The key stays, so that the revocation can be
// announced. It cannot be undone.
func (k *Keyring) Revoke(name, passphrase string) (Key, error) {
	return k.change(name, passphrase, func(f *keyContent, private ed25519.PrivateKey) error {
		if f.revoked() {
			return ErrRevoked
		}
		r := feedtree.Revocation{Time: time.Now().UnixMilli()}
		r.Sign(private)
		f.revocations = append(f.revocations, r)
		return nil
	})
}

// change reads a key, has it changed, and writes it whole.
func (k *Keyring) change(name, passphrase string, change func(*keyContent, ed25519.PrivateKey) error) (Key, error) {
	f, err := k.read(name)
	if err != nil {
		return Key{}, err
	}
	private, err := f.unlock(passphrase)
	if err != nil {
		return Key{}, fmt.Errorf("key %s: %w", name, err)
	}
	if err := change(&f, private); err != nil {
		return Key{}, fmt.Errorf("key %s: %w", name, err)
	}
	file, err := k.file(name)
	if err != nil {
		return Key{}, err
	}
	if err := wholefile.MakeDir(k.dir); err != nil { // root may have made it for another than its owner
		return Key{}, fmt.Errorf("writing key %s: %w", name, err)
	}
	if err := wholefile.Write(file, f.encode()); err != nil {
		return Key{}, fmt.Errorf("writing key %s: %w", name, err)
	}
	return f.public(name), nil
}

func (k *Keyring) read(name string) (keyContent, error) {
	file, err := k.file(name)
	if err != nil {
		return keyContent{}, err
	}
	text, err := wholefile.Read(file, maxKeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return keyContent{}, fmt.Errorf("key %s: %w", name, ErrNoKey)
	}
	if err != nil {
		return keyContent{}, fmt.Errorf("reading key %s: %w", name, err)
	}
	f, err := decodeKey(text)
	if err != nil {
		return keyContent{}, fmt.Errorf("reading key %s: %w", file, err)
	}
	return f, nil
}

// Pick returns the key of a name; without a name the only one there is.
func (k *Keyring) Pick(name string) (Key, error) {
	if name != "" {
		return k.Get(name)
	}
	all, err := k.List()
	if err != nil {
		return Key{}, err
	}
	all = slices.DeleteFunc(all, func(key Key) bool { return key.Revoked || isZoneKey(key.Name) })
	switch len(all) {
	case 0:
		return Key{}, fmt.Errorf("%w: none was made so far", ErrNoKey)
	case 1:
		return all[0], nil
	}
	return Key{}, fmt.Errorf("%w: say which of the %d is to sign", ErrAmbiguous, len(all))
}
