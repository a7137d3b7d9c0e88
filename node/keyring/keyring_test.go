package keyring

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings/network/feedtree"
)

// A chain of rotations leads from the first key to the last, each signed by the one before. The private key is that of
// the last.
func TestRotate(t *testing.T) {
	keys := In(t.TempDir())
	first, err := keys.New("k", "")
	if err != nil {
		t.Fatal(err)
	}
	at := first.key
	for range 3 {
		if _, err := keys.Rotate("k", ""); err != nil {
			t.Fatal(err)
		}
	}
	last, err := keys.Get("k")
	if err != nil || len(last.Rotations) != 3 {
		t.Fatalf("%+v, %v", last, err)
	}
	for _, word := range last.Rotations {
		var r feedtree.Rotation
		if err := r.UnmarshalText([]byte(word)); err != nil || r.Old != at {
			t.Errorf("rotation %s: %v", word, err)
		}
		at = r.New
	}
	private, err := keys.Unlock("k", "")
	if err != nil || feedtree.KeyOf(private) != at || last.Fingerprint != at.Fingerprint() {
		t.Errorf("the key in use is %s, not that to which rotations lead: %v", last.Fingerprint, err)
	}
	for range maxKeyChanges {
		_, err = keys.Rotate("k", "")
	}
	if !errors.Is(err, ErrRotations) {
		t.Errorf("rotated without end: %v", err)
	}
}

// An encrypted key is nowhere in its file, opens by its passphrase alone, and stays encrypted.
func TestEncrypted(t *testing.T) {
	keys := In(t.TempDir())
	if _, err := keys.New("k", "correct horse"); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		private, err := keys.Unlock("k", "correct horse")
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(keys.File("k"))
		if err != nil || bytes.Contains(file, []byte("BEGIN PRIVATE KEY")) || bytes.Contains(file, private.Seed()) {
			t.Errorf("the file holds the private key: %v\n%s", err, file)
		}
		for passphrase, want := range map[string]error{"": ErrLocked, "correct hors": ErrPassphrase,
			strings.Repeat("x", 2000): ErrPassphrase} {
			if _, err := keys.Unlock("k", passphrase); !errors.Is(err, want) {
				t.Errorf("opened with %q: %v, want %v", passphrase, err, want)
			}
		}
		if i == 0 {
			if key, err := keys.Rotate("k", "correct horse"); err != nil || !key.Encrypted {
				t.Fatalf("%+v, %v", key, err)
			}
		}
	}
}

// A revocation is signed by the key itself, and ends it.
func TestRevoke(t *testing.T) {
	keys := In(t.TempDir())
	made, err := keys.New("k", "")
	if err != nil {
		t.Fatal(err)
	}
	revoked, err := keys.Revoke("k", "")
	if err != nil || !revoked.Revoked || len(revoked.Revocations) != 1 {
		t.Fatalf("%+v, %v", revoked, err)
	}
	var r feedtree.Revocation
	if err := r.UnmarshalText([]byte(revoked.Revocations[0])); err != nil || r.Key != made.key {
		t.Errorf("the revocation is of %s: %v", r.Key.Fingerprint(), err)
	}
	if _, err := keys.Rotate("k", ""); !errors.Is(err, ErrRevoked) {
		t.Errorf("a revoked key signs for another: %v", err)
	}
	if _, err := keys.Pick(""); !errors.Is(err, ErrNoKey) {
		t.Errorf("a revoked key is picked: %v", err)
	}
}

// Parts of several keys do not make one.
func TestPartsOfSeveralKeys(t *testing.T) {
	dir := t.TempDir()
	keys := In(dir)
	for _, name := range []string{"a", "b"} {
		if _, err := keys.New(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := keys.Rotate("b", ""); err != nil {
		t.Fatal(err)
	}
	a, b := blocks(t, keys.File("a")), blocks(t, keys.File("b"))
	for name, content := range map[string]string{
		"another's private key": a[0] + b[1],
		"another's rotation":    a[0] + a[1] + b[2],
		"no private key":        a[0],
		"no public key":         a[1],
		"nothing":               "",
		"a block of some kind":  a[0] + a[1] + "-----BEGIN X-----\n\n-----END X-----\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "keys", "c.key"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := keys.Get("c"); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// blocks returns the PEM blocks of a file.
func blocks(t *testing.T, file string) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitAfter(string(content), "-----END ")
	var out []string
	for i := 1; i < len(parts); i++ {
		end, rest, _ := strings.Cut(parts[i], "\n")
		out = append(out, parts[i-1]+end+"\n")
		parts[i] = rest
	}
	return out
}

func FuzzDecodeKey(f *testing.F) {
	content := keyContent{}
	if err := content.set(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), ""); err != nil {
		f.Fatal(err)
	}
	f.Add(content.encode())
	sealed := content
	sealed.private, sealed.sealed = nil, sealedKey{memory: 64, passes: 1, lanes: 1, salt: []byte{1},
		box: make([]byte, 72)}
	f.Add(sealed.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeKey(b)
		if err != nil {
			return
		}
		if again, err := decodeKey(c.encode()); err != nil || !bytes.Equal(again.encode(), c.encode()) {
			t.Errorf("written and read again: %v", err)
		}
	})
}
