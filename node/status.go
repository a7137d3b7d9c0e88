package node

import (
	"context"
	"os"

	"tidings"
	"tidings/node/doctor"
	"tidings/node/publish"
	"tidings/view"
)

// Status returns the node's state.
func (n *Node) Status(ctx context.Context) (view.Status, error) {
	network, err := n.Network(ctx)
	if err != nil {
		return view.Status{}, err
	}
	stats, err := n.store.Stats(ctx)
	if err != nil {
		return view.Status{}, err
	}
	together, err := n.CoopStatus(ctx)
	if err != nil {
		return view.Status{}, err
	}
	password, err := n.store.Reader.PasswordHash(ctx, tidings.Owner)
	if err != nil {
		return view.Status{}, err
	}
	hub, err := n.hubStatus(ctx)
	if err != nil {
		return view.Status{}, err
	}
	memory, _ := doctor.Resident(os.Getpid()) // 0 if the system does not report it
	c := n.watcher.Counts()
	return view.Status{
		Network: network,
		Version: Version, Started: n.started, DataDir: n.config.Data,
		Page: n.servers.Address, Interval: n.config.Interval.String(),
		Channels: stats.Channels, Subscriptions: stats.Subscriptions, Items: stats.Items,
		LatestUpdate: stats.LatestUpdate, StoreBytes: stats.Bytes, ByHealth: stats.ByHealth,
		NextPoll: c.Next, Polls: c.Polls, ByOutcome: c.ByOutcome, Bytes: c.Bytes, Updates: c.Updates,
		PollingNow: c.PollingNow, Overdue: c.Overdue, MemoryBytes: memory,
		Slots:        view.Slots{All: c.Slots, Overran: c.Overran, Hanging: c.LeftBehind, Waited: c.Waited},
		CoopChannels: n.coopChannels(),
		Coop:         together,
		Hub:          hub,
		Archive:      n.archive.Usage(ctx),
		Files:        n.files.Usage(),
		Problems: append(doctor.Problems(ctx, n.store.DB, n.disk, n.config.Data),
			publish.Problems(ctx, n.store.Published, n.store.DB)...),
		OriginClock: n.origins.Clock(),
		Connections: n.servers.Connections(),
		NoPassword:  password == "",
	}, nil
}

// Network returns how the node stands among the others.
func (n *Node) Network(ctx context.Context) (view.Network, error) {
	if others := n.others(); others != nil {
		return others.Network(ctx)
	}
	return view.Network{
		ID: n.id, Off: true, Mining: n.miner.Progress(), Addresses: []string{}, Neighbours: []view.Peer{},
		Joins: []view.Join{}, Traffic: []view.Traffic{}, Reachable: view.ReachUnknown,
	}, nil
}

// Peers lists every live node that this one knows.
func (n *Node) Peers(ctx context.Context) ([]view.Peer, error) {
	if others := n.others(); others != nil {
		return others.Peers(ctx)
	}
	return nil, nil
}
