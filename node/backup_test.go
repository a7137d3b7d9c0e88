package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/node/keyring"
)

// A backup has the publishers' keys with it: in an empty directory, it is a data directory that signs with them. It has
// them once: a key that is taken away there does not come again.
func TestABackupHasTheKeys(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	keys := keyring.In(data)
	plain, err := keys.New("plain", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.New("sealed", "a long passphrase"); err != nil {
		t.Fatal(err)
	}
	_, client := startNode(t, func(c *Config) { c.Data = data })
	dir, bare := t.TempDir(), t.TempDir()
	if b := backUp(t, client, filepath.Join(dir, "tidings.db"), tidings.BackupOrder{}); b.Keys != 2 || b.LeftOut != 0 {
		t.Fatalf("%+v", b)
	}
	if b := backUp(t, client, filepath.Join(bare, "tidings.db"), tidings.BackupOrder{NoKeys: true}); b.Keys != 0 || b.LeftOut != 2 {
		t.Fatalf("%+v", b)
	}
	if left, err := filepath.Glob(filepath.Join(data, ".backup-*")); err != nil || len(left) != 0 {
		t.Errorf("the backups left %v, %v", left, err)
	}
	restored := keyring.In(dir)
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
		if _, err := restored.Unlock("sealed", "a long passphrase"); err != nil && !errors.Is(err, keyring.ErrNoKey) {
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
	if all, err := keyring.In(bare).List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// backUp writes a backup of a node to a file.
func backUp(t *testing.T, client *api.Client, file string, o tidings.BackupOrder) tidings.Backup {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	b, err := client.Backup(t.Context(), o, f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return b
}
