package node

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
)

// networkSetting is where the store keeps what a node knows of its network from run to run.
const networkSetting = "network"

const (
	maxRemembered = 32              // nodes remembered from an earlier run
	rememberAfter = 2 * time.Second // of a change; what changes meanwhile is saved with it
)

// networkMemory is what a node knows of its network from run to run.
type networkMemory struct {
	Joins []string `json:"joins,omitempty"` // addresses that people gave
	Port  int      `json:"port,omitempty"`  // so that addresses that friends have stay right
	Peers []string `json:"peers,omitempty"` // nodes that were alive, to return by
}

// membership is the network as the node lives in it: started, remembered, stopped.
type membership struct {
	*network
	node *Node

	mu     sync.Mutex
	memory networkMemory
	saved  string // of memory, as it stands in the store

	parts sync.WaitGroup
	ended chan struct{} // closed when the host has stopped
	stop  context.CancelFunc
}

// joinNetwork starts the node's part among other nodes and returns when it listens.
func (n *Node) joinNetwork(ctx context.Context) (*membership, error) {
	m := &membership{node: n, ended: make(chan struct{})}
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

// recall reads what was saved. What cannot be read keeps no node from working.
func (m *membership) recall(text string) error {
	if text == "" {
		return nil
	}
	var memory networkMemory
	if err := json.Unmarshal([]byte(text), &memory); err != nil {
		return fmt.Errorf("reading what is known of the network: %w", err)
	}
	if memory.Port < 0 || memory.Port > 65535 {
		memory.Port = 0
	}
	m.memory, m.saved = memory, text
	return nil
}

// listen starts the host where the configuration says, or if somebody else has that port, at
// the one that it had before, or at any. Where nobody chose a port, the former one is tried first.
func (m *membership) listen(ctx context.Context) error {
	c := m.node.config
	if len(c.Listen) > 0 {
		return m.open(ctx, 0)
	}
	ports := []int{c.Port}
	if m.memory.Port != 0 {
		ports = append(ports, m.memory.Port)
	}
	if c.Port == Default().Port {
		slices.Reverse(ports)
	}
	for _, port := range slices.Compact(ports) {
		err := m.open(ctx, port)
		if err == nil || ctx.Err() != nil {
			return err
		}
		m.node.log.Info("the network takes another port", "not", port, "error", err)
	}
	return m.open(ctx, 0)
}

// open starts a host.
func (m *membership) open(ctx context.Context, port int) (err error) {
	m.network, err = newNetwork(m.node.config, m.node.key, port, m.node.metrics.Measured)
	if err != nil {
		return err
	}
	host := m.network.host
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed, ended := make(chan error, 1), make(chan struct{})
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

// live keeps the node among others until ctx ends.
func (m *membership) live(ctx context.Context) {
	m.parts.Go(func() { m.run(ctx) })
	defer m.parts.Wait()
	for {
		changed := m.NetworkChanged() // before what it tells of is read
		m.keep(ctx)
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
			return
		case <-changed:
		}
	}
}

// close ends the node's part among others, with farewells. It may be called again.
func (m *membership) close() {
	saving, cancel := context.WithTimeout(context.Background(), saveWithin)
	defer cancel()
	m.keep(saving)
	m.stop()
	<-m.ended
}

// keep saves what the next run is to know, if that is new. Where the node is alone, it keeps
// the nodes that it knew of before.
func (m *membership) keep(ctx context.Context) {
	peers, err := m.acquaintances(ctx)
	if err != nil {
		return // the host has stopped
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory.Joins = m.joins.saved()
	if len(m.node.config.Listen) == 0 {
		m.memory.Port = cmp.Or(m.host.Port(), m.memory.Port)
	}
	if len(peers) > 0 {
		m.memory.Peers = peers
	}
	text, err := json.Marshal(m.memory)
	if err != nil || string(text) == m.saved {
		return
	}
	if err = m.node.store.SetSetting(ctx, networkSetting, string(text)); err == nil {
		m.saved = string(text)
	} else if ctx.Err() == nil {
		m.node.log.Error("what is known of the network was not saved", "error", err)
	}
}

// acquaintances returns whom the node knows, neighbours first, each by all its addresses: some
// may not lead there from where this machine is next.
func (m *membership) acquaintances(ctx context.Context) ([]string, error) {
	var peers []engine.Peer
	if err := m.host.Do(ctx, func() {
		below, above := m.ring.LeafSet()
		peers = slices.Concat(below, above, m.ring.Known())
	}); err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	var list []string
	for _, p := range peers {
		text := strings.Join(live.FormatAddresses(p), ",")
		if len(list) < maxRemembered && checkJoin(text) == nil && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list, nil
}

// AddJoin keeps an address to join by, and has it tried at once.
func (m *membership) AddJoin(ctx context.Context, address string) error {
	if err := checkJoin(address); err != nil {
		return err
	}
	if peer, err := live.ParseAddress(address); err != nil {
		return refusal(err.Error())
	} else if peer.ID == m.host.Self().ID {
		return refusal(errMyself.Error())
	}
	if err := m.joins.add(address, true, false); err != nil {
		return err
	}
	m.keep(ctx)
	m.changed.ring()
	return nil
}

// RemoveJoin forgets an address to join by. Connections stay.
func (m *membership) RemoveJoin(ctx context.Context, address string) error {
	if err := m.joins.remove(address); err != nil {
		return err
	}
	m.keep(ctx)
	m.changed.ring()
	return nil
}
