package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"tidings"
)

// Store is what a dispatcher needs of the store.
type Store interface {
	Listen(ready func(target int64))
	Waiting(ctx context.Context) (targets []int64, err error)
	Next(ctx context.Context, target int64) (tidings.DeliveryJob, error)
	Delivered(ctx context.Context, j tidings.DeliveryJob) error
	Forgotten(ctx context.Context, j tidings.DeliveryJob) error
	Postpone(ctx context.Context, target int64, deliveries []int64, problem string, until time.Time) error
	GiveUp(ctx context.Context, target int64, deliveries []int64, problem string, until time.Time) error
	Suspend(ctx context.Context, target int64, problem string) error
}

// Config says how messages are delivered.
type Config struct {
	Store  Store
	Sender Sender
	Logger *slog.Logger

	// Concurrent is the number of quick slots: attempts under way at a time. Default: 64.
	Concurrent int
	// Slow is the time after which an attempt moves to a slow slot, if one is free. Default: 500 ms.
	Slow time.Duration
	// MaxSlow is the number of slow slots, for slow attempts and for targets with a failed last attempt. Default: 512.
	MaxSlow int
	// Timeout bounds an attempt; that of the Sender may be shorter. Default: 30 s.
	Timeout time.Duration
	// Patience is how long a failing message is tried. It counts from its entry into the outbox, from a retry by its
	// owner, or from when the target's schedule first let it be sent. Then the message is given up. Default: three
	// days.
	Patience time.Duration
}

// Bounds on waiting.
const (
	firstWait = 10 * time.Second
	mostWait  = time.Hour
	mostAsked = 24 * time.Hour // that a target can ask for
	diskWait  = time.Minute    // after the store failed
	mostHeld  = time.Minute    // that a message is held before its Sender is asked again

	// finalsAtOnce is how many messages in a row may be given up at once because the target will never accept them.
	// Beyond that, the target itself may be at fault. So the next has to wait as after other failures.
	finalsAtOnce = 3

	// retractions is after how many failures in a row, of whatever to the target, messages are not retracted.
	retractions = 3

	// Grace is how long attempts have when everything ends.
	Grace = 5 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	set(&c.Concurrent, 64)
	set(&c.Slow, 500*time.Millisecond)
	set(&c.MaxSlow, 512)
	set(&c.Timeout, 30*time.Second)
	set(&c.Patience, 72*time.Hour)
	return c
}

func set[T int | time.Duration](to *T, value T) {
	if *to == 0 {
		*to = value
	}
}

// Run delivers what waits, and what comes, until ctx is done. The error is that of the store at the start.
func Run(ctx context.Context, c Config) error {
	d := &dispatcher{Config: c.withDefaults(), lanes: make(map[int64]*lane)}
	d.ctx = ctx
	d.Store.Listen(d.wake)
	defer d.Store.Listen(nil)
	waiting, err := d.Store.Waiting(ctx)
	if err != nil {
		return fmt.Errorf("starting to deliver: %w", err)
	}
	for _, target := range waiting {
		d.wake(target)
	}
	<-ctx.Done()
	d.stop()
	d.attempts.Wait()
	return nil
}

// dispatcher has a lane for each target for which something is to be done.
type dispatcher struct {
	Config
	ctx      context.Context
	attempts sync.WaitGroup

	mu     sync.Mutex
	lanes  map[int64]*lane
	queues [2]queue // by class
	closed bool
}

// class is a class of slots.
type class int

const (
	quick class = iota
	slow
)

// queue is the lanes that wait for a slot of a class, in their order. It also has how many slots are in use.
type queue struct {
	lanes []*lane
	used  int
}

// lane is what is known of a target. One is forgotten when there is nothing to do.
type lane struct {
	target   int64
	state    state
	class    class       // of the slot that it has, or waits for
	again    bool        // it was woken while an attempt was under way
	troubled bool        // the last attempt failed
	timer    *time.Timer // wakes it; nil: none does

	accepted *tidings.DeliveryJob // what the target has accepted, and the store has not noted; nil: nothing
}

type state int

const (
	sleeping state = iota
	queued
	running
)

// wake looks at a target as soon as there is a slot.
func (d *dispatcher) wake(target int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lanes[target]
	if l == nil {
		l = &lane{target: target}
		d.lanes[target] = l
	}
	d.enqueue(l)
}

func (d *dispatcher) enqueue(l *lane) {
	if d.closed {
		return
	}
	switch l.state {
	case running:
		l.again = true
	case sleeping:
		l.sleep(0, nil)
		l.state, l.class = queued, quick
		if l.troubled {
			l.class = slow
		}
		q := &d.queues[l.class]
		q.lanes = append(q.lanes, l)
		d.start()
	}
}

