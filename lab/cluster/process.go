package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/network"
)

// Process is a node in a process of its own, which can be killed. It keeps its data, and so its
// identity, from run to run.
type Process struct {
	Program string        // this program, run as "tidings up"
	Data    string        // folder
	Join    string        // address of a node; empty: it founds a ring
	Polls   time.Duration // the node's polling interval

	Router network.RouterName

	cmd    *exec.Cmd // nil while it is down
	client *api.Client
}

// startWithin is how long a node may take until it answers.
const startWithin = 3 * time.Minute

// Start starts the node and returns when it answers.
func (p *Process) Start(ctx context.Context) error {
	args := []string{"up", "--data", p.Data, "--http", "127.0.0.1:0", "--lab-origins", "--no-mdns",
		"--listen", "/ip4/127.0.0.1/udp/0/quic-v1", "--interval", p.Polls.String(), "--log-level", "error"}
	if p.Join != "" {
		args = append(args, "--join", p.Join)
	}
	if p.Router != network.Direct {
		args = append(args, "--router", p.Router.String())
	}
	p.cmd = exec.Command(p.Program, args...)
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return fmt.Errorf("starting a node in a process of its own: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		_, err := p.Client().Network(ctx) // it may still be cut off from the process before
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for a node in a process of its own: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Client returns what speaks to the node, whether it is up or not.
func (p *Process) Client() *api.Client {
	if p.client == nil {
		p.client = api.Dial(api.SocketPath(p.Data))
	}
	return p.client
}

// Kill ends the process at once, in whatever it is doing.
func (p *Process) Kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	p.cmd = nil
}

// AwaitRing waits until the nodes of clients form one correct ring. It returns how it stood when ctx ended.
func AwaitRing(ctx context.Context, clients []*api.Client) error {
	return awaitRing(ctx, func() (views []tidings.Network, err error) {
		for _, c := range clients {
			view, err := c.Network(ctx)
			if err != nil {
				return nil, err
			}
			views = append(views, view)
		}
		return views, nil
	})
}
