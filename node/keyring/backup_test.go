package keyring

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"tidings/store/db"
)

// A key of a backup replaces no existing one, and what is no key is not written.
func TestKeysOfABackupReplaceNone(t *testing.T) {
	there, elsewhere := In(t.TempDir()), In(t.TempDir())
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
	if err := there.unpack([]db.Carried{{Name: "../three", Text: packed[0].Text},
		{Name: "four", Text: "no key"}}); !errors.Is(err, ErrName) || !errors.Is(err, ErrFile) {
		t.Error(err)
	}
	if _, err := os.Stat(there.File("four")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
