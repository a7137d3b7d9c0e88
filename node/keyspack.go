package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tidings/store"
)

// pack returns all keys' files, for a backup.
func (k *Keys) pack() (all []store.Carried, err error) {
	entries, err := os.ReadDir(k.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), keySuffix)
		if !ok || !keyName.MatchString(name) {
			continue
		}
		text, err := readBounded(k.File(name), maxKeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading key %s: %w", name, err)
		}
		all = append(all, store.Carried{Name: name, Text: string(text)})
	}
	return all, nil
}

// unpack writes the files of keys that came with a backup. fs.ErrExist says that there is another key of such a name,
// which stays.
func (k *Keys) unpack(all []store.Carried) error {
	var errs []error
	for _, c := range all {
		if err := k.unpackOne(c); err != nil {
			errs = append(errs, fmt.Errorf("key %q of the backup: %w", c.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (k *Keys) unpackOne(c store.Carried) error {
	file, err := k.file(c.Name)
	if err != nil {
		return err
	}
	if now, err := readBounded(file, maxKeyFile); err == nil && string(now) == c.Text {
		return nil
	}
	if _, err := decodeKey([]byte(c.Text)); err != nil {
		return err
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	return writeNew(file, []byte(c.Text))
}

// restoreKeys puts the publishers' keys in their place if the store was a backup until now.
func (n *Node) restoreKeys(ctx context.Context) error {
	all, err := n.store.Carried(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := KeysIn(n.config.Data).unpack(all); err != nil {
		n.log.Warn("not every publisher's key of the backup is used", "error", err)
	}
	n.log.Info("publishers' keys came with a backup", "keys", len(all))
	return n.store.DropCarried(ctx)
}
