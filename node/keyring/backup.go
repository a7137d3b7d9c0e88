package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tidings/node/wholefile"
	"tidings/store"
)

// Pack returns all keys' files, for a backup.
func (k *Keyring) Pack() (all []store.Carried, err error) {
	entries, err := os.ReadDir(k.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), keySuffix)
		if !ok || !keyName.MatchString(name) {
			continue
		}
		text, err := wholefile.Read(k.File(name), maxKeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading key %s: %w", name, err)
		}
		all = append(all, store.Carried{Name: name, Text: string(text)})
	}
	return all, nil
}

// Unpack writes the files of keys that came with a backup. fs.ErrExist says that there is another key of such a name,
// which stays.
func (k *Keyring) Unpack(all []store.Carried) error {
	var errs []error
	for _, c := range all {
		if err := k.unpackOne(c); err != nil {
			errs = append(errs, fmt.Errorf("key %q of the backup: %w", c.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (k *Keyring) unpackOne(c store.Carried) error {
	file, err := k.file(c.Name)
	if err != nil {
		return err
	}
	if now, err := wholefile.Read(file, maxKeyFile); err == nil && string(now) == c.Text {
		return nil
	}
	if _, err := decodeKey([]byte(c.Text)); err != nil {
		return err
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	return wholefile.Create(file, []byte(c.Text))
}
