package networkroom

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/delivery/web/shell/shelltest"

	"tidings"
	"tidings/view"
)

// The node that the samples are about.
const (
	sampleID       = "6e1f0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"
	samplePosition = 0x6e1f0a4b9c2d7 / float64(1<<52)
)

// sampleNetwork is a network of that many nodes as the sample node sees it. It has a leaf set of 16, and a contact
// among farther nodes for every first digit. A part of the round trips is not measured.
func sampleNetwork(nodes int) (view.Network, []view.Peer) {
	chance := rand.New(rand.NewPCG(60, uint64(nodes)))
	var all []view.Peer
	for range nodes - 1 {
		top := chance.Uint64()
		n := len(all)
		p := view.Peer{
			ID:       fmt.Sprintf("%016x%016x%08x", top, chance.Uint64(), chance.Uint32()),
			Position: float64(top>>11) / (1 << 53),
			RTT: []float64{4, 12, 17, 31, 44, 68, 90, 140, 210,
				320}[chance.IntN(10)] * (0.8 + 0.4*chance.Float64()),
			Address: fmt.Sprintf(
				"/ip4/203.0.113.%d/udp/7601/quic-v1/p2p/12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMt%04d", n%250+1,
				n%10000),
		}
		p.Connected = chance.IntN(8) > 0
		if chance.IntN(20) == 0 {
			p.RTT, p.Connected = 0, false
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b view.Peer) int {
		return cmp.Compare(turn(a.Position, samplePosition), turn(b.Position, samplePosition))
	})
	first := slices.IndexFunc(all, func(p view.Peer) bool { return turn(p.Position, samplePosition) >= 0 })
	if first < 0 {
		first = len(all)
	}
	n := view.Network{
		ID: sampleID, Position: samplePosition, Nodes: nodes, Reachable: view.ReachPublic,
		Addresses: []string{
			"/ip4/198.51.100.23/udp/7601/quic-v1/p2p/12D3KooWQ5vMcrPpTmYzkEN3n8cFWQYVvNQqTfBQ1hhAzv8sEKdR",
			"/ip4/192.168.178.20/tcp/7601/p2p/12D3KooWQ5vMcrPpTmYzkEN3n8cFWQYVvNQqTfBQ1hhAzv8sEKdR",
		},
		Clock: view.Clock{Offset: 12, Others: 9, Agree: 9},
	}
	var others []view.Peer
	digits := map[byte]bool{}
	for i, p := range all {
		switch {
		case nodes <= 17 || i >= first-8 && i < first+8:
			p.Neighbour, p.Connected = true, true
			n.Neighbours = append(n.Neighbours, p)
		case nodes <= 100 || !digits[p.ID[0]]:
			digits[p.ID[0]] = true
			others = append(others, p)
		}
	}
	if nodes > 1 {
		n.Traffic = sampleTraffic()
	}
	return n, append(slices.Clone(n.Neighbours), others...)
}

func sampleTraffic() []view.Traffic {
	return []view.Traffic{
		{Kind: "pastry.Leaves", Sent: 4120, SentBytes: 2_310_400, Received: 4098, ReceivedBytes: 2_298_012},
		{Kind: "vivaldi.Sample", Sent: 18230, SentBytes: 911_500, Received: 18211, ReceivedBytes: 910_550},
		{Kind: "pastry.Ping", Sent: 22714, SentBytes: 318_000, Received: 22709, ReceivedBytes: 317_926, Dropped: 3},
		{Kind: "pastry.Join", Sent: 1, SentBytes: 96, Received: 14, ReceivedBytes: 1344, Refused: 1},
	}
}

const sampleJoin = "/ip4/203.0.113.77/udp/7601/quic-v1/p2p/12D3KooWJ7uQ9pXcWm3tSxv9d1oRzLkQm7TqzqCeB5oU3hFfGqkP"

const (
	pushedFeed = "https://kernel.example/headlines/rss"
	otherID    = "91aa0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"
)

// sample fills a fake with what somebody might follow.
func sample() *fake {
	f := newFake()
	for _, c := range []tidings.Subscription{
		{Channel: tidings.Channel{URL: quietFeed, Title: "Notes from a quiet place"}},
		{Folder: "Programming", Channel: tidings.Channel{URL: secondFeed, Title: "Compiler Notes"}},
		{Folder: "Programming", Channel: tidings.Channel{URL: treedFeed, Title: "Kernel Weekly"}},
	} {
		c.Privacy, c.Kind, c.Health = tidings.Public, tidings.KindFeed, tidings.HealthGood
		f.followed = append(f.followed, c)
	}
	return f
}

