package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/node/keyring"
	"tidings/view"
)

// A backup includes the publishers' keys. In an empty directory, it is a data directory that signs with them. It
// restores them once: a key that is removed there does not return.
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
	if b := backUp(t, client, filepath.Join(dir, "tidings.db"), view.BackupOrder{}); b.Keys != 2 || b.LeftOut != 0 {
		t.Fatalf("%+v", b)
	}
	if b := backUp(t, client, filepath.Join(bare, "tidings.db"), view.BackupOrder{NoKeys: true}); b.Keys != 0 ||
		b.LeftOut != 2 {
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

// hostile 81: a node starts from a copy of 15 MB that was made while it worked. It has what was followed, found, read
// and set.
func TestHostile81ANodeStartsFromACopyMadeUnderLoad(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	n, client := startNode(t)
	for i := range 6 {
		name := fmt.Sprint("feed", i)
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i+1), 60, 6000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
		order := tidings.SubscribeRequest{URL: base + name, Name: "My " + name, Folder: fmt.Sprint("Folder ", i%2),
			Privacy: tidings.Unlisted}
		if _, err := client.Subscribe(t.Context(), order); err != nil {
			t.Fatal(err)
		}
	}
	busy := base + "feed0"
	if _, err := client.MarkAllRead(t.Context(), tidings.EntryQuery{Channel: base + "feed1"}, 1<<40); err != nil {
		t.Fatal(err)
	}
	large := func(i int) (key, value string) {
		return fmt.Sprint("large ", i), strings.Repeat(fmt.Sprint(i, " kept "), 1<<17)
	}
	for i := range 16 {
		key, value := large(i)
		if err := n.store.DB.SetSetting(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	want := libraryOf(t, client, busy)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var load sync.WaitGroup
	load.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			err := n.store.DB.SetSetting(t.Context(), "busy", fmt.Sprint(i))
			if err == nil {
				_, err = client.Change(t.Context(), busy, tidings.ChannelChange{Name: new(fmt.Sprint("busy ", i))})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	dir := t.TempDir()
	b := backUp(t, client, filepath.Join(dir, "tidings.db"), view.BackupOrder{})
	cancel()
	load.Wait()
	if b.Bytes < 15<<20 {
		t.Errorf("the copy has only %d bytes", b.Bytes)
	}
	copied, restored := startNode(t, func(c *Config) { c.Data = dir })
	if got := libraryOf(t, restored, busy); !reflect.DeepEqual(got, want) {
		t.Errorf("the node has %d channels and %d entries, want %d and %d, or others", len(got.channels),
			len(got.entries), len(want.channels), len(want.entries))
	}
	for i := range 16 {
		key, want := large(i)
		if value, err := copied.store.DB.Setting(t.Context(), key); err != nil || value != want {
			t.Errorf("setting %s has %d bytes, want %d (%v)", key, len(value), len(want), err)
		}
	}
	if c, err := restored.Channel(t.Context(), busy); err != nil || c.Unread == 0 {
		t.Errorf("the channel that was changed meanwhile: %+v, %v", c, err)
	}
}

// library is what an account follows, with all entries.
type library struct {
	channels []tidings.Subscription
	entries  []tidings.Entry
}

// libraryOf returns what is followed but for one channel, apart from when it was polled.
func libraryOf(t *testing.T, client *api.Client, but string) (l library) {
	t.Helper()
	all, err := client.Channels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.URL == but {
			continue
		}
		c.Last, c.Polling = tidings.Poll{}, nil
		l.channels = append(l.channels, c)
		entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: c.URL, Limit: 100})
		if err != nil || len(entries) < 50 {
			t.Fatal(len(entries), err)
		}
		l.entries = append(l.entries, entries...)
	}
	return l
}

// backUp writes a backup of a node to a file.
func backUp(t *testing.T, client *api.Client, file string, o view.BackupOrder) view.Backup {
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
