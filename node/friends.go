package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/live"
)

// Friends lists those of the network's router rappel, nearest first.
func (n *network) Friends(ctx context.Context) (list []tidings.Friend, err error) {
	err = n.host.Do(ctx, func() {
		now := n.env.Now()
		for _, f := range n.rappel.Friends() {
			list = append(list, tidings.Friend{
				ID: f.Peer.ID.String(), Address: live.FormatAddress(f.Peer), Shared: f.Shared, Since: time.Now().Add(f.Since - now),
				RTT: float64(f.RTT) / float64(time.Millisecond), Distance: float64(f.Distance) / float64(time.Millisecond),
			})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	slices.SortFunc(list, func(a, b tidings.Friend) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// friendsMemory is Rappel's friends of the run before, and those of this one, to be saved. It is
// touched in the host's loop only, once that runs.
type friendsMemory struct{ before, now []engine.Peer }

// Friends returns those of the run before.
func (m *friendsMemory) Friends() []engine.Peer { return m.before }

// Remember takes note of the present ones.
func (m *friendsMemory) Remember(friends []engine.Peer) { m.now = friends }

// recall reads the friends that were saved. An address that cannot be read is left out.
func (m *friendsMemory) recall(texts []string) {
	for _, text := range texts[:min(len(texts), maxRemembered)] {
		first, _, _ := strings.Cut(text, ",")
		if p, err := live.ParseAddress(first); err == nil {
			m.before = append(m.before, p)
		}
	}
}

// texts returns the friends as they are saved; those of the run before as long as there are none.
func (m *friendsMemory) texts() (list []string) {
	friends := m.now
	if len(friends) == 0 {
		friends = m.before
	}
	for _, p := range friends[:min(len(friends), maxRemembered)] {
		list = append(list, strings.Join(live.FormatAddresses(p), ","))
	}
	return list
}
