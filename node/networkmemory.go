package node

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

// networkSetting is where the store keeps a networkMemory.
const networkSetting = "network"

// maxRemembered bounds the nodes that are remembered from an earlier run.
const maxRemembered = 32

// networkMemory is what a node knows of its network from run to run.
type networkMemory struct {
	Joins []string `json:"joins,omitempty"` // addresses that people gave
	Port  int      `json:"port,omitempty"`  // so that addresses that friends have stay right
	Peers []string `json:"peers,omitempty"` // nodes that were alive, to return by

	// Friends are Rappel's: nodes that have joined some of the same channels.
	Friends []string `json:"friends,omitempty"`
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
	if memory.Port < 0 || memory.Port > maxPort {
		memory.Port = 0
	}
	m.memory, m.saved = memory, text
	return nil
}

// remember saves what the next run is to know, if that is new. Where the node is alone, it
// keeps the nodes that it knew of before.
func (m *membership) remember(ctx context.Context) {
	peers, friends, err := m.acquaintances(ctx)
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
	m.memory.Friends = friends
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

// acquaintances returns whom the node knows, neighbours first, and its friends, each by all its addresses: some
// may not lead there from where this machine is next.
func (m *membership) acquaintances(ctx context.Context) (list, friends []string, err error) {
	var peers []engine.Peer
	if err := m.host.Do(ctx, func() {
		below, above := m.ring.LeafSet()
		peers = slices.Concat(below, above, m.ring.Known())
		friends = m.friends.texts()
	}); err != nil {
		return nil, nil, fmt.Errorf("asking the network: %w", err)
	}
	for _, p := range peers {
		text := strings.Join(live.FormatAddresses(p), ",")
		if len(list) < maxRemembered && checkJoin(text) == nil && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list, friends, nil
}
