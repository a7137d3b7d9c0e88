package cluster

import (
	"context"
	"errors"
	"log/slog"

	"tidings/node"
)

// Member is one node of a cluster. It keeps its data, and so its identity, from run to run.
type Member struct {
	Data string   // folder
	HTTP string   // address of its page
	Join []string // addresses of nodes, as Address returns them

	log    *slog.Logger
	change func(*node.Config)

	node  *node.Node // nil while it is down
	stop  context.CancelFunc
	ended chan error
}

// Start starts a node that is down and returns when it serves.
func (m *Member) Start(ctx context.Context) error {
	config := node.Default()
	config.Data, config.HTTP, config.Logger = m.Data, m.HTTP, m.log
	config.LabOrigins, config.NoMDNS = true, true
	config.Listen, config.Join = []string{"/ip4/127.0.0.1/udp/0/quic-v1"}, m.Join
	if m.change != nil {
		m.change(&config)
	}
	n, err := node.New(config)
	if err != nil {
		return err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- n.Run(life) }()
	select {
	case <-n.Ready():
		m.node, m.stop, m.ended = n, stop, ended
		return nil
	case err := <-ended:
		stop()
		return err
	case <-ctx.Done():
		stop()
		return errors.Join(ctx.Err(), <-ended)
	}
}

func (m *Member) cancel() {
	if m.node != nil {
		m.stop()
	}
}

// Stop ends the node in good order; its data stays.
func (m *Member) Stop() error {
	if m.node == nil {
		return nil
	}
	m.stop()
	m.node = nil
	return <-m.ended
}

// Node returns the running node, nil if it is down.
func (m *Member) Node() *node.Node { return m.node }

// Address returns where other nodes can reach the node.
func (m *Member) Address(ctx context.Context) (string, error) {
	s, err := m.node.Network(ctx)
	if err != nil {
		return "", err
	}
	if len(s.Addresses) == 0 {
		return "", errors.New("a node of the cluster has no address")
	}
	return s.Addresses[0], nil
}
