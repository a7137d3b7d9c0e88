package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/notify"
	"tidings/delivery/websub"
	"tidings/lab/origin"
	"tidings/node"
	"tidings/node/hub"
	"tidings/store"
)

// PushConfig says how many receive each update, and how many updates there are. All of it is on loopback.
type PushConfig struct {
	Webhooks    int // targets of people, each signed
	Subscribers int // of the hub, to one topic, each with a secret
	Streams     int // open live streams
	Updates     int // of each measurement
}

// DefaultPush returns the sizes that documents name.
func DefaultPush() PushConfig {
	return PushConfig{Webhooks: 1000, Subscribers: 10_000, Streams: 5000, Updates: 5}
}

// Bounds on what one process holds: two descriptors a stream, and memory for what each subscriber is sent.
const (
	maxReceivers = 50_000
	maxStreams   = 9000
	maxUpdates   = 150 // of the history that the origin makes
)

// Validate reports sizes that measure nothing, or more than one process can hold.
func (c PushConfig) Validate() error {
	if min(c.Webhooks, c.Subscribers, c.Streams, c.Updates) < 1 {
		return fmt.Errorf("%w benchmark: every size must be positive", tidings.ErrInvalid)
	}
	if max(c.Webhooks, c.Subscribers) > maxReceivers || c.Streams > maxStreams || c.Updates > maxUpdates {
		return fmt.Errorf("%w benchmark: at most %d webhooks or subscribers, %d streams and %d updates",
			tidings.ErrInvalid, maxReceivers, maxStreams, maxUpdates)
	}
	return nil
}

// pushPatience bounds the wait for the last receipt of an update.
const pushPatience = 5 * time.Minute

// pushed is a way by which updates reach many, and how many they are.
type pushed struct {
	name    string
	count   int
	measure func(ctx context.Context, b *bed, w pushed, updates int) (times []time.Duration, heap int64, err error)
}

// Push measures the time of an update of one channel from the poll that finds it to the last of many receivers, by
// webhooks, by the hub, and by open streams. It prints a table. Memory is the heap of the whole process, receivers
// included.
func Push(ctx context.Context, c PushConfig, out io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d cores; %d updates each\n\n", runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), c.Updates)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "receivers\tto the last, median\tlongest\ta second\theap\t")
	for _, w := range []pushed{
		{"webhooks", c.Webhooks, webhooks}, {"subscribers of the hub", c.Subscribers, subscribers},
		{"open streams", c.Streams, streams},
	} {
		times, heap, err := c.push(ctx, w)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", w.name, err)
		}
		slices.Sort(times)
		median := times[len(times)/2]
		fmt.Fprintf(table, "%d %s\t%s\t%s\t%.0f\t%.0f MiB\t\n", w.count, w.name, median.Round(time.Millisecond),
			times[len(times)-1].Round(time.Millisecond), float64(w.count)/median.Seconds(), float64(heap)/(1<<20))
	}
	return table.Flush()
}

// push measures one way, with a node and an origin of its own.
func (c PushConfig) push(ctx context.Context, w pushed) (times []time.Duration, heap int64, err error) {
	b, err := newBed(ctx, 24*time.Hour)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	if err := b.origin.AddFeed("feed", origin.MakeFeed(1, 20, 20_000), origin.Options{}); err != nil {
		return nil, 0, err
	}
	if err := b.follow(ctx, []string{"feed"}); err != nil {
		return nil, 0, err
	}
	return w.measure(ctx, b, w, c.Updates)
}

// receivers counts which of many have received the update of a round.
type receivers struct {
	rounds []atomic.Int64 // of each, the last that it received
	round  atomic.Int64
	all    chan struct{} // one for each that received the update of the round
}

func newReceivers(count int) *receivers {
	return &receivers{rounds: make([]atomic.Int64, count), all: make(chan struct{}, count)}
}

// received notes that one of them has received an update. An update that comes twice counts once.
func (r *receivers) received(which int) {
	if round := r.round.Load(); round > 0 && r.rounds[which].Swap(round) != round {
		r.all <- struct{}{}
	}
}

// ServeHTTP is the address of the receiver with the number in the path.
func (r *receivers) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	which, err := strconv.Atoi(strings.Trim(q.URL.Path, "/"))
	if err != nil || which < 0 || which >= len(r.rounds) {
		http.NotFound(w, q)
		return
	}
	_, _ = io.Copy(io.Discard, q.Body) // a sender that breaks off sends again
	w.WriteHeader(http.StatusNoContent)
	r.received(which)
}

