package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tidings/cluster"
	"tidings/delivery/api"
	"tidings/node/doctor"
)

// NetworkConfig says what is measured of a node among others.
type NetworkConfig struct {
	Nodes   int           // of the network, the measured one included
	For     time.Duration // that the idle node is measured
	Settle  time.Duration // before: coordinates and tables come to rest
	Program string        // this program, to be run as the measured node
}

// DefaultNetwork measures a node among 50 for a minute.
func DefaultNetwork() NetworkConfig {
	return NetworkConfig{Nodes: 50, For: time.Minute, Settle: 3 * time.Minute}
}

// Network measures what a node costs that does nothing but belong to a network. It runs as a process of its own, all
// others in this one, on loopback.
func Network(ctx context.Context, c NetworkConfig, out io.Writer) (err error) {
	if c.Nodes < 2 {
		return errors.New("measuring a network: there must be two nodes")
	}
	dir, err := os.MkdirTemp("", "tidings-bench-")
	if err != nil {
		return fmt.Errorf("making a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	config := cluster.Default()
	config.Nodes, config.HTTP, config.Dir = c.Nodes-1, "127.0.0.1:0", dir
	began := time.Now()
	others, err := cluster.Start(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, others.Close()) }()
	if err := others.Await(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d nodes in one process formed a ring in %.1f s\n", c.Nodes-1, time.Since(began).Seconds())
	address, err := others.Members()[0].Address(ctx)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "measured")
	node := exec.CommandContext(ctx, c.Program, "up", "--data", data, "--http", "127.0.0.1:0",
		"--no-mdns", "--listen", "/ip4/127.0.0.1/udp/0/quic-v1", "--join", address, "--log-level", "error")
	node.Cancel = func() error { return node.Process.Signal(os.Interrupt) }
	if err := node.Start(); err != nil {
		return fmt.Errorf("starting the node to be measured: %w", err)
	}
	defer func() {
		_ = node.Process.Signal(os.Interrupt)
		_ = node.Wait() // an interrupted program's status says nothing
	}()
	fmt.Fprintf(out, "one more joins as a process of its own; it comes to rest for %v and is measured for %v\n",
		c.Settle, c.For)
	if err := sleep(ctx, c.Settle); err != nil {
		return err
	}
	return c.measure(ctx, node.Process.Pid, data, out)
}

// sample is what a node had used and exchanged at one moment.
type sample struct {
	cpu             time.Duration
	messages, bytes uint64 // both ways
}

func readSample(ctx context.Context, client *api.Client, pid int) (s sample, err error) {
	view, err := client.Network(ctx)
	if err != nil {
		return s, err
	}
	for _, t := range view.Traffic {
		s.messages += t.Sent + t.Received
		s.bytes += t.SentBytes + t.ReceivedBytes
	}
	s.cpu, err = processorTime(pid)
	return s, err
}

// measure lets the node be idle and prints what it cost meanwhile.
func (c NetworkConfig) measure(ctx context.Context, pid int, data string, out io.Writer) error {
	client := api.Dial(api.SocketPath(data))
	defer client.Close()
	before, err := readSample(ctx, client, pid)
	if err != nil {
		return err
	}
	if err := sleep(ctx, c.For); err != nil {
		return err
	}
	after, err := readSample(ctx, client, pid)
	if err != nil {
		return err
	}
	memory, err := doctor.Resident(pid)
	if err != nil {
		return err
	}
	peers, err := client.Peers(ctx)
	if err != nil {
		return err
	}
	connected := 0
	for _, p := range peers {
		if p.Connected {
			connected++
		}
	}
	seconds := c.For.Seconds()
	fmt.Fprintf(out, "idle among %d nodes: %.2f%% of a core, %.1f MB resident, %d peers known, %d connected\n",
		c.Nodes, 100*(after.cpu-before.cpu).Seconds()/seconds, float64(memory)/1e6, len(peers), connected)
	fmt.Fprintf(out, "messages: %.2f a second, %.0f bytes a second, both ways, signs of life included\n",
		float64(after.messages-before.messages)/seconds, float64(after.bytes-before.bytes)/seconds)
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// processorTime returns the processor time that a process has used, by Linux's count.
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("reading a process's time: %w", err)
	}
	// The name, in parentheses, may hold spaces; fields 14 and 15 are hundredths of seconds.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("reading a process's time: no such fields")
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, fmt.Errorf("reading a process's time: %w", err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		return 0, fmt.Errorf("reading a process's time: %w", err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}
