package live

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/libp2p/go-libp2p/core/pnet"
)

// networkKeyBytes is the length of a network key.
const networkKeyBytes = 32

// maxNetworkKeyFile bounds what is read of a file that should hold a network key.
const maxNetworkKeyFile = 4096

// NewNetworkKey draws a network key.
func NewNetworkKey() []byte {
	key := make([]byte, networkKeyBytes)
	_, _ = rand.Read(key) // never fails
	return key
}

// WriteNetworkKey writes a network key to a new file that only its owner can read, in the form of libp2p's swarm.key,
// which other libp2p programs read as well. It replaces no file.
func WriteNetworkKey(file string, key []byte) error {
	if len(key) != networkKeyBytes {
		return fmt.Errorf("writing the network key: it has %d bytes in place of %d", len(key), networkKeyBytes)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("writing the network key: %s exists already", file)
	}
	if err != nil {
		return fmt.Errorf("writing the network key: %w", err)
	}
	_, err = fmt.Fprintf(f, "/key/swarm/psk/1.0.0/\n/base16/\n%s\n", hex.EncodeToString(key))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the network key: %w", err)
	}
	return nil
}

// ReadNetworkKey reads the file that WriteNetworkKey writes, or another swarm.key.
func ReadNetworkKey(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the network key: %w", err)
	}
	defer f.Close()
	text := make([]byte, maxNetworkKeyFile)
	n, err := f.Read(text)
	if err != nil {
		return nil, fmt.Errorf("reading the network key %s: %w", file, err)
	}
	key, err := pnet.DecodeV1PSK(bytes.NewReader(text[:n]))
	if err != nil {
		return nil, fmt.Errorf("reading the network key: %s is no swarm.key as `tidings key network` makes it: %w",
			file, err)
	}
	return key, nil
}
