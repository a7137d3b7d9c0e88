// Package process runs whole nodes as processes of their own, which can be killed.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"tidings/cluster"
	"tidings/delivery/api"
	"tidings/network"
	"tidings/view"
)

// Process is a node in a process of its own, which can be killed. It keeps its data, and so its
// identity, from run to run.
type Process struct {
	Program string        // this program, run as "tidings up"
	Data    string        // folder
	Join    string        // address of a node; empty: it founds a ring
	Polls   time.Duration // the node's polling interval

	Router network.RouterName

	// Flags, if not nil, are the flags by which the node meets others. They replace those for a node on loopback that
	// joins by Join.
	Flags []string

	// Launch, if not nil, starts the process in the place of (*exec.Cmd).Start: elsewhere than on this machine's
	// network.
	Launch func(*exec.Cmd) error

	Log string // file that the node's log is added to; empty: it is not kept

	cmd    *exec.Cmd     // nil while it is down
	ended  chan struct{} // closed when cmd has ended
	client *api.Client
}

// startWithin bounds how long a node needs until it answers.
const startWithin = 3 * time.Minute

// Start starts the node and returns when it answers.
func (p *Process) Start(ctx context.Context) error {
	p.cmd = exec.Command(p.Program, p.args()...)
	if err := p.launch(); err != nil {
		p.cmd = nil
		return fmt.Errorf("starting a node in a process of its own: %w", err)
	}
	ended := make(chan struct{})
	p.ended = ended
	cmd := p.cmd
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the code that waits for the node sees that it has ended
	}()
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		_, err := p.Client().Network(ctx) // it may still be cut off from the process before
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return p.failed(err)
		case <-ended:
			return p.failed(errors.New("it has ended"))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *Process) args() []string {
	args := []string{"up", "--data", p.Data, "--http", "127.0.0.1:0", "--lab-origins", "--interval", p.Polls.String()}
	if p.Router != network.Direct {
		args = append(args, "--router", p.Router.String())
	}
	level := "error"
	if p.Log != "" {
		level = "info"
	}
	args = append(args, "--log-level", level)
	if p.Flags != nil {
		return append(args, p.Flags...)
	}
	args = append(args, "--no-mdns", "--listen", "/ip4/127.0.0.1/udp/0/quic-v1")
	if p.Join != "" {
		args = append(args, "--join", p.Join)
	}
	return args
}

// Running reports whether the process has been started and has not ended.
func (p *Process) Running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// launch starts the process.
func (p *Process) launch() error {
	if p.Log != "" {
		log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer log.Close() // the process has its own
		p.cmd.Stderr = log
	}
	if p.Launch != nil {
		return p.Launch(p.cmd)
	}
	return p.cmd.Start()
}

// failed says why the node does not answer, with the end of its log.
func (p *Process) failed(why error) error {
	err := fmt.Errorf("waiting for a node in a process of its own: %w", why)
	if end := p.logEnd(); len(end) > 0 {
		err = fmt.Errorf("%w; its log ends: %s", err, end)
	}
	return err
}

// logEnd returns the last of what the log says.
func (p *Process) logEnd() []byte {
	f, err := os.Open(p.Log)
	if err != nil {
		return nil // there is none, and that is no failure of the node
	}
	defer f.Close()
	const last = 2000
	if info, err := f.Stat(); err == nil && info.Size() > last {
		_, _ = f.Seek(-last, io.SeekEnd) // else the log's beginning is shown
	}
	text, _ := io.ReadAll(io.LimitReader(f, last)) // what could be read is shown
	return bytes.TrimSpace(text)
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
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
	p.cmd = nil
}

// AwaitRing waits until the nodes of clients form one correct ring. It returns how it stood when ctx ended.
func AwaitRing(ctx context.Context, clients []*api.Client) error {
	return cluster.AwaitRing(ctx, func() (views []view.Network, err error) {
		for _, c := range clients {
			network, err := c.Network(ctx)
			if err != nil {
				return nil, err
			}
			views = append(views, network)
		}
		return views, nil
	})
}
