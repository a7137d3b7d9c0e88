//go:build linux

package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/node/doctor"
	"tidings/node/identity"
	"tidings/store/db"
	"tidings/view"
)

// hostile 51: the disk fills up. The status and the doctor report it too, not only the log. It ends by itself when
// there is room.
func TestFullDiskIsTold(t *testing.T) {
	t.Parallel()
	dir, _ := smallDisk(t, "4m")
	data := filepath.Join(dir, "data")
	n, client := startNode(t, func(c *Config) { c.Data = data })
	problems := func() []view.Problem {
		s, err := client.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Problems
	}
	if p := problems(); len(p) > 0 {
		t.Errorf("problems of a node that is well: %+v", p)
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 1024))
	}
	if err := filler.Close(); err != nil {
		t.Log(err)
	}
	write := func() error {
		return n.store.DB.SetSetting(t.Context(), "filler", strings.Repeat("x", 1<<20))
	}
	if write() == nil {
		t.Fatal("the disk is not full")
	}
	if p := problems(); len(p) != 1 || !strings.Contains(p[0].What, "is full") || !strings.Contains(p[0].What, data) {
		t.Errorf("problems with a full disk: %+v", p)
	}
	examined := n.config.Examination()
	examined.Status = func(context.Context) (view.Status, error) { return client.Status(t.Context()) } // no time limit
	told := false
	for _, f := range doctor.Examine(t.Context(), examined) {
		told = told || f.Level == doctor.LevelProblem && strings.Contains(f.Text, "is full")
	}
	if !told {
		t.Error("the doctor does not say that the disk is full")
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	for len(problems()) > 0 { // until the store has tried again
		time.Sleep(10 * time.Millisecond)
	}
}

// hostile 51: a person wants to follow a channel on a full disk, with any amount of room left. The answer is true:
// either an error that names the disk, and nothing is followed; or it is followed.
func TestHostile51FollowingOnAFullDisk(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	dir, leave := smallDisk(t, "6m")
	_, client := startNode(t, func(c *Config) { c.Data = filepath.Join(dir, "data") })
	refused := 0
	for i, room := range []int{0, 8, 20, 40, 80, 160, 1000} { // KiB
		leave(room << 10)
		name := fmt.Sprint("feed", i)
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i+1), 40, 8000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
		_, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + name})
		all, failed := client.Channels(t.Context())
		if failed != nil {
			t.Fatal(failed)
		}
		followed := slices.ContainsFunc(all, func(s tidings.Subscription) bool { return s.URL == base+name })
		var known *api.Error
		switch {
		case (err == nil) != followed:
			t.Errorf("with %d KiB of room it is followed: %v, though the answer was %v", room, followed, err)
		case err != nil && (!errors.As(err, &known) || known.Status != http.StatusInsufficientStorage ||
			!strings.Contains(err.Error(), "the disk is full")):
			t.Errorf("with %d KiB of room: %v", room, err)
		case err != nil:
			refused++
		}
		leave(4000 << 10)
	}
	if refused == 0 {
		t.Error("the disk was never full")
	}
}

// hostile 80: a node does not begin anew beside its key, or with another key than before, unless that is ordered.
func TestHostile80NothingBeginsAnewInSilence(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Data, c.HTTP, c.NoNetwork = t.TempDir(), "127.0.0.1:0", true
	start := func(c Config) error {
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx) }()
		select {
		case err := <-ended:
			cancel()
			return err
		case <-n.Ready():
			cancel()
			return <-ended
		}
	}
	ordered := c
	ordered.New = true
	for name, damage := range map[string]func() error{
		"an empty database": func() error {
			file := filepath.Join(c.Data, db.FileName)
			for _, log := range []string{file + "-wal", file + "-shm"} { // a log that has all of it would do
				if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
			}
			return os.Truncate(file, 0)
		},
		"another key": func() error {
			if err := os.Remove(filepath.Join(c.Data, identity.KeyFile)); err != nil {
				return err
			}
			_, err := identity.Identify(c.Data)
			return err
		},
	} {
		if err := start(ordered); err != nil {
			t.Fatal(err)
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if err := start(c); err == nil || !strings.Contains(tidings.HintOf(err), "tidings up --new") {
			t.Errorf("%s: %v (%s)", name, err, tidings.HintOf(err))
		}
		if err := start(ordered); err != nil {
			t.Errorf("%s, as ordered: %v", name, err)
		}
		if err := start(c); err != nil {
			t.Errorf("%s, after it was ordered: %v", name, err)
		}
	}
}
