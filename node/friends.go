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
	"tidings/node/member"
)

// Friends lists those of the network's router rappel, nearest first. Of the channels in common it names those that the
// account follows.
func (n *network) Friends(ctx context.Context, account tidings.AccountID) (list []tidings.Friend, err error) {
	var shared [][]engine.ID // of each friend
	err = n.host.Do(ctx, func() {
		now := n.env.Now()
		for _, f := range n.rappel.Friends() {
			list = append(list, tidings.Friend{
				ID: f.Peer.ID.String(), Address: live.FormatAddress(f.Peer), Shared: len(f.Shared), Since: time.Now().Add(f.Since - now),
				RTT: float64(f.RTT) / float64(time.Millisecond), Distance: float64(f.Distance) / float64(time.Millisecond),
			})
			shared = append(shared, f.Shared)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	for i := range list {
		if list[i].Channels, err = n.inCommon(ctx, account, shared[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b tidings.Friend) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// inCommon returns the URLs of those of some channels that an account follows, sorted, at most [tidings.MaxFriendChannels] of them.
func (n *network) inCommon(ctx context.Context, account tidings.AccountID, ids []engine.ID) ([]string, error) {
	named := []string{}
	for _, url := range n.coop.FollowedOf(ids) {
		if len(named) == tidings.MaxFriendChannels {
			break
		}
		switch _, err := n.node.store.Channel(ctx, account, url); {
		case err == nil:
			named = append(named, url)
		case !isGone(err):
			return nil, err
		}
	}
	return named, nil
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
	for _, text := range texts[:min(len(texts), member.MaxRemembered)] {
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
	for _, p := range friends[:min(len(friends), member.MaxRemembered)] {
		list = append(list, strings.Join(live.FormatAddresses(p), ","))
	}
	return list
}
