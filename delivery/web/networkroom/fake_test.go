package networkroom

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings/delivery/web/wording"

	"tidings"
	"tidings/view"
)

// fake is a node among others in memory, and a person that follows channels, as simple as their contracts allow.
type fake struct {
	mu       sync.Mutex
	followed []tidings.Subscription
	fail     error // what every call answers, if set

	alone   bool // the node has no part among others
	network view.Network
	peers   []view.Peer
	coop    view.CoopStatus
	turned  chan struct{} // closed when the network is different

	trees      map[string]view.Tree // by channel
	friends    []view.Friend
	overlay    view.Overlay
	zone       view.Zone
	otherZones error    // that there is another zone than the node's own
	asked      []string // channels with a requested tree

	republishers []view.Republisher
}

var (
	_ Store   = (*fake)(nil)
	_ Node    = (*fake)(nil)
	_ Network = (*fake)(nil)
)

func newFake() *fake {
	return &fake{turned: make(chan struct{}), network: view.Network{ID: sampleID, Position: samplePosition, Nodes: 1,
		Reachable: view.ReachUnknown}}
}

func (f *fake) lock() func() { f.mu.Lock(); return f.mu.Unlock }

func (f *fake) at(url string) *tidings.Subscription {
	for i := range f.followed {
		if f.followed[i].URL == url {
			return &f.followed[i]
		}
	}
	return nil
}

func (f *fake) Channels(context.Context, tidings.AccountID) ([]tidings.Subscription, error) {
	defer f.lock()()
	return slices.Clone(f.followed), f.fail
}

func (f *fake) Channel(_ context.Context, _ tidings.AccountID, url string) (tidings.Subscription, error) {
	defer f.lock()()
	if c := f.at(url); c != nil {
		return *c, f.fail
	}
	return tidings.Subscription{}, fmt.Errorf("channel %s: %w", url, tidings.ErrNotFollowed)
}

func (f *fake) Status(context.Context) (view.Status, error) {
	defer f.lock()()
	return view.Status{Network: f.network, Interval: "30 min"}, f.fail
}

func (f *fake) PollingStats(context.Context, []tidings.Subscription) error {
	defer f.lock()()
	return f.fail
}

func (f *fake) Republisher(_ context.Context, node string) (view.Republisher, error) {
	defer f.lock()()
	if node != view.AllNodes && len(node) != wording.WholeID {
		return view.Republisher{}, tidings.Invalidf("no node's ID")
	}
	for _, p := range f.republishers {
		if p.Node == node {
			return p, f.fail
		}
	}
	return view.Republisher{Node: node, Trust: tidings.Neutral}, f.fail
}

func (f *fake) Republishers(context.Context) ([]view.Republisher, error) {
	defer f.lock()()
	return slices.Clone(f.republishers), f.fail
}

func (f *fake) SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (view.Republisher, error) {
	p, err := f.Republisher(ctx, node)
	if err != nil {
		return p, err
	}
	defer f.lock()()
	f.republishers = slices.DeleteFunc(f.republishers, func(p view.Republisher) bool { return p.Node == node })
	if p.Trust = standing; standing != tidings.Neutral {
		p.Since = time.Now()
		f.republishers = append(f.republishers, p)
	}
	return p, nil
}

func (f *fake) CoopStatus(context.Context) (view.CoopStatus, error) {
	defer f.lock()()
	return f.coop, f.fail
}

// meet puts the node into another network.
func (f *fake) meet(n view.Network, peers []view.Peer) {
	defer f.lock()()
	n.Joins = append(n.Joins, f.network.Joins...)
	f.network, f.peers = n, peers
	f.turn()
}

func (f *fake) turn() {
	close(f.turned)
	f.turned = make(chan struct{})
}

func (f *fake) Network(context.Context) (view.Network, error) {
	defer f.lock()()
	return f.network, f.fail
}

func (f *fake) Peers(context.Context) ([]view.Peer, error) {
	defer f.lock()()
	return f.peers, f.fail
}

func (f *fake) Friends(context.Context, tidings.AccountID) ([]view.Friend, error) {
	defer f.lock()()
	return f.friends, f.fail
}

func (f *fake) Overlay(context.Context, tidings.AccountID) (view.Overlay, error) {
	defer f.lock()()
	return f.overlay, f.fail
}

func (f *fake) Zone(_ context.Context, path string) (view.Zone, error) {
	defer f.lock()()
	if path != "" && f.otherZones != nil {
		return view.Zone{}, f.otherZones
	}
	return f.zone, f.fail
}

func (f *fake) Trees() (urls []string) {
	defer f.lock()()
	for url, t := range f.trees {
		if t.Router != "direct" && t.Router != "" {
			urls = append(urls, url)
		}
	}
	slices.Sort(urls)
	return urls
}

func (f *fake) Tree(_ context.Context, url string) (view.Tree, error) {
	defer f.lock()()
	f.asked = append(f.asked, url)
	return f.trees[url], f.fail
}

func (f *fake) AddJoin(_ context.Context, address string) error {
	defer f.lock()()
	if !strings.HasPrefix(address, "/ip4/") {
		return fmt.Errorf("%q: %w", address, tidings.ErrInvalid)
	}
	f.network.Joins = append(slices.Clone(f.network.Joins),
		view.Join{Address: address, Saved: true, State: view.Joining})
	f.turn()
	return f.fail
}

func (f *fake) RemoveJoin(_ context.Context, address string) error {
	defer f.lock()()
	at := slices.IndexFunc(f.network.Joins, func(j view.Join) bool { return j.Address == address })
	if at < 0 {
		return tidings.ErrNotFound
	}
	f.network.Joins = slices.Delete(slices.Clone(f.network.Joins), at, at+1)
	f.turn()
	return f.fail
}

func (f *fake) NetworkChanged() <-chan struct{} {
	defer f.lock()()
	return f.turned
}
