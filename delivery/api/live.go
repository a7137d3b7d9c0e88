package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

// live is the live end of all accounts' updates. An account has a feed while it has
// streams: one goroutine that reads each new update once and encodes it once, however
// many streams send it.
type live struct {
	config Config

	mu      sync.Mutex
	streams int
	feeds   map[tidings.AccountID]*liveFeed
}

func newLive(c Config) *live {
	return &live{config: c, feeds: map[tidings.AccountID]*liveFeed{}}
}

// frame is an encoded update.
type frame struct {
	id    int64
	event []byte // as a server-sent event
	line  []byte // the part of event that is the JSON object, as a line with its end

	withdraws bool // it says that an item is withdrawn, which frames before may have
}

func frameOf(u tidings.Update) (frame, error) {
	object, err := encode(u)
	if err != nil {
		return frame{}, err
	}
	head := "id: " + strconv.FormatInt(u.ID, 10) + "\nevent: update\ndata: "
	event := make([]byte, 0, len(head)+len(object)+1)
	event = append(event, head...)
	event = append(event, object...)
	event = append(event, '\n')
	withdraws := slices.ContainsFunc(u.Items, func(i tidings.Item) bool { return i.News.Withdrawn() })
	return frame{u.ID, event, event[len(head) : len(head)+len(object)], withdraws}, nil
}

// liveFeed holds an account's most recent updates: all that the account sees with base < ID <= head. A stream that is
// further behind reads the store.
type liveFeed struct {
	streams int // guarded by live.mu
	stop    context.CancelFunc
	ready   chan struct{} // closed when head is known

	mu     sync.Mutex
	base   int64
	head   int64
	frames []frame
	bytes  int
	grown  chan struct{} // closed and replaced when head rises
}

// join returns the account's feed once its head is known. The caller owes a leave.
func (l *live) join(ctx context.Context, account tidings.AccountID) (*liveFeed, error) {
	f, err := l.enter(account)
	if err != nil {
		return nil, err
	}
	select {
	case <-f.ready:
		return f, nil
	case <-ctx.Done():
		l.leave(account, f)
		return nil, ctx.Err()
	}
}

// reserve counts one stream among all that may be open. The caller owes a release.
func (l *live) reserve() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams >= l.config.MaxStreams {
		return refuse(http.StatusServiceUnavailable, "too many live streams are open", "close some, or try again later")
	}
	l.streams++
	return nil
}

func (l *live) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams--
}

func (l *live) enter(account tidings.AccountID) (*liveFeed, error) {
	if err := l.reserve(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.feeds[account]
	if f == nil {
		ctx, stop := context.WithCancel(context.Background())
		f = &liveFeed{stop: stop, ready: make(chan struct{}), grown: make(chan struct{})}
		l.feeds[account] = f
		go l.pump(ctx, account, f)
	}
	f.streams++
	return f, nil
}

func (l *live) leave(account tidings.AccountID, f *liveFeed) {
	defer l.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.streams--; f.streams == 0 {
		f.stop()
		delete(l.feeds, account)
	}
}

// pump fills f until ctx ends.
func (l *live) pump(ctx context.Context, account tidings.AccountID, f *liveFeed) {
	log := l.config.Logger.With("account", account)
	store, wait := l.config.Store, backOff{least: 100 * time.Millisecond, most: 30 * time.Second}
	for f.begin(ctx, store, account, log) != nil {
		if wait.sleep(ctx) != nil {
			return
		}
	}
	wait.reset()
	for {
		// The channel is fetched before the read. So an update stored after the read closes this very channel.
		wake := l.config.Node.Wake()
		if err := f.fill(ctx, store, account, &l.config); err != nil {
			if ctx.Err() == nil {
				log.Error("live stream cannot read updates", "error", err)
			}
			if wait.sleep(ctx) != nil {
				return
			}
			continue
		}
		wait.reset()
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// begin finds the newest update: the feed holds what comes after it.
func (f *liveFeed) begin(ctx context.Context, store Store, account tidings.AccountID, log *slog.Logger) error {
	newest, err := store.Updates(ctx, account, tidings.UpdateQuery{Newest: true, Limit: 1})
	if err != nil {
		if ctx.Err() == nil {
			log.Error("live stream cannot begin", "error", err)
		}
		return err
	}
	if len(newest) > 0 {
		f.base, f.head = newest[0].ID, newest[0].ID
	}
	close(f.ready)
	return nil
}

// fill reads all updates after head.
func (f *liveFeed) fill(ctx context.Context, store Store, account tidings.AccountID, c *Config) error {
	for {
		batch, err := store.Updates(ctx, account, tidings.UpdateQuery{After: f.headID(), Limit: memory.Rows,
			Bytes: memory.Piece})
		if err != nil || len(batch) == 0 {
			return err
		}
		frames, err := framesOf(batch)
		if err != nil {
			return err
		}
		f.grow(frames, c.Recent, c.RecentBytes)
	}
}

func framesOf(updates []tidings.Update) ([]frame, error) {
	frames := make([]frame, len(updates))
	for i, u := range updates {
		var err error
		if frames[i], err = frameOf(u); err != nil {
			return nil, err
		}
	}
	return frames, nil
}

func (f *liveFeed) headID() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head
}

// grow adds newer frames and drops the oldest above the bounds.
func (f *liveFeed) grow(newer []frame, most, mostBytes int) {
	if len(newer) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range newer {
		if x.withdraws { // a client that is behind reads the store, which has nothing of the item any more
			f.base, f.frames, f.bytes = f.head, nil, 0
		}
		f.frames = append(f.frames, x)
		f.bytes += len(x.event)
		f.head = x.id
	}
	drop := 0
	for drop < len(f.frames) && (len(f.frames)-drop > most || f.bytes > mostBytes) {
		f.base = f.frames[drop].id
		f.bytes -= len(f.frames[drop].event)
		drop++
	}
	f.frames = append([]frame(nil), f.frames[drop:]...) // nothing dropped stays in memory
	close(f.grown)
	f.grown = make(chan struct{})
}

// after returns the frames with larger IDs than cursor, one piece of them at most. It also returns the channel that is
// closed when there are more. ok is false if needed frames were dropped already.
func (f *liveFeed) after(cursor int64) (frames []frame, grown <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cursor < f.base {
		return nil, nil, false
	}
	first := len(f.frames)
	for first > 0 && f.frames[first-1].id > cursor {
		first--
	}
	last, size := first, 0
	for last < len(f.frames) && last < first+memory.Rows && size < memory.Piece {
		size += len(f.frames[last].event)
		last++
	}
	return append([]frame(nil), f.frames[first:last]...), f.grown, true
}
