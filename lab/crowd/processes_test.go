package crowd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
)

// Environment by which the test's binary runs a node: in which folder, and whom it joins.
const (
	envData = "TIDINGS_TEST_CROWD_DATA"
	envJoin = "TIDINGS_TEST_CROWD_JOIN"
)

func TestMain(m *testing.M) {
	if data := os.Getenv(envData); data != "" {
		if err := child(data, os.Getenv(envJoin)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child is a node in a process of its own, until it is told to end.
func child(data, join string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	m := &Member{Data: data, HTTP: "127.0.0.1:0", log: slog.New(slog.DiscardHandler)}
	if join != "" {
		m.Join = []string{join}
	}
	if err := m.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return m.Stop()
}

// process is a node in a process of its own, as its parent sees it.
type process struct {
	data   string
	join   string
	cmd    *exec.Cmd // nil while it is down
	client *api.Client
}

func (p *process) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), envData+"="+p.data, envJoin+"="+p.join)
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	p.cmd = nil
}

// network asks the node how it sees the ring, and waits until it answers.
func (p *process) network(ctx context.Context) (tidings.Network, error) {
	for {
		view, err := p.client.Network(ctx)
		if !errors.Is(err, api.ErrNoNode) {
			return view, err
		}
		select {
		case <-ctx.Done():
			return view, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// awaitRing waits until the processes that run form one correct ring.
func awaitRing(t *testing.T, all []*process) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	for {
		err := CheckRing(ask(ctx, t, all))
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func ask(ctx context.Context, t *testing.T, all []*process) []tidings.Network {
	t.Helper()
	views := make([]tidings.Network, len(all))
	errs := make([]error, len(all))
	var asked sync.WaitGroup
	for i, p := range all {
		if p.cmd != nil {
			asked.Go(func() { views[i], errs[i] = p.network(ctx) })
		}
	}
	asked.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var running []tidings.Network
	for i, p := range all {
		if p.cmd != nil {
			running = append(running, views[i])
		}
	}
	return running
}

// Twenty processes form a correct ring; five are killed, and the others close the ring; the
// five return, with the data that they had, and are let in again.
func TestTwentyProcessesFormARing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts twenty processes")
	}
	dir := t.TempDir()
	var all []*process
	defer func() {
		for _, p := range all {
			p.kill()
			p.client.Close()
		}
	}()
	for i := range 20 {
		data := filepath.Join(dir, fmt.Sprint(i))
		all = append(all, &process{data: data, client: api.Dial(api.SocketPath(data))})
	}
	began := time.Now()
	all[0].start(t)
	first, err := all[0].network(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all[1:] {
		p.join = first.Addresses[0]
		p.start(t)
	}
	awaitRing(t, all)
	t.Logf("one ring of 20 processes after %v", time.Since(began))

	began = time.Now()
	for _, p := range all[3:8] {
		p.kill()
	}
	awaitRing(t, all)
	t.Logf("one ring of 15 after %v", time.Since(began))

	began = time.Now()
	for _, p := range all[3:8] {
		p.start(t)
	}
	awaitRing(t, all)
	t.Logf("one ring of 20 after %v", time.Since(began))
}
