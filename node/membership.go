package node

import (
	"context"
	"sync"
	"tidings"
	"time"

	"tidings/network/live"
)

// rememberAfter is how long after a change what is known of the network is saved; what changes
// meanwhile is saved with it.
const rememberAfter = 2 * time.Second

// membership is the network as the node lives in it: started, remembered, stopped.
type membership struct {
	*network
	node  *Node
	stop  context.CancelFunc
	ended chan struct{} // closed when the host has stopped

	mu     sync.Mutex
	memory networkMemory
	saved  string // of memory, as it stands in the store
}

// joinNetwork starts the node's part among other nodes and returns when it listens.
func (n *Node) joinNetwork(ctx context.Context) (*membership, error) {
	m := &membership{node: n}
	text, err := n.store.Setting(ctx, networkSetting)
	if err != nil {
		return nil, err
	}
	if err := m.recall(text); err != nil {
		n.log.Warn("what was known of the network is lost; give the addresses to join by again", "error", err)
	}
	if err := m.listen(ctx); err != nil {
		return nil, err
	}
	if err := m.addSeeds(); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// open starts a host, at a port if the configuration says no addresses, and returns when it
// listens.
func (m *membership) open(ctx context.Context, port int) (err error) {
	m.network, err = newNetwork(m.node.config, m.node.key, port, m.node.metrics.Measured)
	if err != nil {
		return err
	}
	host := m.network.host
	m.network.zoneMember = m.node.zoneMember
	m.network.node, m.network.coop, m.network.pushes, m.network.archive = m.node, m.node.coop, m.node.pushes, m.node.archive
	m.network.piecing = m.node.piecing
	m.node.coop.UseLoop(host)
	m.node.refusing = host.Refuse
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed, ended := make(chan error, 1), make(chan struct{})
	m.network.friends.recall(m.memory.Friends)
	go func() {
		defer close(ended)
		failed <- host.Run(life, m.network.start)
	}()
	select {
	case err := <-failed:
		stop()
		return err
	case <-ctx.Done():
		stop()
		<-ended
		return ctx.Err()
	case <-host.Ready():
		m.stop, m.ended = stop, ended
		return nil
	}
}

// addSeeds puts on the list of joins whom the node was told of, now and before, and whom
// it met before.
func (m *membership) addSeeds() error {
	for _, address := range m.node.config.Join {
		if err := m.joins.add(address, true, false); err != nil {
			return err
		}
	}
	for _, address := range m.memory.Joins {
		if err := m.joins.add(address, true, false); err != nil {
			m.node.log.Warn("a saved address is not used", "address", address, "error", err)
		}
	}
	for _, address := range m.memory.Peers {
		if err := m.joins.add(address, false, true); err != nil {
			break // there are enough
		}
	}
	return nil
}

// live keeps the node among others, and what it knows of them saved, until ctx ends.
func (m *membership) live(ctx context.Context) {
	var joining sync.WaitGroup
	joining.Go(func() { m.run(ctx) })
	defer joining.Wait()
	for {
		changed := m.NetworkChanged() // before what it tells of is read
		m.remember(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(rememberAfter):
		}
		select {
		case <-ctx.Done():
			return
		case <-m.ended:
			m.node.log.Error("the network stopped; the node works alone")
			m.node.coop.Stopped()
			return
		case <-changed:
		}
	}
}

// close ends the node's part among others, with farewells. It may be called again.
func (m *membership) close() {
	saving, cancel := context.WithTimeout(context.Background(), saveWithin)
	defer cancel()
	m.remember(saving)
	m.stop()
	<-m.ended
}

// AddJoin keeps an address to join by, and has it tried at once.
func (m *membership) AddJoin(ctx context.Context, address string) error {
	if err := checkJoin(address); err != nil {
		return err
	}
	if peer, err := live.ParseAddress(address); err != nil {
		return invalid("%v", err)
	} else if peer.ID == m.host.Self().ID {
		return invalid("%v", errMyself)
	}
	if err := m.joins.add(address, true, false); err != nil {
		return err
	}
	m.remember(ctx)
	m.changed.Ring()
	return nil
}

// RemoveJoin forgets an address to join by. Connections stay.
func (m *membership) RemoveJoin(ctx context.Context, address string) error {
	if err := m.joins.remove(address); err != nil {
		return err
	}
	m.remember(ctx)
	m.changed.Ring()
	return nil
}

// Peers lists every live node that this one knows, with what people here think of it.
func (m *membership) Peers(ctx context.Context) ([]tidings.Peer, error) {
	peers, err := m.network.Peers(ctx)
	m.node.republishers.mark(peers)
	return peers, err
}

// Network tells how the node stands among the others, with what people here think of its neighbours.
func (m *membership) Network(ctx context.Context) (tidings.Network, error) {
	view, err := m.network.Network(ctx)
	m.node.republishers.mark(view.Neighbours)
	return view, err
}