// sleep has a lane woken after a time; 0: it is not.
func (l *lane) sleep(wait time.Duration, wake func()) {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if wait > 0 {
		l.timer = time.AfterFunc(wait, wake)
	}
}

// start begins attempts where there are slots.
func (d *dispatcher) start() {
	for c, most := range [2]int{quick: d.Concurrent, slow: d.MaxSlow} {
		q := &d.queues[c]
		for q.used < most && len(q.lanes) > 0 && !d.closed {
			l := q.lanes[0]
			q.lanes = q.lanes[1:]
			q.used++
			l.state = running
			d.attempts.Go(func() { d.run(l) })
		}
	}
}

// run makes one attempt.
func (d *dispatcher) run(l *lane) {
	late := time.AfterFunc(d.Slow, func() { d.slowDown(l) })
	next := d.attempt(l)
	late.Stop()

	d.mu.Lock()
	defer d.mu.Unlock()
	d.queues[l.class].used--
	l.state, l.troubled = sleeping, next.troubled
	switch again := l.again; {
	case again || next.more:
		l.again = false
		d.enqueue(l)
	case next.wait > 0 && !d.closed:
		l.sleep(next.wait, func() { d.wake(l.target) })
	default:
		delete(d.lanes, l.target)
	}
	d.start()
}

// slowDown moves a slow attempt to the other class, if there is room.
func (d *dispatcher) slowDown(l *lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.state != running || l.class != quick || d.queues[slow].used >= d.MaxSlow {
		return
	}
	d.queues[quick].used--
	d.queues[slow].used++
	l.class = slow
	d.start()
}

func (d *dispatcher) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, l := range d.lanes {
		l.sleep(0, nil)
	}
}

// next is what follows an attempt.
type next struct {
	more     bool          // there may be another message
	wait     time.Duration // until the next attempt; 0: there is nothing to wait for
	troubled bool
}

// attempt sends the next message to a target, if it is time, and notes what came of it. Its lane is running, so that
// nobody else uses l.accepted.
func (d *dispatcher) attempt(l *lane) next {
	target := l.target
	ctx, cancel := d.attemptContext()
	defer cancel()
	if l.accepted != nil { // and the store could not note it
		return d.noteAccepted(ctx, l)
	}
	j, err := d.Store.Next(ctx, target)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		return next{}
	case err != nil:
		return d.storeFailed(target, err)
	}
	if wait := time.Until(j.Due); !j.Due.IsZero() && wait > 0 {
		return next{wait: wait, troubled: j.Failures > 0}
	}
	if len(j.Parts)+len(j.Retracts) == 0 {
		if err := d.Store.Forgotten(ctx, j); err != nil {
			return d.storeFailed(target, err)
		}
		return next{more: true}
	}
	if err := d.Sender.Send(ctx, j.Target, messageOf(j)); err != nil {
		if d.ctx.Err() != nil {
			return next{} // it was called off
		}
		if held, ok := errors.AsType[*Held](err); ok {
			return d.hold(target, held)
		}
		return d.noteFailure(ctx, j, err)
	}
	l.accepted = receipt(j)
	return d.noteAccepted(ctx, l)
}

// receipt returns what the store needs to note of a job that was accepted: no contents.
func receipt(j tidings.DeliveryJob) *tidings.DeliveryJob {
	parts := make([]tidings.DeliveryPart, len(j.Parts))
	for i, p := range j.Parts {
		parts[i] = tidings.DeliveryPart{Update: tidings.Update{ID: p.Update.ID}, Revision: p.Revision}
	}
	j.Parts = parts
	return &j
}

// hold leaves a message where it is, until its Sender wants it again.
func (d *dispatcher) hold(target int64, held *Held) next {
	if held.Watch != nil {
		held.Watch(func() { d.wake(target) })
	}
	wait := held.After
	if wait <= 0 || wait > mostHeld {
		wait = mostHeld
	}
	return next{wait: wait}
}

// attemptContext is one that outlives the dispatcher by Grace.
func (d *dispatcher) attemptContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), d.Timeout)
	stop := context.AfterFunc(d.ctx, func() { time.AfterFunc(Grace, cancel) })
	return ctx, func() { stop(); cancel() }
}

