package node

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/lab/unsynced"
)

// envNode makes the test binary run a node in the directory that it names.
const envNode = "TIDINGS_TEST_NODE"

// envJoin has that node poll together with others, which it joins by this address.
const envJoin = "TIDINGS_TEST_JOIN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envNode); dir != "" {
		if err := childNode(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	waitTogether()
	if testing.Short() {
		unsynced.Install() // the disk's pace is not these tests' matter; the whole tests sync as a node does
	}
	os.Exit(m.Run())
}

// waitTogether lets more tests run at a time than there are cores, unless a number was set: nodes wait for each other.
func waitTogether() {
	const atATime = 16
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		if err := flag.Set("test.parallel", strconv.Itoa(atATime)); err != nil {
			panic(err)
		}
	}
}

func childNode(dir string) error {
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.Interval, c.NoNetwork = dir, "127.0.0.1:0", true, MinLabInterval, true
	c.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	if by := os.Getenv(envJoin); by != "" {
		onLoopback(&c)
		c.Interval, c.Join = leastTogether, []string{by}
	}
	n, err := New(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return n.Run(ctx)
}

// victim is a node in a process of its own. It is killed again and again while origins change, people subscribe and a
// client listens.
type victim struct {
	t      *testing.T
	dir    string
	client *api.Client

	mu           sync.Mutex
	acknowledged map[string]bool            // subscriptions
	shown        map[int64]string           // by update: what it said
	told         map[string]map[string]bool // by channel: items that were reported as new
	cursor       int64
}

func (v *victim) start() *exec.Cmd {
	v.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envNode+"="+v.dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	return cmd
}

// receive notes an update from the stream.
func (v *victim) receive(u tidings.Update) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u.ID <= v.cursor {
		v.t.Errorf("update %d is shown after %d", u.ID, v.cursor)
	}
	v.cursor = u.ID
	v.shown[u.ID] = digest(u)
	seen := v.told[u.Channel]
	if seen == nil {
		seen = map[string]bool{}
		v.told[u.Channel] = seen
	}
	for _, item := range u.Items {
		if seen[item.ID] {
			v.t.Errorf("update %d tells %s of %s again, as %s", u.ID, item.ID, u.Channel, item.Change)
		}
		seen[item.ID] = true
	}
}

func digest(u tidings.Update) string {
	text := fmt.Sprint(u.Channel, " version ", u.Version)
	for _, item := range u.Items {
		text += " " + item.ID
	}
	return text
}

// check holds a node's store against all that was acknowledged and shown before.
func (v *victim) check(ctx context.Context) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	channels, err := v.client.Channels(ctx)
	if err != nil {
		v.t.Fatal(err)
	}
	have := map[string]bool{}
	for _, f := range channels {
		have[f.URL] = true
	}
	for url := range v.acknowledged {
		if !have[url] {
			v.t.Errorf("the subscription to %s was acknowledged and is lost", url)
		}
	}
	stored := map[int64]string{}
	for after := int64(0); ; {
		updates, err := v.client.Updates(ctx, tidings.UpdateQuery{After: after, Limit: tidings.MaxLimit})
		if err != nil {
			v.t.Fatal(err)
		}
		if len(updates) == 0 {
			break
		}
		for _, u := range updates {
			stored[u.ID] = digest(u)
			after = u.ID
		}
	}
	for id, said := range v.shown {
		if stored[id] != said {
			v.t.Errorf("update %d was shown as %q and is %q now", id, said, stored[id])
		}
	}
}

// TestHostile51KilledAtAnyMomentNothingIsLostOrShownTwice kills the whole program a
// hundred times while it works.
func TestHostile51KilledAtAnyMomentNothingIsLostOrShownTwice(t *testing.T) {
	t.Parallel()
	kills := 100
	if testing.Short() {
		kills = 4
	}
	const seed = 20_260
	chance := rand.New(rand.NewPCG(seed, seed))
	o, base := startOrigin(t)
	v := &victim{t: t, dir: t.TempDir(), acknowledged: map[string]bool{}, shown: map[int64]string{},
		told: map[string]map[string]bool{}}
	v.client = api.Dial(api.SocketPath(v.dir))
	t.Cleanup(v.client.Close)
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	others.Go(func() { // a client that listens across all restarts
		for ctx.Err() == nil {
			v.mu.Lock()
			after := v.cursor
			v.mu.Unlock()
			_ = v.client.Follow(ctx, after, time.Time{}, func(u tidings.Update) error { v.receive(u); return nil })
			pause(ctx, 5*time.Millisecond)
		}
	})
	others.Go(func() { // people subscribe, one after the other
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprint("feed", i)
			if err := o.AddFeed(name, origin.MakeFeed(uint64(i), 3, 1500),
				origin.Options{NoCompression: true}); err != nil {
				t.Error(err)
				return
			}
			for ctx.Err() == nil {
				if f, err := v.client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + name}); err == nil {
					v.mu.Lock()
					v.acknowledged[f.URL] = true
					v.mu.Unlock()
					break
				}
				pause(ctx, 10*time.Millisecond)
			}
			pause(ctx, 200*time.Millisecond)
		}
	})
	others.Go(func() { // origins that change
		for turn := 0; ctx.Err() == nil; turn++ {
			for i, name := range o.Names() {
				if i%7 == turn%7 {
					_, _ = o.Step(name) // a name may have been added this moment
				}
			}
			pause(ctx, 20*time.Millisecond)
		}
	})
	for kill := range kills {
		cmd := v.start()
		v.awaitReady(ctx)
		if kill%10 == 0 {
			v.check(ctx)
		}
		time.Sleep(time.Duration(chance.IntN(150)) * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	cmd := v.start()
	v.awaitReady(ctx)
	if !v.awaitProof(ctx, patience) {
		t.Errorf("too little happened to prove anything: %d subscriptions, %d updates", len(v.acknowledged),
			len(v.shown))
	}
	cancel()
	others.Wait()
	v.check(t.Context())
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the last node did not end well: %v", err)
	}
	t.Logf("seed %d: %d kills, %d subscriptions acknowledged, %d updates shown", seed, kills, len(v.acknowledged),
		len(v.shown))
}

// awaitProof waits until enough was subscribed and shown for the test to mean something, on a machine of any speed. It
// reports whether that came in time.
func (v *victim) awaitProof(ctx context.Context, patience time.Duration) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if len(v.acknowledged) >= 2 && len(v.shown) >= 1 {
			return true
		}
		v.mu.Unlock()
		pause(ctx, 20*time.Millisecond)
		v.mu.Lock()
	}
	return false
}

// awaitReady waits until the node answers.
func (v *victim) awaitReady(ctx context.Context) {
	v.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		_, err := v.client.Status(ctx)
		if err == nil {
			return
		}
		if !errors.Is(err, api.ErrNoNode) && ctx.Err() != nil || time.Now().After(deadline) {
			v.t.Fatalf("the node does not answer: %v", err)
		}
		pause(ctx, 5*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
