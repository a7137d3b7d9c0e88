// Package identity keeps the key by which other nodes know this one.
package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tidings/network/engine"
	"tidings/network/live"
	"tidings/node/wholefile"
)

// KeyFile holds the node's Ed25519 private key, PKCS #8 in PEM, readable by its owner alone.
const KeyFile = "node.key"

// FormerKeyFile holds the key before it in the same form, if the node has made itself another.
const FormerKeyFile = "node.key.former"

// Of returns the private key of the node that lives in a data directory. A directory
// without a key is given one.
func Of(dir string) (ed25519.PrivateKey, error) {
	file := filepath.Join(dir, KeyFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return create(file)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the node's key: %w", err)
	}
	key, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("reading the node's key %s: %w", file, err)
	}
	return key, nil
}

// Identify returns the ID of the node in a data directory. The directory, and a key, are made if they are missing. By
// it experiments know the IDs before any node runs.
func Identify(dir string) (engine.ID, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return engine.ID{}, fmt.Errorf("making a node's data directory: %w", err)
	}
	key, err := Of(dir)
	if err != nil {
		return engine.ID{}, err
	}
	return live.NodeID(key.Public().(ed25519.PublicKey)), nil
}

func create(file string) (ed25519.PrivateKey, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the node's key: %w", err)
	}
	return private, write(file, private)
}

func write(file string, key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("making the node's key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := wholefile.Write(file, text); err != nil {
		return fmt.Errorf("writing the node's key: %w", err)
	}
	return nil
}

// Replace gives the node that lives in a data directory another key. The one that it had is kept in FormerKeyFile.
func Replace(dir string, former, key ed25519.PrivateKey) error {
	if err := write(filepath.Join(dir, FormerKeyFile), former); err != nil {
		return err
	}
	return write(filepath.Join(dir, KeyFile), key)
}

// ID returns the ID of the node that holds a key: the SHA-1 of its public key, in hexadecimal.
func ID(key ed25519.PrivateKey) string {
	id := sha1.Sum(key.Public().(ed25519.PublicKey))
	return hex.EncodeToString(id[:])
}
