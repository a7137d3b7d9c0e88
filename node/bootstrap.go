package node

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
)

// How joining is tried again.
const (
	joinFirst   = time.Second     // the pause after the first failure; each further one doubles it
	joinLongest = 5 * time.Minute // the longest pause
	joinWithin  = 15 * time.Second
	joinCheck   = 10 * time.Second // between checks whether the node is alone again
)

// joins are the addresses by which the node was told to join others. Each is tried until
// it works, with growing pauses, and again whenever the node finds itself alone. The node
// does everything else meanwhile. Quiet ones are tried once, and then only while it is alone.
type joins struct {
	connect func(ctx context.Context, address string) error
	alone   func(context.Context) bool
	changed func() // something of List is different
	log     *slog.Logger

	mu   sync.Mutex
	list []*join
	poke chan struct{}
}

type join struct {
	tidings.Join
	quiet    bool // remembered from an earlier run, not asked for by a person: neither shown nor complained of
	failures int
	rest     time.Time // not tried again before
	busy     bool
	removed  bool
}

func newJoins(connect func(context.Context, string) error, alone func(context.Context) bool, changed func(), log *slog.Logger) *joins {
	return &joins{connect: connect, alone: alone, changed: changed, log: log, poke: make(chan struct{}, 1)}
}

// add puts an address on the list, to be tried at once. An address that is there already
// is tried at once as well.
func (j *joins) add(address string, saved, quiet bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.IndexFunc(j.list, func(k *join) bool { return k.Address == address })
	if at < 0 {
		if len(j.list) >= tidings.MaxJoins && (quiet || !j.dropQuietLocked()) {
			return invalid("a node can be told %d addresses to join by; remove one first", tidings.MaxJoins)
		}
		at = len(j.list)
		j.list = append(j.list, &join{Join: tidings.Join{Address: address}, quiet: true})
	}
	k := j.list[at]
	k.Saved, k.quiet = k.Saved || saved, k.quiet && quiet
	k.rest, k.failures = time.Time{}, 0
	if k.State != tidings.Joined {
		k.State, k.Next = tidings.Joining, time.Time{}
	}
	j.pokeLocked()
	return nil
}

// dropQuietLocked makes room for an address that a person gives, if it can.
func (j *joins) dropQuietLocked() bool {
	at := slices.IndexFunc(j.list, func(k *join) bool { return k.quiet })
	if at < 0 {
		return false
	}
	j.dropLocked(at)
	return true
}

func (j *joins) dropLocked(at int) {
	j.list[at].removed = true
	j.list = slices.Delete(j.list, at, at+1)
}

// remove takes an address off the list. A connection that it made stays.
func (j *joins) remove(address string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.IndexFunc(j.list, func(k *join) bool { return k.Address == address && !k.quiet })
	if at < 0 {
		return tidings.ErrNotFound
	}
	j.dropLocked(at)
	return nil
}

// shown returns what people asked for, in the order in which they did.
func (j *joins) shown() []tidings.Join {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]tidings.Join, 0, len(j.list))
	for _, k := range j.list {
		if !k.quiet {
			list = append(list, k.Join)
		}
	}
	return list
}

// saved returns the addresses that are to be kept.
func (j *joins) saved() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []string
	for _, k := range j.list {
		if k.Saved {
			list = append(list, k.Address)
		}
	}
	return list
}

func (j *joins) pokeLocked() {
	select {
	case j.poke <- struct{}{}:
	default:
	}
}

// run tries what is due until ctx ends.
func (j *joins) run(ctx context.Context) {
	var attempts sync.WaitGroup
	defer attempts.Wait()
	for {
		due := j.due(ctx, time.Now())
		for _, k := range due {
			attempts.Go(func() { j.try(ctx, k) })
		}
		if len(due) > 0 {
			j.changed()
		}
		wait := time.NewTimer(j.untilNext(time.Now()))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		case <-j.poke:
			wait.Stop()
		}
	}
}

// due returns the addresses that are to be tried now, marked as busy.
func (j *joins) due(ctx context.Context, now time.Time) []*join {
	alone := j.alone(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []*join
	for _, k := range j.list {
		if k.busy || now.Before(k.rest) || k.State == tidings.Joined && !alone {
			continue
		}
		if k.quiet && k.failures > 0 && !alone {
			k.rest = now.Add(joinCheck)
			continue
		}
		k.busy, k.State, k.Next = true, tidings.Joining, time.Time{}
		list = append(list, k)
	}
	return list
}

func (j *joins) untilNext(now time.Time) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	next := joinCheck
	for _, k := range j.list {
		if k.State == tidings.Waiting {
			next = min(next, k.rest.Sub(now))
		}
	}
	return max(next, 0)
}

func (j *joins) try(ctx context.Context, k *join) {
	bounded, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	err := j.connect(bounded, k.Address)
	if ctx.Err() != nil {
		return
	}
	if err != nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		err = live.ErrTimeout // in words for people
	}
	j.settle(k, err)
	j.changed()
}

func (j *joins) settle(k *join, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	k.busy = false
	j.pokeLocked()
	if err == nil || errors.Is(err, errMyself) && k.quiet {
		k.State, k.Failure, k.failures = tidings.Joined, "", 0
		k.rest = time.Now().Add(joinCheck) // until it shows in the ring
		return
	}
	pause := min(joinFirst<<min(k.failures, 16), joinLongest)
	pause += rand.N(pause/4 + 1)
	k.failures++
	again := k.Failure == err.Error()
	k.rest = time.Now().Add(pause)
	k.State, k.Failure, k.Next = tidings.Waiting, err.Error(), k.rest
	if k.quiet || k.removed {
		return
	}
	level := slog.LevelWarn
	if again {
		level = slog.LevelDebug // said once
	}
	j.log.Log(context.Background(), level, "joining failed; it is tried again",
		"address", k.Address, "error", err, "next", pause.Round(time.Second))
}

// errMyself says that an address is the node's own.
var errMyself = errors.New("that address is this node's own")

// inVain tells whether every address has been tried and none worked; also, whether there is none.
func (j *joins) inVain() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return !slices.ContainsFunc(j.list, func(k *join) bool { return k.failures == 0 })
}