// inNetwork is sample in a network of so many nodes.
func inNetwork(nodes int) func() *fake {
	return func() *fake {
		f := sample()
		n, peers := sampleNetwork(nodes)
		if nodes > 1 {
			n.Joins = []view.Join{{Address: sampleJoin, Saved: true, State: view.Joined}}
			f.coop = sampleSharing()
		}
		f.meet(n, peers)
		return f
	}
}

// withoutNetwork is sample of a node that is set to work alone.
func withoutNetwork() *fake {
	f := sample()
	f.alone = true
	f.network.Off = true
	return f
}

// hostileText is what somebody else may have written.
const hostileText = shelltest.HostileText

// whileMining is sample of a node that makes a key before it joins.
func whileMining() *fake {
	f := withoutNetwork()
	f.network.Mining = &view.Mining{Bits: 20, Tried: 410_220, Expected: 1_048_576, KeysPerSecond: 20_000}
	return f
}

// withPenalties is a network in which people have opinions about nodes, and one node has lied twice.
func withPenalties() *fake {
	f := inNetwork(9)()
	f.republishers = []view.Republisher{{Node: otherID, Trust: tidings.Preferred},
		{Node: view.AllNodes, Trust: tidings.Distrusted, Waited: 3, Seen: 2}}
	f.coop.Penalties = []view.Penalty{{Node: otherID, Times: 2, Reasons: []view.PenaltyReason{
		{Time: time.Now().Add(-3 * time.Minute), Channel: pushedFeed,
			Reason: "gave a version that the origin did not show"},
		{Time: time.Now().Add(-30 * time.Hour), Channel: pushedFeed,
			Reason: "confirmed what the origin did not show"}}}}
	return f
}

// inTrouble is sample with everything that can be wrong, in hostile words.
func inTrouble() *fake {
	f := inNetwork(9)()
	n := f.network
	n.DuplicateKey, n.DuplicateKeyAt, n.DuplicateKeyMet = true, "/ip4/192.0.2.9/"+hostileText,
		time.Now().Add(-3*time.Minute-time.Second)
	n.Clock = view.Clock{Offset: -400_000, Others: 7, Agree: 6}
	n.Reachable, n.Addresses = view.ReachPrivate, nil
	n.Neighbours = slices.Clone(n.Neighbours)
	n.Neighbours[0].Address, n.Neighbours[0].ID = hostileText, "<b>\u202e\"'"
	n.Router = view.Router{Ports: view.PortsVary, NoUDP: true, Relays: 2}
	n.Neighbours[1].Way, n.Neighbours[2].Way = view.WayRelayed, view.WayPunched
	n.Neighbours[1].Address = "/ip6/2001:db8:85a3:1234:5678:8a2e:370:7334/tcp/7601/p2p/12D3KooW/p2p-circuit"
	n.Joins = []view.Join{
		{Address: sampleJoin, Saved: true, State: view.Waiting, Failure: "nobody listens there (connection refused)",
			Next: time.Now().Add(42 * time.Second)},
		{Address: "/dns4/friend.example/tcp/7601/p2p/12D3KooWJ7uQ9pXcWm3tSxv9d1oRzLkQm7TqzqCeB5oU3hFfGqkP",
			State: view.Joining},
		{Address: hostileText, Saved: true, State: view.Waiting, Failure: hostileText,
			Next: time.Now().Add(5 * time.Minute)},
	}
	f.network.Joins = nil
	f.meet(n, n.Neighbours)
	return f
}

// sampleSharing is of a node that has polled together with others for days.
func sampleSharing() view.CoopStatus {
	bins := []int{3, 9, 40, 122, 245, 310, 190, 71, 30, 12, 4, 2, 0, 0, 1, 0, 0, 0}
	s := view.CoopStatus{
		Day:       view.PollCounts{Own: 1212, ForOthers: 310, ByOthers: 20_480, Readers: 1400},
		All:       view.PollCounts{Own: 9020, ForOthers: 2960, ByOthers: 171_003, Readers: 12_345},
		Since:     time.Now().Add(-8 * 24 * time.Hour),
		Detection: tidings.Detection{Median: 14 * time.Second, Mean: 21500 * time.Millisecond, Bins: bins},
	}
	s.Params = view.Params{Policy: "fair-sqrt", Interval: 30 * time.Minute, Maintenance: time.Hour}
	s.Own, s.Agreed = s.Params, true
	s.Own.Policy = "lite"
	for _, n := range bins {
		s.Detection.Changes += n
	}
	return s
}

// placed is a page with the other nodes in their places.
func placed(n view.Network, peers []view.Peer) page {
	p := page{Network: n}
	p.place(peers)
	return p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
