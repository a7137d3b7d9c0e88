package identity

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tidings"
	"tidings/node/wholefile"
	"tidings/store/onebyte"
)

// ErrOther says that the key file is not the one with which the node has run.
var ErrOther = errors.New("it is not the key with which this node has run")

// maxKeyFile bounds the file of a key, in bytes.
const maxKeyFile = 4096

// Check compares the key of a data directory with the ID under which the node has run before; an empty ID matches any.
// A file of which one byte has changed is put right, and mended is true. An unreadable key, or another key without a
// trace of its origin, is an error with a remedy. A directory without a key has nothing to compare.
func Check(dir, id string) (mended bool, err error) {
	file := filepath.Join(dir, KeyFile)
	text, err := wholefile.Read(file, maxKeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the node's key: %w", err)
	}
	key, err := decode(text)
	former, _ := os.ReadFile(filepath.Join(dir, FormerKeyFile)) // most nodes have none
	before, _ := decode(former)
	switch {
	// Replace has made it
	case err == nil && (id == "" || ID(key) == id), err == nil && before != nil && ID(before) == id:
		return false, nil
	case err == nil:
		err = ErrOther
	}
	if id != "" && onebyte.Mend(text, true, func(text []byte) bool {
		key, err := decode(text)
		return err == nil && ID(key) == id
	}) {
		return true, wholefile.Write(file, text)
	}
	hint := "put the right key there from a copy; to go on with another identity: move the file away"
	if errors.Is(err, ErrOther) {
		hint = "put the right key there from a copy; to go on with this one: tidings up --new"
	}
	return false, &tidings.Failure{Op: "reading the node's key", Address: file, Hint: hint, Err: err}
}

// decode reads a key as write writes it.
func decode(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the file is damaged: it holds no PEM block")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the file is damaged: %w", err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the file is damaged: it holds no Ed25519 key")
	}
	return private, nil
}