// serve starts a server for them, and returns its address.
func (r *receivers) serve() (base string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("starting the receivers: %w", err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with Close
	return "http://" + l.Addr().String(), server.Close, nil
}

// measure has the origin change, and waits until all have received that, some times.
func (r *receivers) measure(ctx context.Context, b *bed, updates int) (times []time.Duration, heap int64, err error) {
	for range updates {
		if _, err := b.origin.Step("feed"); err != nil {
			return nil, 0, err
		}
		r.round.Add(1)
		start := time.Now()
		if _, err := b.node.PollNow(ctx, tidings.Owner, b.base+"feed"); err != nil {
			return nil, 0, err
		}
		late := time.NewTimer(pushPatience)
		for n := range r.rounds {
			select {
			case <-r.all:
			case <-late.C:
				return nil, 0, fmt.Errorf("%d of %d received an update within %s", n, len(r.rounds), pushPatience)
			case <-ctx.Done():
				return nil, 0, ctx.Err()
			}
		}
		times = append(times, time.Since(start))
		late.Stop()
	}
	g, err := readGauges(b.dir)
	return times, g.heap, err
}

// webhooks has people with as many targets each as they may have.
func webhooks(ctx context.Context, b *bed, w pushed, updates int) (_ []time.Duration, _ int64, err error) {
	r := newReceivers(w.count)
	base, stop, err := r.serve()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := b.fill(ctx, func(s *store.Store) error {
		if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
			return err
		}
		var person tidings.Person
		for i := range w.count {
			if i%tidings.MaxTargets == 0 {
				if person, err = s.Reader.AddPerson(ctx, fmt.Sprint("person", i), tidings.Reader, "hash"); err != nil {
					return err
				}
				follow := store.Subscription{URL: b.base + "feed", Privacy: tidings.Public}
				if _, _, err := s.Subscribe(ctx, person.ID, follow); err != nil {
					return err
				}
			}
			if _, err := s.Outbox.AddTarget(ctx, tidings.Target{
				Account: person.ID, Name: fmt.Sprint(i), Kind: tidings.Webhook, URL: fmt.Sprint(base, "/", i),
				Secret: notify.NewSecret(),
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	return r.measure(ctx, b, updates)
}

// subscribers has a hub with many subscriptions to one topic. They are put where the hub keeps those that it has
// verified.
func subscribers(ctx context.Context, b *bed, w pushed, updates int) (_ []time.Duration, _ int64, err error) {
	r := newReceivers(w.count)
	base, stop, err := r.serve()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	address, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}
	b.change = func(c *node.Config) { c.HTTP, c.PublicURL, c.Hub = address, "http://"+address, hub.Open }
	topic := b.base + "feed"
	bounds := tidings.HubBounds{All: w.count, PerTopic: w.count, PerDomain: w.count}
	if err := b.fill(ctx, func(s *store.Store) error {
		if _, err := s.Subscribers.Add(ctx, tidings.HubSubscriber); err != nil {
			return err
		}
		for i := range w.count {
			h := tidings.HubSubscription{
				Topic: topic, Callback: fmt.Sprint(base, "/", i), Channel: topic, Domain: "127.0.0.1",
				Secret:  fmt.Sprint("secret ", i),
				Expires: time.Now().Add(time.Hour),
			}
			if err := s.Hub.PutHubSubscription(ctx, websub.Key(topic), websub.Key(h.Callback), h, bounds); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	return r.measure(ctx, b, updates)
}

// freeAddress returns an address of loopback at which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// streamsOfClient is how many streams come from one address of loopback: a node grants one client a part of all
// connections.
const streamsOfClient = 1000

// streams has many live streams open, at the node's page. They come from 127.0.0.1 and the addresses that follow, which
// Linux has.
func streams(ctx context.Context, b *bed, w pushed, updates int) (_ []time.Duration, _ int64, err error) {
	r := newReceivers(w.count)
	opened, ended := make(chan struct{}, w.count), make(chan error, w.count)
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // its reader ends
		}
		for range conns {
			<-ended
		}
	}()
	for i := range w.count {
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+i/streamsOfClient))},
			Timeout: time.Minute}
		conn, err := from.DialContext(ctx, "tcp", strings.TrimPrefix(b.node.URL(), "http://"))
		if err != nil {
			return nil, 0, fmt.Errorf("opening stream %d: %w", i, err)
		}
		conns = append(conns, conn)
		go func() { ended <- readStream(conn, func() { opened <- struct{}{} }, func() { r.received(i) }) }()
		select {
		case <-opened:
		case err := <-ended:
			ended <- err
			return nil, 0, fmt.Errorf("opening stream %d: %w", i, err)
		case <-time.After(pushPatience):
			return nil, 0, fmt.Errorf("stream %d was not opened within %s", i, pushPatience)
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	return r.measure(ctx, b, updates)
}

// readStream requests the live stream and reads it until it ends. It calls opened at the first cursor, and update at
// each update.
func readStream(conn net.Conn, opened, update func()) error {
	if _, err := io.WriteString(conn, "GET "+api.Base+"stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return err
	}
	lines, whole, open := bufio.NewReaderSize(conn, 512), true, false
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		switch text := string(line); {
		case !whole: // the rest of a long line
		case !open && strings.HasPrefix(text, "id:"):
			open = true
			opened()
		case strings.HasPrefix(text, "event: update"):
			update()
		}
		whole = err == nil
	}
}

// fill stops the node, changes what it keeps, and starts it again.
func (b *bed) fill(ctx context.Context, change func(*store.Store) error) (err error) {
	if err := b.stopNode(); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Default(b.dir))
	if err != nil {
		return err
	}
	if err := errors.Join(change(s), s.Close()); err != nil {
		return err
	}
	return b.start(ctx)
}
