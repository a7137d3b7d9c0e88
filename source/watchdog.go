package source

import (
	"context"
	"sync"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// MaxLeftBehind bounds the polls that were given up and have not come back: each holds a goroutine, a
// connection and what it has read. When there are as many, further ones keep their slots until one comes
// back; status and doctor say so.
const MaxLeftBehind = 1024

// grace is how long a poll, or storing what it found, may outlast Schedule.Timeout before it is given up.
const grace = 15 * time.Second

// overrunPause is how long a channel rests whose poll was given up. It doubles with every such poll in a
// row, maxOverrunDoublings times at most: what hangs may do so again.
const (
	overrunPause        = 6 * time.Hour
	maxOverrunDoublings = 2
)

// stopWithin bounds how long Run waits for polls when its context has ended.
const stopWithin = 3 * time.Second

// lateAfter is how long a channel of this node's own may wait for its turn before that is worth a warning.
const lateAfter = 5 * time.Minute

// attempt is a poll under way, from its start until its result is stored. Scheduler.mu guards it.
type attempt struct {
	Job      // as it was at the start
	entry    *watch
	why      string // it is made
	began    time.Time
	until    time.Time // when it, or storing its result, is given up
	watchdog *time.Timer
	storing  bool // it has come back
	left     bool // it was given up, and has not come back
	over     bool // it has ended, or was given up
}

// begin starts a poll's watch. The caller holds x.mu.
func (x *Scheduler) begin(ctx context.Context, entry *watch) *attempt {
	a := &attempt{entry: entry, Job: entry.Job, why: entry.why, began: time.Now()}
	entry.Whole = false // what is asked for from now on is another poll's
	if a.why == "" {
		a.why = entry.Last.NextWhy
	}
	a.until = a.began.Add(x.schedule.Timeout + grace)
	a.watchdog = time.AfterFunc(x.schedule.Timeout+grace, func() { x.giveUp(ctx, a) })
	return a
}

// back notes that a poll has come back, or has been stored, and reports whether its result counts: not if the
// poll was given up meanwhile.
func (x *Scheduler) back(a *attempt, storing bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if a.left {
		a.left = false
		a.entry.left--
		x.left--
		return false
	}
	if x.stopped {
		return false
	}
	if a.storing = storing; storing {
		a.until = time.Now().Add(x.schedule.Timeout + grace)
		a.watchdog.Reset(x.schedule.Timeout + grace)
	} else {
		a.over = true
		a.watchdog.Stop()
	}
	return true
}

// giveUp ends a poll that has not come back in time, whatever it waits for: its slot goes to the next, and
// the channel backs off.
func (x *Scheduler) giveUp(ctx context.Context, a *attempt) {
	x.mu.Lock()
	late := !time.Now().Before(a.until) // not if it came back while the timer fired
	if !late || a.over || a.left || x.stopped || ctx.Err() != nil {
		x.mu.Unlock()
		return
	}
	full := x.left >= MaxLeftBehind
	if full {
		a.watchdog.Reset(grace)
	} else {
		a.over, a.left = true, true
		a.entry.left++
		x.left++
		x.count.Overran++
		x.release(a.entry)
		x.poke()
	}
	x.mu.Unlock()
	url := fetch.Redact(a.URL)
	switch {
	case full:
		x.log.Error("a poll hangs and keeps its slot, because too many hang already; restart the node", "channel", url,
			"hanging", MaxLeftBehind)
	case a.storing:
		x.log.Warn("what a poll found was not stored in time; it will be repeated", "channel", url)
		x.finish(a.entry,
			Result{Poll: tidings.Poll{At: a.began, Why: a.why, Error: "this node could not store it in time"}}, false)
	default:
		x.log.Warn("a poll overran its time and was given up", "channel", url, "after",
			time.Since(a.began).Round(time.Second))
		r := x.overrun(a)
		if err := x.record(ctx, a, r); err != nil { // it rests all the same
			x.log.Error("that a poll overran its time was not stored", "channel", url, "error", err)
		}
		x.finish(a.entry, r, true)
	}
}

// overrun is the result of a poll that was given up.
func (x *Scheduler) overrun(a *attempt) Result {
	x.mu.Lock()
	pause := overrunPause << min(a.entry.overran, maxOverrunDoublings)
	a.entry.overran++
	x.mu.Unlock()
	now := time.Now()
	next := now.Add(pause)
	if !a.Slot.IsZero() {
		next = a.Slot.After(next)
	}
	return Result{
		Poll: tidings.Poll{
			At: a.began, Why: a.why, Outcome: tidings.OutcomeFailed, Took: now.Sub(a.began),
			Error: "the poll overran its time and was given up",
			Next:  next, NextWhy: "another try after a long pause, because the last poll hung",
		},
		Memory: a.Memory, Health: tidings.HealthFailing, Failures: a.Failures + 1, Ended: a.Ended, Hold: next,
	}
}

// awaitAll waits until all polls have ended, but no longer than stopWithin: a poll that hangs does not keep the
// program from stopping. What it brings later is dropped.
func (x *Scheduler) awaitAll(polls *sync.WaitGroup) {
	ended := make(chan struct{})
	go func() { polls.Wait(); close(ended) }()
	timer := time.NewTimer(stopWithin)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		x.log.Warn("some polls have not come back; the node stops without them")
	}
	x.mu.Lock()
	x.stopped = true
	x.mu.Unlock()
}

// warnLate logs once when own channels begin to wait too long for their turn, which is polled once a
// minute. The caller holds x.mu.
func (x *Scheduler) warnLate(now time.Time) {
	if now.Sub(x.lateAt) < time.Minute {
		return
	}
	x.lateAt = now
	late := now.Sub(x.waitingSince(now)) > lateAfter
	if late && !x.late {
		x.log.Warn("channels wait too long for their turn to be polled", "overdue", x.parked-len(x.ready), "under way",
			x.running(), "slots", x.schedule.Polls)
	}
	x.late = late
}

// waitingSince returns since when the channel of this node's own has waited that has waited longest; now if none
// waits. The caller holds x.mu.
func (x *Scheduler) waitingSince(now time.Time) time.Time {
	if x.parked == len(x.ready) {
		return now
	}
	since := now
	for _, g := range x.gates {
		for _, entry := range g.waiting {
			if !entry.Guest && entry.since.Before(since) {
				since = entry.since
			}
		}
	}
	return since
}
