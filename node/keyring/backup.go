package keyring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"tidings"
	"tidings/node/wholefile"
	"tidings/store/db"
	"tidings/view"
)

// Backup makes a store write a copy of everything to a file. It includes the keys unless noKeys is set, or others could
// read them there.
func (k *Keyring) Backup(ctx context.Context, s *db.DB, file string, noKeys bool) (b view.Backup, err error) {
	keys, err := k.pack()
	if err != nil && !noKeys {
		return b, tidings.WithHint(err, "see: tidings doctor; to leave the keys out: --no-keys")
	}
	carried := keys
	if noKeys {
		carried = nil
	}
	private, err := s.Backup(ctx, file, carried...)
	if err != nil {
		return b, err
	}
	if noKeys || !private {
		b.LeftOut = len(keys)
	} else {
		b.Keys = len(keys)
	}
	return b, nil
}

// Restore puts the keys in their place if a store was a backup until now.
func (k *Keyring) Restore(ctx context.Context, s *db.DB, log *slog.Logger) error {
	all, err := s.Carried(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := k.unpack(all); err != nil {
		log.Warn("not every publisher's key of the backup is used", "error", err)
	}
	log.Info("publishers' keys came with a backup", "keys", len(all))
	return s.DropCarried(ctx)
}

// pack returns all keys' files, for a backup.
func (k *Keyring) pack() (all []db.Carried, err error) {
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
		all = append(all, db.Carried{Name: name, Text: string(text)})
	}
	return all, nil
}

// unpack writes the files of keys that came with a backup. fs.ErrExist says that there is another key of such a name,
// which stays.
func (k *Keyring) unpack(all []db.Carried) error {
	var errs []error
	for _, c := range all {
		if err := k.unpackOne(c); err != nil {
			errs = append(errs, fmt.Errorf("key %q of the backup: %w", c.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (k *Keyring) unpackOne(c db.Carried) error {
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
	if err := wholefile.MakeDir(k.dir); err != nil {
		return err
	}
	return wholefile.Create(file, []byte(c.Text))
}
