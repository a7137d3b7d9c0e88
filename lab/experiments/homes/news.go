package homes

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
)

// What a channel is like: so many items, in so many bytes.
const (
	channelItems = 10
	channelBytes = 4 << 10
)

// change is an item that the origin has published.
type change struct {
	phase int // by index
	item  string
	made  time.Time
}

// received is what a node's stream has delivered: the times of each item, as often as it came.
type received struct {
	mu    sync.Mutex
	times map[string][]time.Time
}

func (h *received) receive(u tidings.Update) error {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, item := range u.Items {
		h.times[item.ID] = append(h.times[item.ID], now)
	}
	return nil
}

// of returns when an item was delivered.
func (h *received) of(item string) []time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.times[item]
}

func channelName(i int) string { return fmt.Sprintf("feed%d", i) }

// channelURL returns where all find a channel, over IPv4 and IPv6.
func channelURL(i int) string { return "http://" + source + "/" + channelName(i) }

// channelSeed is what the items of a channel are made from, and named after.
func (w *world) channelSeed(i int) uint64 { return w.seed*100 + uint64(i) }

// publish starts the origin.
func (w *world) publish() error {
	m, err := w.net.Public(source)
	if err != nil {
		return err
	}
	w.origin = origin.New(origin.Config{})
	for i := range w.sizes.Channels {
		if err := w.origin.AddFeed(channelName(i), origin.MakeFeed(w.channelSeed(i), channelItems, channelBytes),
			origin.Options{}); err != nil {
			return err
		}
	}
	var l net.Listener
	if err := m.Do(func() (err error) { l, err = net.Listen("tcp", ":80"); return err }); err != nil {
		return fmt.Errorf("starting the origin: %w", err)
	}
	w.parts.Go(func() { _ = w.origin.Serve(w.life, l) }) // polls that fail are seen by what is late
	return nil
}

// change has the origin publish an item of a channel.
func (w *world) change(phase int) error {
	i := len(w.changes) % w.sizes.Channels
	state, err := w.origin.Step(channelName(i))
	if err != nil {
		return err
	}
	w.changes = append(w.changes, change{phase, fmt.Sprintf("feed-%d-item-%d", w.channelSeed(i), state+channelItems-1),
		time.Now()})
	return nil
}

// followWithin bounds how long a node needs until it follows a list of channels.
const followWithin = 30 * time.Second

// follow has all nodes follow all channels, and listens to those at homes.
func (w *world) follow(ctx context.Context) error {
	if w.origin == nil {
		return nil
	}
	var list bytes.Buffer
	list.WriteString("<opml version=\"2.0\"><body>\n")
	for i := range w.sizes.Channels {
		fmt.Fprintf(&list, "<outline type=\"rss\" xmlUrl=\"%s\"/>\n", channelURL(i))
	}
	list.WriteString("</body></opml>\n")
	asks, ctx := errgroup.WithContext(ctx)
	for _, m := range w.all() {
		asks.Go(func() error { return m.follow(ctx, list.Bytes()) })
	}
	if err := asks.Wait(); err != nil {
		return err
	}
	for _, h := range w.homes {
		h.received.times = make(map[string][]time.Time)
		// items that it does not deliver are lost
		w.parts.Go(func() { _ = h.client().Follow(w.life, 0, time.Time{}, h.received.receive) })
	}
	return nil
}

func (m *member) follow(ctx context.Context, list []byte) error {
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	last, err := m.client().Import(ctx, bytes.NewReader(list), false, func(api.ImportProgress) {})
	if err == nil && last.Failed > 0 {
		err = fmt.Errorf("%d of %d channels cannot be followed", last.Failed, last.Total)
	}
	if err != nil {
		return fmt.Errorf("having %s follow channels: %w", m.name, err)
	}
	return nil
}
