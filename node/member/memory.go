package member

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tidings/network/engine"
	"tidings/network/live"
)

// setting is where the store keeps a memory.
const setting = "network"

// maxRemembered bounds the nodes that are remembered from an earlier run.
const maxRemembered = 32

// memory is what a node knows of its network from run to run.
type memory struct {
	Joins []string `json:"joins,omitempty"` // addresses that people gave
	Port  int      `json:"port,omitempty"`  // so that addresses that friends have stay right
	Peers []string `json:"peers,omitempty"` // nodes that were alive, to return by

	// Friends are what Host.Friends says.
	Friends []string `json:"friends,omitempty"`
}

// recall reads what was saved. What cannot be read keeps no node from working.
func (m *Member) recall(text string) error {
	if text == "" {
		return nil
	}
	var saved memory
	if err := json.Unmarshal([]byte(text), &saved); err != nil {
		return fmt.Errorf("reading what is known of the network: %w", err)
	}
	if saved.Port < 0 || saved.Port > MaxPort {
		saved.Port = 0
	}
	m.memory, m.saved = saved, text
	return nil
}

// remember saves what the next run is to know, if that is new. Where the node is alone, it
// keeps the nodes that it knew of before.
func (m *Member) remember(ctx context.Context) {
	peers, friends, err := m.acquaintances(ctx)
	if err != nil {
		return // the connections have ended
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory.Joins = m.bootstrap.saved()
	if len(m.config.Listen) == 0 {
		m.memory.Port = cmp.Or(m.connections.Port(), m.memory.Port)
	}
	if len(peers) > 0 {
		m.memory.Peers = peers
	}
	m.memory.Friends = friends
	text, err := json.Marshal(m.memory)
	if err != nil || string(text) == m.saved {
		return
	}
	if err = m.config.Settings.SetSetting(ctx, setting, string(text)); err == nil {
		m.saved = string(text)
	} else if ctx.Err() == nil {
		m.log.Error("what is known of the network was not saved", "error", err)
	}
}

// acquaintances returns the nodes that the node knows, neighbours first, and its friends, each by all its addresses.
// Not all may lead there from this machine's next place.
func (m *Member) acquaintances(ctx context.Context) (list, friends []string, err error) {
	var peers []engine.Peer
	if err := m.connections.Do(ctx, func() {
		below, above := m.ring.LeafSet()
		peers = slices.Concat(below, above, m.ring.Known())
		friends = m.host.Friends()
	}); err != nil {
		return nil, nil, fmt.Errorf("asking the network: %w", err)
	}
	friends = friends[:min(len(friends), maxRemembered)]
	for _, p := range peers {
		text := strings.Join(live.FormatAddresses(p), ",")
		if len(list) < maxRemembered && CheckJoin(text) == nil && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list, friends, nil
}

// Met returns what Host.Friends said in the run before. An address may be wrong by now, or be none.
func (m *Member) Met() []string { return m.memory.Friends[:min(len(m.memory.Friends), maxRemembered)] }

// addSeeds adds to the list of joins the nodes that were configured, now and before, and those that the node met
// before.
func (m *Member) addSeeds() error {
	for _, address := range m.config.Join {
		if err := m.bootstrap.add(address, true, false); err != nil {
			return err
		}
	}
	for _, address := range m.memory.Joins {
		if err := m.bootstrap.add(address, true, false); err != nil {
			m.log.Warn("a saved address is not used", "address", address, "error", err)
		}
	}
	for _, address := range m.memory.Peers {
		if err := m.bootstrap.add(address, false, true); err != nil {
			break // there are enough
		}
	}
	return nil
}
