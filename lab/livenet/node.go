package livenet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/cluster"
	"tidings/delivery/api"
	"tidings/lab/process"
	"tidings/node/keyring"
)

// Node is a node of a test network, and what its stream has delivered.
type Node struct {
	Index  int
	ID     string      // empty: it has not joined so far
	Client *api.Client // likewise
	Up     []Span      // when it was up; not to be read while a phase runs

	net     *Net
	member  *cluster.Member  // nil: it is a process of its own, or has not joined
	process *process.Process // nil: it is of this process
	data    string           // its folder
	key     *keyring.Key     // nil: it has none
	there   chan struct{}    // closed when it is there for the first time

	mu      sync.Mutex
	follows map[int][]*Subscription // by channel: the present one last
	cursor  int64                   // the latest update
	failed  error                   // why listening ended
	noise   int                     // updates of what it did not follow
	updates int                     // without first versions
	own     int                     // of them, that it found itself
}

// Span is a time since the network's beginning.
type Span struct{ From, To time.Duration }

// Endless is the end of what has none.
const Endless = time.Duration(1<<63 - 1)

// joined notes the member that the node is.
func (n *Node) joined(m *cluster.Member) {
	n.member, n.data, n.Client = m, m.Data, api.Dial(api.SocketPath(m.Data))
}

// came notes that the node is up.
func (n *Node) came() error {
	n.Up = append(n.Up, Span{n.net.Now(), Endless})
	if n.ID != "" {
		return nil
	}
	view, err := n.Client.Network(n.net.ctx)
	if err != nil {
		return err
	}
	n.ID = view.ID
	close(n.there)
	return nil
}

// start has the node come back, or join.
func (n *Node) start(ctx context.Context) (err error) {
	n.net.starting.Lock()
	defer n.net.starting.Unlock()
	switch {
	case n.process != nil:
		err = n.process.Start(ctx)
	case n.member != nil:
		err = n.member.Start(ctx)
	default:
		var m *cluster.Member
		if m, err = n.net.cluster.Add(ctx); err == nil {
			n.joined(m)
		}
	}
	if err != nil {
		return err
	}
	return n.came()
}

// end has the node leave, or kills it.
func (n *Node) end() error {
	n.Up[len(n.Up)-1].To = n.net.Now()
	if n.process != nil {
		n.process.Kill()
		return nil
	}
	return n.member.Stop()
}

// subscribe has the node follow channels, as from a list of another reader.
func (n *Node) subscribe(ctx context.Context, channels []int) error {
	var list bytes.Buffer
	list.WriteString("<opml version=\"2.0\"><body>\n")
	n.mu.Lock()
	for _, c := range channels {
		fmt.Fprintf(&list, "<outline type=\"rss\" xmlUrl=\"%s\"/>\n", n.net.URL(c))
		n.follows[c] = append(n.follows[c], &Subscription{asked: n.net.Now(), Since: Endless, Until: Endless})
	}
	n.mu.Unlock()
	list.WriteString("</body></opml>\n")
	last, err := n.Client.Import(ctx, &list, false, func(api.ImportProgress) {})
	if err == nil && last.Failed > 0 {
		err = fmt.Errorf("%d of %d channels cannot be followed", last.Failed, last.Total)
	}
	return err
}

// unsubscribe has the node follow channels no more.
func (n *Node) unsubscribe(ctx context.Context, channels []int) error {
	for _, c := range channels {
		if _, err := n.Client.Unsubscribe(ctx, n.net.URL(c)); err != nil {
			return err
		}
		n.mu.Lock()
		if all := n.follows[c]; len(all) > 0 {
			all[len(all)-1].Until = n.net.Now()
		}
		n.mu.Unlock()
	}
	return nil
}

// listen reads the node's stream until ctx ends, over all that befalls the node.
func (n *Node) listen(ctx context.Context) {
	select {
	case <-n.there:
	case <-ctx.Done():
		return
	}
	for ctx.Err() == nil {
		err := n.Client.Follow(ctx, n.cursor, time.Time{}, n.receive)
		// it is down as listening begins
		if ctx.Err() == nil && !errors.Is(err, api.ErrNoNode) && !errors.Is(err, api.ErrEnded) {
			n.mu.Lock()
			n.failed = fmt.Errorf("listening to node %d: %w", n.Index, err)
			n.mu.Unlock()
			return
		}
		_ = sleep(ctx, time.Now().Add(pause)) // the loop asks for ctx
	}
}

// pause is how much time passes until it is asked again whether something has happened.
const pause = 20 * time.Millisecond

// receive notes an update.
func (n *Node) receive(u tidings.Update) error {
	now := n.net.Now()
	n.mu.Lock()
	defer n.mu.Unlock()
	if u.ID <= n.cursor {
		return fmt.Errorf("update %d came after update %d", u.ID, n.cursor)
	}
	n.cursor = u.ID
	received := u.Received.Sub(n.net.Began)
	channel, s := n.subscription(u.Channel, received)
	if s == nil {
		n.noise++
		return nil
	}
	if u.Version <= s.last {
		return fmt.Errorf("version %d of %s came after version %d", u.Version, u.Channel, s.last)
	}
	s.last = u.Version
	s.Since = min(s.Since, received)
	for i := range u.Items {
		if u.Version > 1 && u.SignedBy == "" && n.net.work.Channels[channel].Kind == Published {
			s.Unsigned++
		}
		if fact, ok := n.net.fact(channel, &u.Items[i]); ok {
			s.Notified = append(s.Notified, Notification{fact, u.Version, now, received, u.Time.Sub(n.net.Began)})
		} else if n.net.sites[channel] != nil {
			s.Foreign++
		}
	}
	if u.Version > 1 {
		n.updates++
		if u.FoundBy == n.ID {
			n.own++
		}
	}
	return nil
}

// subscription returns the channel of a URL, and the subscription that an update of it belongs to; nil: there is none.
func (n *Node) subscription(url string, at time.Duration) (channel int, s *Subscription) {
	channel, known := n.net.byURL[url]
	if !known {
		return 0, nil
	}
	all := n.follows[channel]
	for len(all) > 1 && all[len(all)-1].asked > at {
		all = all[:len(all)-1]
	}
	if len(all) == 0 || at > all[len(all)-1].Until {
		return channel, nil
	}
	return channel, all[len(all)-1]
}

// Subscriptions returns the node's subscriptions to a channel, the present one last.
func (n *Node) Subscriptions(channel int) (all []Subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.follows[channel] {
		all = append(all, *s)
		all[len(all)-1].Notified = slices.Clone(s.Notified)
	}
	return all
}

// Found returns how many updates the node has delivered, without first versions, and how many of them it has found
// itself.
func (n *Node) Found() (all, own int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.updates, n.own
}

// notified reports whether the node has reported a fact, if it had to.
func (n *Node) notified(channel int, fact int32, f Fact) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.follows[channel]
	s := all[len(all)-1]
	_, due := Rules{First: true}.due(f, s, n.Up)
	return !due || slices.ContainsFunc(s.Notified, func(t Notification) bool { return t.Fact == fact })
}

// err returns why nobody listens to the node any more.
func (n *Node) err() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failed
}
