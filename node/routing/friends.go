package routing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/view"
)

// Friends lists those of the network's router rappel, nearest first. Of the channels in common it names those that the
// account follows.
func (r *Routing) Friends(ctx context.Context, account tidings.AccountID) (list []view.Friend, err error) {
	var shared [][]engine.ID // of each friend
	err = r.ask(ctx, func() {
		now := r.env.Now()
		for _, f := range r.rappel.Friends() {
			list = append(list, view.Friend{
				ID: f.Peer.ID.String(), Address: live.FormatAddress(f.Peer), Shared: len(f.Shared),
				Since:    time.Now().Add(f.Since - now),
				RTT:      float64(f.RTT) / float64(time.Millisecond),
				Distance: float64(f.Distance) / float64(time.Millisecond),
			})
			shared = append(shared, f.Shared)
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Channels, err = r.host.InCommon(ctx, account, shared[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b view.Friend) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// friends is Rappel's friends of the run before, and those of this one, to be saved. It is
// touched in the host's loop only, once that runs.
type friends struct{ before, now []engine.Peer }

// Friends returns those of the run before.
func (f *friends) Friends() []engine.Peer { return f.before }

// Remember notes the present ones.
func (f *friends) Remember(friends []engine.Peer) { f.now = friends }

// recall reads the friends that were saved. An address that cannot be read is left out.
func (f *friends) recall(texts []string) {
	for _, text := range texts {
		first, _, _ := strings.Cut(text, ",")
		if p, err := live.ParseAddress(first); err == nil {
			f.before = append(f.before, p)
		}
	}
}

// texts returns the friends as they are saved; those of the run before as long as there are none.
func (f *friends) texts() (list []string) {
	friends := f.now
	if len(friends) == 0 {
		friends = f.before
	}
	for _, p := range friends {
		list = append(list, strings.Join(live.FormatAddresses(p), ","))
	}
	return list
}
