//go:build linux

package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
)

// smallDisk returns a directory on a disk of its own, and what leaves so many bytes of room on it.
func smallDisk(t *testing.T, size string) (dir string, leave func(room int)) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk can be had by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(dir, "filler")
	return dir, func(room int) {
		t.Helper()
		if err := os.Remove(filler); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err != nil {
			t.Fatal(err)
		}
		// The node writes too: where it was faster the disk is as full as can be.
		err := os.WriteFile(filler, make([]byte, max(0, int(s.Bavail)*int(s.Bsize)-room)), 0o600)
		if err != nil && !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// order is one of a route that changes something.
type order struct {
	route string
	do    func(ctx context.Context, turn int) error
	// done reports whether all was done that was ordered; nil: what can be read is not as before.
	done func(after map[string]any, turn int) bool
}

// hostile 51: on a full disk each route that changes something answers 507 and has changed nothing, or has done all of
// the order. That holds for any amount of room.
func TestHostile51EveryOrderOnAFullDisk(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	dir, leave := smallDisk(t, "12m")
	n, client := startNode(t, func(c *Config) { c.Data = filepath.Join(dir, "data") })
	t.Cleanup(func() { leave(4 << 20) }) // before the node stops
	for _, name := range []string{"kept", "other"} {
		if err := o.AddFeed(name, origin.MakeFeed(7, 20, 2000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + name}); err != nil {
			t.Fatal(err)
		}
	}
	kept, other := base+"kept", base+"other"
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: kept, Limit: 20})
	if err != nil || len(entries) < 10 {
		t.Fatal(len(entries), err)
	}
	for range 20 {
		if _, err := client.NewToken(t.Context(), tidings.Token{Label: "to be deleted"}); err != nil {
			t.Fatal(err)
		}
	}
	long := func(what string, turn int) *string { return new(fmt.Sprint(what, turn, strings.Repeat("x", 900))) }
	privacies := []tidings.Privacy{tidings.Public, tidings.Unlisted}
	channel := func(after map[string]any) tidings.Subscription {
		for _, c := range after["channels"].([]tidings.Subscription) {
			if c.URL == kept {
				return c
			}
		}
		return tidings.Subscription{}
	}
	orders := []order{
		{"PATCH channel", func(ctx context.Context, turn int) error {
			_, err := client.Change(ctx, kept,
				tidings.ChannelChange{Name: long("name", turn), Folder: long("folder", turn),
					Privacy: &privacies[turn%2]})
			return err
		}, func(after map[string]any, turn int) bool {
			c := channel(after)
			return c.Name == *long("name", turn) && c.Folder == *long("folder", turn) && c.Privacy == privacies[turn%2]
		}},
		{"POST channels, of one that is followed", func(ctx context.Context, turn int) error {
			_, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: kept, Name: *long("again", turn),
				Folder: *long("in", turn), Privacy: privacies[(turn+1)%2]})
			return err
		}, func(after map[string]any, turn int) bool {
			c := channel(after)
			return c.Name == *long("again", turn) && c.Folder == *long("in", turn) && c.Privacy == privacies[(turn+1)%2]
		}},
		{"POST channels, of one that is read by other rules", func(ctx context.Context, turn int) error {
			_, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: kept, Name: *long("ruled", turn),
				Folder: *long("by", turn), Privacy: privacies[turn%2],
				Options: tidings.PageOptions{Select: []string{fmt.Sprint("#part", turn)}}})
			return err
		}, func(after map[string]any, turn int) bool {
			c := channel(after)
			return c.Name == *long("ruled", turn) && c.Folder == *long("by", turn) && c.Privacy == privacies[turn%2] &&
				len(c.Options.Select) == 1 &&
				c.Options.Select[0] == fmt.Sprint("#part", turn)
		}},
		{"DELETE channels", func(ctx context.Context, turn int) error {
			_, err := client.Unsubscribe(ctx, other)
			return err
		}, nil},
		{"POST entries/read", func(ctx context.Context, turn int) error {
			return client.MarkRead(ctx, []int64{entries[0].Item, entries[1].Item, entries[2].Item},
				channel(state(t, client)).Unread == len(entries))
		}, func(after map[string]any, turn int) bool {
			unread := channel(after).Unread
			return unread == len(entries) || unread == len(entries)-3
		}},
		{"POST entries/star", func(ctx context.Context, turn int) error {
			return client.Star(ctx, entries[turn].Item, true)
		}, nil},
		{"POST tokens", func(ctx context.Context, turn int) error {
			_, err := client.NewToken(ctx, tidings.Token{Label: fmt.Sprint("token ", turn)})
			return err
		}, nil},
		{"DELETE tokens/ID", func(ctx context.Context, turn int) error {
			return client.DeleteToken(ctx, int64(turn+1))
		}, nil},
		{"PUT password", func(ctx context.Context, turn int) error {
			return client.SetPassword(ctx, fmt.Sprint("correct horse ", turn))
		},
			func(map[string]any, int) bool { return true }},
		{"POST entries/read-all", func(ctx context.Context, turn int) error {
			_, err := client.MarkAllRead(ctx, tidings.EntryQuery{Channel: kept}, entries[0].ID)
			return err
		}, func(after map[string]any, _ int) bool { return channel(after).Unread == 0 }},
	}
	refused := make(map[string]int)
	turn := 0
	for _, c := range orders {
		for _, room := range []int{0, 4, 8, 12, 16, 20, 28, 40, 80, 4000} { // KiB
			leave(0)
			// the log has no room left of before
			for i := 0; i < 3000 && n.store.DB.SetSetting(t.Context(), "filler", fmt.Sprint(i)) == nil; i++ {
			}
			before := state(t, client)
			leave(room << 10)
			err := c.do(t.Context(), turn)
			after := state(t, client)
			var known *api.Error
			switch {
			case err == nil && c.done != nil && !c.done(after, turn), err == nil && c.done == nil &&
				reflect.DeepEqual(before, after):
				t.Errorf("%s with %d KiB of room: not all was done, though the answer says so", c.route, room)
			case err == nil:
			case !errors.As(err, &known) || known.Status != http.StatusInsufficientStorage:
				t.Errorf("%s with %d KiB of room: %v", c.route, room, err)
			case !reflect.DeepEqual(before, after):
				t.Errorf("%s with %d KiB of room: refused, and a part was done:\n%+v, was\n%+v", c.route, room, after,
					before)
			default:
				refused[c.route]++
			}
			turn++
			if c.route == "DELETE channels" && err == nil {
				break
			}
		}
		leave(4000 << 10)
		turn %= 2
	}
	for _, c := range orders {
		if refused[c.route] == 0 {
			t.Errorf("%s was never refused", c.route)
		}
	}
	t.Log(refused)
}

// state is what the orders change, as it can be read.
func state(t *testing.T, client *api.Client) map[string]any {
	t.Helper()
	channels, err := client.Channels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range channels {
		channels[i].Last, channels[i].Polling = tidings.Poll{}, nil
	}
	tokens, err := client.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	starred, err := client.Entries(t.Context(), tidings.EntryQuery{Starred: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"channels": channels, "tokens": tokens, "starred": len(starred)}
}
