package routing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/routers/spidercast"
	"tidings/view"
)

// introduced is the router spidercast, which learns of other nodes from the ring. It does so as soon as it is used, and
// whenever the ring around this node changes. If the network has another router, no node is introduced, and it sends
// nothing.
type introduced struct {
	*spidercast.Node
	ring *pastry.Node
	used bool
}

func (r *introduced) Join(topic engine.ID) {
	r.introduce()
	r.Node.Join(topic)
}

func (r *introduced) Publish(topic engine.ID, event engine.Message) {
	r.introduce()
	r.Node.Publish(topic, event)
}

func (r *introduced) introduce() {
	meet := func() { r.Meet(r.ring.Known()...) }
	if !r.used {
		r.used = true
		r.ring.OnNeighbours(meet)
		meet()
	}
}

// Overlay returns the links of the network's router spidercast, nearest first. Of the channels that they cover, and of
// those that too few links cover, it names those that the account follows.
func (r *Routing) Overlay(ctx context.Context, account tidings.AccountID) (view.Overlay, error) {
	o := view.Overlay{Links: []view.OverlayLink{}, Thin: []view.Coverage{}}
	o.Wanted = spidercast.Default().Overlay.Greedy
	var shared [][]engine.ID // by link
	thin := make(map[engine.ID]int)
	known := make(map[engine.ID]live.PeerInfo)
	for _, p := range r.connections.Peers() {
		known[p.Peer.ID] = p
	}
	err := r.ask(ctx, func() {
		now, a := r.env.Now(), acquaintance{r, known}
		cover := make(map[engine.ID]int)
		for _, l := range r.spider.Neighbors() {
			at := a.describe(l.Peer, 0)
			link := view.OverlayLink{ID: at.ID, Address: at.Address, RTT: at.RTT, Shared: len(l.Shared),
				Since: time.Now().Add(l.Since - now)}
			for _, topic := range l.Shared {
				cover[topic]++
				if tree, _ := r.spider.Tree(topic); slices.ContainsFunc(tree,
					func(p engine.Peer) bool { return p.ID == l.Peer.ID }) {
					link.Carried++
				}
			}
			o.Links, shared = append(o.Links, link), append(shared, l.Shared)
		}
		for _, topic := range r.spider.Uncovered() {
			if cover[topic] < o.Wanted { // else it is random links that it lacks
				thin[topic] = cover[topic]
			}
		}
	})
	if err != nil {
		return view.Overlay{}, err
	}
	for i := range o.Links {
		if o.Links[i].Channels, err = r.host.InCommon(ctx, account, shared[i]); err != nil {
			return view.Overlay{}, err
		}
	}
	for id, links := range thin {
		urls, err := r.host.InCommon(ctx, account, []engine.ID{id})
		if err != nil {
			return view.Overlay{}, err
		}
		for _, url := range urls {
			o.Thin = append(o.Thin, view.Coverage{Channel: url, Links: links})
		}
	}
	slices.SortFunc(o.Links, func(a, b view.OverlayLink) int {
		return cmp.Or(cmp.Compare(a.RTT, b.RTT), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(o.Thin, func(a, b view.Coverage) int {
		return cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.Channel, b.Channel))
	})
	return o, nil
}
