package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"tidings"
	"tidings/lab/cpu"
	"tidings/lab/origin"
	"tidings/view"
)

// workload is one kind of poll.
type workload struct {
	name string
	aim  float64 // polls a second a core
	opts origin.Options
	feed bool // a new state at each request; else one document for ever
}

// workloads returns what is measured of polls.
func workloads() []workload {
	plain := origin.Options{NoETag: true, NoLastModified: true, NoCompression: true}
	changing := plain
	changing.EachRequest = true
	return []workload{
		{"not modified (304)", 10_000, origin.Options{}, false},
		{"unchanged, no validators", 5_000, plain, false},
		{"changed feed, one new item", 600, changing, true},
	}
}

// Poll measures whole polls: asking, reading, comparing and storing. It prints a table.
func Poll(ctx context.Context, c Config, out io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d cores; %d channels, documents of %d bytes, %s each\n\n",
		runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), c.Channels, c.Bytes, c.For)
	// Memory comes first: a process keeps the memory that later measurements need.
	held, atRest, err := c.memory(ctx)
	if err != nil {
		return fmt.Errorf("measuring memory: %w", err)
	}
	fmt.Fprintf(out,
		"memory with %d channels: %.0f MB resident in the whole process once all were polled, %.0f MB at rest "+
			"(aim: 200 MB)\n\n", c.Held, held/1e6, atRest/1e6)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "polls\ta second\ta second a core\taim\tCPU a poll\t")
	for _, w := range workloads() {
		f, err := c.polls(ctx, w)
		if err != nil {
			return fmt.Errorf("measuring polls, %s: %w", w.name, err)
		}
		fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.0f\t%.0f µs\t\n", w.name, f.perSecond(), f.perCore(), w.aim,
			1e6/f.perCore())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	times, err := c.latency(ctx)
	if err != nil {
		return fmt.Errorf("measuring latency: %w", err)
	}
	_, err = fmt.Fprintf(out,
		"\nfrom the beginning of the poll to the listener's event, %d changes: median %s, 99%% %s, longest %s "+
			"(aim: 50 ms)\n",
		len(times), round(times[len(times)/2]), round(times[len(times)*99/100]), round(times[len(times)-1]))
	return err
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// figures are polls in a stretch of time.
type figures struct {
	polls     int64
	wall, cpu time.Duration
}

func (f figures) perSecond() float64 { return float64(f.polls) / f.wall.Seconds() }
func (f figures) perCore() float64   { return float64(f.polls) / f.cpu.Seconds() }

// ended returns how many polls have ended. Status.Polls counts those under way too, which may be more than a hundred.
func ended(s view.Status) (polls int64) {
	for _, n := range s.ByOutcome {
		polls += n
	}
	return polls
}

// polls counts the polls of a node with channels that are always due.
func (c Config) polls(ctx context.Context, w workload) (f figures, err error) {
	b, err := c.due(ctx, w)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	before, err := b.node.Status(ctx)
	if err != nil {
		return f, err
	}
	start, used := time.Now(), cpu.Time()
	select {
	case <-ctx.Done():
		return f, ctx.Err()
	case <-time.After(c.For):
	}
	after, err := b.node.Status(ctx)
	if err != nil {
		return f, err
	}
	f = figures{ended(after) - ended(before), time.Since(start), cpu.Time() - used}
	want := tidings.OutcomeNotModified
	if w.opts.NoETag {
		want = tidings.OutcomeUnchanged
	}
	if w.feed {
		want = tidings.OutcomeChanged
	}
	if as := after.ByOutcome[want] - before.ByOutcome[want]; as*100 < f.polls*99 {
		return f, fmt.Errorf("only %d of %d polls ended as %q: %v", as, f.polls, want, after.ByOutcome)
	}
	return f, nil
}

// due starts a node with channels that are always due.
func (c Config) due(ctx context.Context, w workload) (_ *bed, err error) {
	b, err := newBed(ctx, 100*time.Millisecond)
	if err != nil {
		return nil, err
	}
	names, err := b.feeds(c, w)
	if err == nil {
		err = b.follow(ctx, names)
	}
	if err != nil {
		return nil, errors.Join(err, b.stop())
	}
	return b, nil
}

// feeds makes the origin's documents.
func (b *bed) feeds(c Config, w workload) ([]string, error) {
	names := make([]string, c.Channels)
	for i := range names {
		names[i] = "feed" + strconv.Itoa(i)
		if err := b.origin.AddFeed(names[i], origin.MakeFeed(uint64(i), c.Items, c.Bytes), w.opts); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// settling is how long a node has been left alone that is at rest.
const settling = 30 * time.Second

// memory returns the bytes that a node holds that watches many channels: when it has just polled them, and at rest.
func (c Config) memory(ctx context.Context) (held, atRest float64, err error) {
	b, err := newBed(ctx, 30*time.Minute)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	// All channels have one document, so that next to nothing of the memory is the origin's.
	if err := b.origin.AddFeed("feed", origin.MakeFeed(1, c.Items, c.Bytes), origin.Options{}); err != nil {
		return 0, 0, err
	}
	names := make([]string, c.Held)
	for i := range names {
		names[i] = "feed?channel=" + strconv.Itoa(i)
	}
	if err := b.follow(ctx, names); err != nil {
		return 0, 0, err
	}
	status, err := b.node.Status(ctx)
	if err != nil {
		return 0, 0, err
	}
	held = float64(status.MemoryBytes)
	if err := sleep(ctx, settling); err != nil {
		return 0, 0, err
	}
	status, err = b.node.Status(ctx)
	return held, float64(status.MemoryBytes), err
}

// latency returns the times from the beginning of the poll that finds a change until a listener at the stream has it,
// sorted.
func (c Config) latency(ctx context.Context) (times []time.Duration, err error) {
	b, err := newBed(ctx, 24*time.Hour)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	if err := b.origin.AddFeed("feed", origin.MakeFeed(1, c.Items, c.Bytes), origin.Options{}); err != nil {
		return nil, err
	}
	if err := b.follow(ctx, []string{"feed"}); err != nil {
		return nil, err
	}
	received := make(chan time.Time, 1)
	listening, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_ = b.client.Follow(listening, 1, time.Time{}, func(tidings.Update) error {
			received <- time.Now()
			return nil
		})
	}()
	for range c.Changes {
		if _, err := b.origin.Step("feed"); err != nil {
			return nil, err
		}
		start := time.Now()
		if _, err := b.node.PollNow(ctx, tidings.Owner, b.base+"feed"); err != nil {
			return nil, err
		}
		select {
		case at := <-received:
			times = append(times, at.Sub(start))
		case <-time.After(10 * time.Second):
			return nil, errors.New("a change was not heard of within 10 s")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	slices.Sort(times)
	return times, nil
}
