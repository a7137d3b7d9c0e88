package live

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNetworkKeyFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "swarm.key")
	key := NewNetworkKey()
	if err := WriteNetworkKey(file, key); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if back, err := ReadNetworkKey(file); err != nil || !slices.Equal(back, key) {
		t.Errorf("read %x: %v", back, err)
	}
	if err := WriteNetworkKey(file, key); err == nil {
		t.Error("a key was overwritten")
	}
	if err := WriteNetworkKey(filepath.Join(dir, "short"), key[:31]); err == nil {
		t.Error("a short key was written")
	}
	for name, text := range map[string]string{
		"empty": "", "text": "hello", "short.key": "/key/swarm/psk/1.0.0/\n/base16/\nabcd\n",
		"odd": "/key/swarm/psk/1.0.0/\n/base32/\n" + string(make([]byte, 64)),
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadNetworkKey(file); err == nil {
			t.Errorf("%q was read as a key", text)
		}
	}
	if _, err := ReadNetworkKey(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that does not exist was read")
	}
}

// Where the network has a key, an address of QUIC leads to its TCP port. Where no program listens there, the error says
// which address is of use.
func TestQUICAddressWithNetworkKey(t *testing.T) {
	key := NewNetworkKey()
	keyed := func(n int) Config {
		c := onTCP(n)
		c.NetworkKey = key
		return c
	}
	a, b := startHost(t, keyed(1)), startHost(t, keyed(2))
	quic := strings.Replace(a.Addresses()[0], "/tcp/", "/udp/", 1)
	quic = strings.Replace(quic, "/p2p/", "/quic-v1/p2p/", 1)
	if p, err := b.Connect(t.Context(), quic); err != nil || p.ID != a.id {
		t.Errorf("at the port where it listens by TCP: %v", err)
	}
	a.stop()
	c := startHost(t, keyed(3))
	_, err := c.Connect(t.Context(), quic)
	if !errors.Is(err, ErrQUICWithKey) || !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), a.Addresses()[0]) || strings.Contains(err.Error(), "no transport") {
		t.Errorf("where nobody listens: %v", err)
	}
}
