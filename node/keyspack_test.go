package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tidings"
	"tidings/store"
)

// A backup has the publishers' keys with it: in an empty directory, it is a data directory that signs with them. It has
// them once: a key that is taken away there does not come again.
func TestABackupHasTheKeys(t *testing.T) {
	data := t.TempDir()
	keys := KeysIn(data)
	plain, err := keys.New("plain", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.New("sealed", "a long passphrase"); err != nil {
		t.Fatal(err)
	}
	_, client := startNode(t, func(c *Config) { c.Data = data })
	dir, bare := t.TempDir(), t.TempDir()
	if b, err := client.Backup(t.Context(), tidings.BackupOrder{File: filepath.Join(dir, "tidings.db")}); err != nil || b != (tidings.Backup{Keys: 2}) {
		t.Fatalf("%+v, %v", b, err)
	}
	if b, err := client.Backup(t.Context(), tidings.BackupOrder{File: filepath.Join(bare, "tidings.db"), NoKeys: true}); err != nil || b != (tidings.Backup{}) {
		t.Fatalf("%+v, %v", b, err)
	}
	restored := KeysIn(dir)
	for range 2 {
		r := &restartable{t: t, config: Default()}
		r.config.Data, r.config.HTTP, r.config.NoNetwork = dir, "127.0.0.1:0", true
		r.start()
		r.stop()
		if key, err := restored.Get("plain"); err != nil || key.Fingerprint != plain.Fingerprint {
			t.Fatalf("%+v, %v", key, err)
		}
		info, err := os.Stat(restored.File("plain"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if _, err := restored.Unlock("sealed", "a long passphrase"); err != nil && !errors.Is(err, ErrNoKey) {
			t.Error(err)
		}
		if err := os.Remove(restored.File("sealed")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if all, err := restored.List(); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	startNode(t, func(c *Config) { c.Data = bare })
	if all, err := KeysIn(bare).List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// A key of a backup takes the place of none that is there, and what is no key is not written.
func TestKeysOfABackupReplaceNone(t *testing.T) {
	there, elsewhere := KeysIn(t.TempDir()), KeysIn(t.TempDir())
	own, err := there.New("one", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := elsewhere.New(name, ""); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := elsewhere.pack()
	if err != nil || len(packed) != 2 {
		t.Fatalf("%d keys: %v", len(packed), err)
	}
	if err := there.unpack(packed); !errors.Is(err, fs.ErrExist) {
		t.Errorf("two keys of one name: %v", err)
	}
	if key, err := there.Get("one"); err != nil || key.Fingerprint != own.Fingerprint {
		t.Errorf("%+v, %v", key, err)
	}
	if _, err := there.Get("two"); err != nil {
		t.Error(err)
	}
	if err := elsewhere.unpack(packed); err != nil {
		t.Errorf("the same once more: %v", err)
	}
	if err := there.unpack([]store.Carried{{Name: "../three", Text: packed[0].Text}, {Name: "four", Text: "no key"}}); !errors.Is(err, ErrKeyName) || !errors.Is(err, ErrKeyFile) {
		t.Error(err)
	}
	if _, err := os.Stat(there.File("four")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