// messageOf returns the message of a job.
func messageOf(j tidings.DeliveryJob) Message {
	if len(j.Retracts) > 0 {
		m := Message{ID: idOf(j, j.Retracts[0]) + "-read", Attempt: j.Failures + 1}
		for _, id := range j.Retracts {
			m.Retracts = append(m.Retracts, idOf(j, id))
		}
		return m
	}
	first, last := j.Deliveries[0], j.Deliveries[len(j.Deliveries)-1]
	m := Message{ID: idOf(j, first), Made: j.Made, Attempt: j.Tries + 1}
	if j.Digest {
		m.ID += fmt.Sprintf("-%d", last) // there may be more in it at the next attempt
		m.Digest = j.Parts
		return m
	}
	m.Update, m.Item = j.Parts[0].Update, j.Parts[0].Item
	return m
}

// idOf returns the ID of the message of a delivery. Targets of other nodes were made at other times.
func idOf(j tidings.DeliveryJob, delivery int64) string {
	return fmt.Sprintf("%x-%d", j.Target.Created.UnixMicro(), delivery)
}

// noteAccepted notes what a target has accepted. The store has its own time for that: the target may have used up that
// of the attempt.
func (d *dispatcher) noteAccepted(ctx context.Context, l *lane) next {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.Timeout)
	defer cancel()
	if err := d.Store.Delivered(ctx, *l.accepted); err != nil {
		return d.storeFailed(l.target, err)
	}
	l.accepted = nil
	return next{more: true}
}

// noteFailure notes why a target did not accept a message. The store has its own time for that.
func (d *dispatcher) noteFailure(ctx context.Context, j tidings.DeliveryJob, sent error) next {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.Timeout)
	defer cancel()
	var r Refusal
	if known := (*Refusal)(nil); errors.As(sent, &known) {
		r = *known
	}
	problem := problemOf(sent)
	d.Logger.Debug("a notification was not accepted", "target", j.Target.ID, "attempt", j.Tries+1, "problem", problem)
	wait := backOff(j.Failures, r.After)
	var err error
	result := next{wait: wait, troubled: true}
	switch {
	case len(j.Retracts) > 0 && !r.Gone:
		return d.noteUnretracted(ctx, j, r.Final, problem, result)
	case r.Gone:
		err = d.Store.Suspend(ctx, j.Target.ID, problem)
		result.wait = 0
	case r.Final && j.Failures < finalsAtOnce:
		err = d.Store.GiveUp(ctx, j.Target.ID, j.Deliveries, problem, time.Time{})
		result = next{more: true}
	case r.Final:
		err = d.Store.GiveUp(ctx, j.Target.ID, j.Deliveries, problem, time.Now().Add(wait))
	case time.Since(j.Ready) > d.Patience:
		err = d.Store.GiveUp(ctx, j.Target.ID, j.Deliveries, problem, time.Now().Add(wait))
	default:
		err = d.Store.Postpone(ctx, j.Target.ID, j.Deliveries, problem, time.Now().Add(wait))
	}
	if err != nil {
		return d.storeFailed(j.Target.ID, err)
	}
	return result
}

// noteUnretracted stores that messages were not retracted. It is tried a bounded number of times: new messages must not
// wait for that.
func (d *dispatcher) noteUnretracted(
	ctx context.Context, j tidings.DeliveryJob, final bool, problem string, failed next,
) next {
	var err error
	if !final {
		err = d.Store.Postpone(ctx, j.Target.ID, nil, problem, time.Now().Add(failed.wait))
	}
	if final || j.Failures+1 >= retractions {
		err = errors.Join(err, d.Store.Forgotten(ctx, j))
	}
	switch {
	case err != nil:
		return d.storeFailed(j.Target.ID, err)
	case final:
		return next{more: true}
	}
	return failed
}

// maxProblem bounds what is kept of why an attempt failed, in bytes.
const maxProblem = 500

func problemOf(err error) string {
	problem := tidings.Reason(err)
	if len(problem) > maxProblem {
		problem = strings.ToValidUTF8(problem[:maxProblem], "") + "…"
	}
	return problem
}

// backOff returns how long to wait after a failure, by the number of failures before it. If the target asked for a
// time, that counts too; 0: it did not.
func backOff(before int, asked time.Duration) time.Duration {
	wait := mostWait
	if before < 9 {
		wait = min(firstWait<<before, mostWait)
	}
	wait += time.Duration((rand.Float64() - 0.5) / 2 * float64(wait))
	return max(wait, min(asked, mostAsked))
}

// storeFailed leaves a target alone for a while.
func (d *dispatcher) storeFailed(target int64, err error) next {
	if d.ctx.Err() != nil {
		return next{}
	}
	d.Logger.Error("the outbox cannot be read or written; trying again in a minute", "target", target, "error", err)
	return next{wait: diskWait, troubled: true}
}
