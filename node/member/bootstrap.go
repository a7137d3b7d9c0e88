package member

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
	"tidings/network/live"
	"tidings/view"
)

// How joining is tried again.
const (
	joinFirst   = time.Second     // the pause after the first failure; each further one doubles it
	joinLongest = 5 * time.Minute // the longest pause
	joinWithin  = 15 * time.Second
	joinCheck   = 10 * time.Second // between checks whether the node is alone again
)

// bootstrap joins other nodes by configured or remembered addresses. Each is tried until it works, with growing pauses,
// and again whenever the node finds itself alone. The node does everything else meanwhile. Quiet ones are tried once,
// and then only while it is alone.
type bootstrap struct {
	connect func(ctx context.Context, address string) error
	alone   func(context.Context) bool
	changed func() // what is shown has
	log     *slog.Logger

	mu   sync.Mutex
	list []*join
	poke chan struct{}
}

type join struct {
	view.Join
	quiet    bool // remembered from an earlier run, not asked for by a person: neither shown nor complained of
	failures int
	rest     time.Time // not tried again before
	busy     bool
	removed  bool
}

func newBootstrap(connect func(context.Context, string) error, alone func(context.Context) bool, changed func(),
	log *slog.Logger) *bootstrap {
	return &bootstrap{connect: connect, alone: alone, changed: changed, log: log, poke: make(chan struct{}, 1)}
}

// add puts an address on the list, to be tried at once. An address that is there already
// is tried at once as well.
func (b *bootstrap) add(address string, saved, quiet bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.list, func(k *join) bool { return k.Address == address })
	if at < 0 {
		if len(b.list) >= view.MaxJoins && (quiet || !b.dropQuietLocked()) {
			return tidings.Invalidf("a node can be told %d addresses to join by; remove one first", view.MaxJoins)
		}
		at = len(b.list)
		b.list = append(b.list, &join{Join: view.Join{Address: address}, quiet: true})
	}
	k := b.list[at]
	k.Saved, k.quiet = k.Saved || saved, k.quiet && quiet
	k.rest, k.failures = time.Time{}, 0
	if k.State != view.Joined {
		k.State, k.Next = view.Joining, time.Time{}
	}
	b.pokeLocked()
	return nil
}

// dropQuietLocked makes room for an address that a person gives, if it can.
func (b *bootstrap) dropQuietLocked() bool {
	at := slices.IndexFunc(b.list, func(k *join) bool { return k.quiet })
	if at < 0 {
		return false
	}
	b.dropLocked(at)
	return true
}

func (b *bootstrap) dropLocked(at int) {
	b.list[at].removed = true
	b.list = slices.Delete(b.list, at, at+1)
}

// remove removes an address from the list. A connection that it made stays.
func (b *bootstrap) remove(address string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.list, func(k *join) bool { return k.Address == address && !k.quiet })
	if at < 0 {
		return tidings.ErrNotFound
	}
	b.dropLocked(at)
	return nil
}

// shown returns what people asked for, in the order in which they did.
func (b *bootstrap) shown() []view.Join {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]view.Join, 0, len(b.list))
	for _, k := range b.list {
		if !k.quiet {
			list = append(list, k.Join)
		}
	}
	return list
}

// saved returns the addresses that are to be kept.
func (b *bootstrap) saved() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for _, k := range b.list {
		if k.Saved {
			list = append(list, k.Address)
		}
	}
	return list
}

func (b *bootstrap) pokeLocked() {
	select {
	case b.poke <- struct{}{}:
	default:
	}
}

// run tries what is due until ctx ends.
func (b *bootstrap) run(ctx context.Context) {
	var attempts sync.WaitGroup
	defer attempts.Wait()
	for {
		due := b.due(ctx, time.Now())
		for _, k := range due {
			attempts.Go(func() { b.try(ctx, k) })
		}
		if len(due) > 0 {
			b.changed()
		}
		wait := time.NewTimer(b.untilNext(time.Now()))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		case <-b.poke:
			wait.Stop()
		}
	}
}

// due returns the addresses that are to be tried now, marked as busy.
func (b *bootstrap) due(ctx context.Context, now time.Time) []*join {
	alone := b.alone(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*join
	for _, k := range b.list {
		if k.busy || now.Before(k.rest) || k.State == view.Joined && !alone {
			continue
		}
		if k.quiet && k.failures > 0 && !alone {
			k.rest = now.Add(joinCheck)
			continue
		}
		k.busy, k.State, k.Next = true, view.Joining, time.Time{}
		list = append(list, k)
	}
	return list
}

func (b *bootstrap) untilNext(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := joinCheck
	for _, k := range b.list {
		if k.State == view.Waiting {
			next = min(next, k.rest.Sub(now))
		}
	}
	return max(next, 0)
}

func (b *bootstrap) try(ctx context.Context, k *join) {
	bounded, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	err := b.connect(bounded, k.Address)
	if ctx.Err() != nil {
		return
	}
	if err != nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		err = live.ErrTimeout // in words for people
	}
	b.settle(k, err)
	b.changed()
}

func (b *bootstrap) settle(k *join, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.busy = false
	b.pokeLocked()
	if err == nil || errors.Is(err, errMyself) && k.quiet {
		k.State, k.Failure, k.failures = view.Joined, "", 0
		k.rest = time.Now().Add(joinCheck) // until it shows in the ring
		return
	}
	pause := min(joinFirst<<min(k.failures, 16), joinLongest)
	pause += rand.N(pause/4 + 1)
	k.failures++
	again := k.Failure == err.Error()
	k.rest = time.Now().Add(pause)
	k.State, k.Failure, k.Next = view.Waiting, err.Error(), k.rest
	if k.quiet || k.removed {
		return
	}
	level := slog.LevelWarn
	if again {
		level = slog.LevelDebug // said once
	}
	b.log.Log(context.Background(), level, "joining failed; it is tried again",
		"address", k.Address, "error", err, "next", pause.Round(time.Second))
}

// errMyself says that an address is the node's own.
var errMyself = errors.New("that address is this node's own")

// inVain reports whether every address has been tried and none worked; also, whether there is none.
func (b *bootstrap) inVain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !slices.ContainsFunc(b.list, func(k *join) bool { return k.failures == 0 })
}
