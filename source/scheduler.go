package source

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tidings"
	"tidings/source/fetch"
	"tidings/source/websub"
)

// Job is a channel under watch, with what is remembered of its origin.
type Job struct {
	tidings.Channel
	Access   tidings.Access // of the channel's own origin; never shown, never logged
	Memory   []byte         // of the origin, as Result.Memory gave it; nil before the first poll
	Noise    []byte         // learned of a page, as Result.Noise gave it
	Next     time.Time
	Last     tidings.Poll
	Failures int
	Ended    bool // it is polled only when a person asks

	Slot   Slot      // when the network polls it
	Hold   time.Time // no poll before, whatever the slot: what the last poll learnt
	Shared bool      // its content is compared with what other nodes see
	Guest  bool      // nobody here follows it: it is polled for others
	Whole  bool      // the next poll asks for the whole document, and reads it, whatever is known of it
}

// continues makes w go on from what is stored of its channel. The network's part stays as it is.
func (w *Job) continues(stored Job) {
	stored.Slot, stored.Hold, stored.Shared, stored.Guest, stored.Whole = w.Slot, w.Hold, w.Shared, w.Guest, w.Whole
	*w = stored
}

// access returns what is sent to where the channel is fetched now, and how that is reached.
func (w *Job) access() tidings.Access {
	return fetch.AccessAt(w.Access, tidings.PublicURL(w.URL), w.Origin())
}

// Result is the outcome of one poll. It has not happened until the sink has stored it.
type Result struct {
	Poll     tidings.Poll
	Memory   []byte
	Noise    []byte // nil: as before
	Health   tidings.Health
	Failures int
	Since    time.Time // of the first of these failures
	Moved    string    // where the channel is fetched from now on; empty: as before
	Ended    bool      // never poll again
	Hold     time.Time
	// Wait and Least are what the origin asked of its pollers: to be left alone for so long,
	// and so much time between polls. 0: nothing.
	Wait, Least time.Duration
	Change      *tidings.Change
	// Document is what a feed's document that was read says of pushes; nil: none was read.
	Document *Document
	// Hubs is what the document that was read says of hubs, where that is wanted; nil: none was read.
	Hubs *websub.Discovery
	// Err says that this node was not able to make the poll, through no fault of the
	// origin's. Nothing else in the result counts then.
	Err error
}

// Sink stores results, one at a time for a channel.
type Sink interface {
	// RecordPoll stores a result whole or not at all. After an error the watcher acts
	// as if the poll had not been, so that what it found is found again. tidings.ErrStale: the change that it found was
	// compared with what is the latest version no longer. Then the channel goes on from Job.
	RecordPoll(ctx context.Context, w Job, r Result) error
	// Job returns a channel as it is stored now, without the network's part. tidings.ErrNotFollowed: it is not.
	Job(ctx context.Context, url string) (Job, error)
}

// Schedule bounds how a Scheduler works.
type Schedule struct {
	// Polls is how many polls may be under way at a time: slots. Guests occupy at most half of them. Guests of origins
	// that have not proved to be quick occupy at most an eighth. If there are fewer slots, each of these has one.
	Polls int
	// PerHost is how many of them may go to one origin host, all but one of them for guests; 0: no such bound,
	// nor one on guests below one registered domain.
	PerHost int
	// Again is how soon a person may ask for another poll of the same channel.
	Again time.Duration
	// Timeout ends a poll that lasts longer. One that does not end then is given up soon after,
	// whatever it waits for, and its slot is free for others. It bounds storing a result as well.
	Timeout time.Duration
	// Retry is when a poll is repeated whose result could not be stored. It doubles with
	// every failure in a row, five times at most: the origin has no part in it.
	Retry time.Duration
}

// DefaultSchedule returns what an ordinary node uses: 256 polls a time hold at
// most 256 documents in memory, and let slow origins wait without holding up others.
func DefaultSchedule() Schedule {
	return Schedule{Polls: 256, PerHost: 2, Again: 30 * time.Second, Timeout: 2 * time.Minute, Retry: time.Minute}
}

// ErrTooSoon says that a person asked for a poll too soon after another.
var ErrTooSoon = errors.New("checked only just now")

// Scheduler polls each of its channels when it is due, never twice at a time.
type Scheduler struct {
	poll     func(ctx context.Context, w Job, why string) Result
	sink     Sink
	schedule Schedule
	log      *slog.Logger

	mu      sync.Mutex
	byURL   map[string]*watch
	due     dueHeap
	gates   map[string]*gate // those on somebody's route
	ready   []*watch         // parked, and through all gates
	parked  int
	left    int  // polls that were given up and have not come back
	late    bool // own channels wait too long, as of lateAt
	lateAt  time.Time
	stopped bool          // Run has ended
	kick    chan struct{} // of size 1: something changed that the loop must see
	count   Counts
}

// Counts are totals since the watcher was made, and gauges of now.
type Counts struct {
	Polls, Bytes, Updates int64
	ByOutcome             map[tidings.Outcome]int64
	PollingNow, Overdue   int
	Next                  time.Time // of the earliest poll; zero: none is planned

	Slots      int           // how many polls may be under way at a time
	Overran    int64         // polls that did not come back in time and were given up
	LeftBehind int           // of them have not come back so far
	Waited     time.Duration // how long the own channel has waited for its turn that has waited longest
}

type watch struct {
	Job
	why      string // of the poll to come; empty: by plan
	state    watchState
	index    int       // in due; -1: not there
	route    []*gate   // while parked or polling
	past     int       // how many gates of route it has passed
	since    time.Time // when it was parked
	owes     int       // quick polls that a guest owes before it counts as proven
	overran  int       // polls in a row that were given up
	left     int       // of them have not come back
	again    string    // why it is polled once more when the poll under way has ended; empty: it is not
	gone     bool
	asked    []chan Result // people that wait for the next poll to end
	late     []chan Result // those that came when the poll under way was being stored, and wait for the one after it
	storing  time.Time     // since when the result of the poll under way is being stored; zero: it is not
	changed  func(*Job)
	lost     int  // polls in a row whose result could not be stored
	repeated bool // the last poll was overtaken by another, and the one to come answers those that wait for it
}

// maxDoublings bounds how far Schedule.Retry grows.
const maxDoublings = 5

type watchState int

const (
	resting watchState = iota // in due, or never to be polled again
	parked                    // due; waits at a gate
	polling
)

// NewScheduler returns a watcher of no channels that polls by poll. It starts nothing.
func NewScheduler(poll func(context.Context, Job, string) Result, sink Sink, s Schedule, log *slog.Logger) *Scheduler {
	return &Scheduler{
		poll: poll, sink: sink, schedule: s, log: log,
		byURL: make(map[string]*watch), gates: make(map[string]*gate),
		kick:  make(chan struct{}, 1),
		count: Counts{ByOutcome: make(map[tidings.Outcome]int64)},
	}
}

// Add puts a channel under watch, to be polled at w.Next (zero: never by itself).
// A channel already under watch stays as it is.
func (x *Scheduler) Add(w Job) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, ok := x.byURL[w.URL]; ok && !old.gone {
		return
	}
	entry := &watch{Job: w, index: -1}
	entry.judge(w.Last)
	x.byURL[w.URL] = entry
	x.rest(entry)
	x.poke()
}

// Has reports whether a channel is under watch.
func (x *Scheduler) Has(url string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.byURL[url]
	return ok
}

// Unseen reports whether a channel is under watch at which no poll has ended so far.
func (x *Scheduler) Unseen(url string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.byURL[url]
	return ok && entry.Last.At.IsZero()
}

// Remove ends the watch of a channel. A poll under way is finished, and its result dropped.
func (x *Scheduler) Remove(url string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.byURL[url]
	if !ok {
		return
	}
	delete(x.byURL, url)
	entry.gone = true
	if entry.index >= 0 {
		heap.Remove(&x.due, entry.index)
	}
	if entry.state == parked {
		x.unpark(entry)
	}
	entry.join()
	entry.answer(Result{})
}

// Change alters a channel under watch, at once or when the poll under way has ended.
func (x *Scheduler) Change(url string, alter func(*Job)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.byURL[url]
	if !ok {
		return
	}
	if entry.state == polling {
		if before := entry.changed; before != nil {
			entry.changed = func(w *Job) { before(w); alter(w) }
		} else {
			entry.changed = alter
		}
		return
	}
	guest := entry.Guest
	alter(&entry.Job)
	switch {
	case entry.state == resting:
		x.rest(entry)
	case guest != entry.Guest: // it goes by other gates from now on
		since := entry.since
		x.unpark(entry)
		x.park(entry)
		entry.since = since
	}
	x.poke()
}

// Now polls a channel out of its turn and returns the result. It joins a poll that is due or under way already, but for
// one that is being stored: what that one calls a change may have been shown before. Errors: tidings.ErrNotFollowed,
// ErrTooSoon.
func (x *Scheduler) Now(ctx context.Context, url, why string) (Result, error) {
	answer := make(chan Result, 1)
	x.mu.Lock()
	entry, ok := x.byURL[url]
	if !ok {
		x.mu.Unlock()
		return Result{}, checking(url, tidings.ErrNotFollowed)
	}
	storing := entry.state == polling && !entry.storing.IsZero()
	last := entry.Last.At
	if storing {
		last = entry.storing
	}
	if since := time.Since(last); (entry.state == resting || storing) && since < x.schedule.Again {
		x.mu.Unlock()
		wait := (x.schedule.Again - since).Round(time.Second)
		return Result{}, checking(url, fmt.Errorf("%w (try again in %s)", ErrTooSoon, wait))
	}
	if entry.state == resting && entry.left > 0 {
		x.mu.Unlock()
		return Result{}, checking(url, fmt.Errorf("%w (its last poll hangs)", ErrTooSoon))
	}
	if storing {
		entry.late, entry.again = append(entry.late, answer), why
	} else {
		entry.asked = append(entry.asked, answer)
	}
	if entry.state == resting {
		entry.why = why
		x.park(entry)
		x.poke()
	} else if entry.state == parked && entry.why == "" {
		x.prefer(entry, why)
	}
	x.mu.Unlock()
	select {
	case r := <-answer:
		if r.Poll.At.IsZero() {
			return r, checking(url, tidings.ErrNotFollowed)
		}
		return r, nil
	case <-ctx.Done():
		return Result{}, checking(url, ctx.Err())
	}
}

func checking(url string, err error) error {
	return &tidings.Failure{Op: "checking", Address: url, Err: err}
}

// Check has a channel polled out of its turn, and does not wait for that: by a poll that has not
// begun yet. It returns false if the channel is not under watch, has ended, or its origin wants no poll now.
func (x *Scheduler) Check(url, why string) bool { return x.check(url, why, false) }

// CheckWhole is Check where others have seen a change: the origin is not asked whether there is one, in case it says
// no for ever.
func (x *Scheduler) CheckWhole(url, why string) bool { return x.check(url, why, true) }

func (x *Scheduler) check(url, why string, whole bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.byURL[url]
	if !ok || entry.Ended || entry.state == resting && entry.Hold.After(time.Now()) {
		return false
	}
	entry.Whole = entry.Whole || whole
	switch entry.state {
	case resting:
		entry.why = why
		x.park(entry)
		x.poke()
	case parked:
		if entry.why == "" {
			x.prefer(entry, why)
		}
	case polling:
		entry.again = why
	}
	return true
}

// Counts returns how much was done so far and what is planned.
func (x *Scheduler) Counts() Counts {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.count
	c.ByOutcome = make(map[tidings.Outcome]int64, len(x.count.ByOutcome))
	for o, n := range x.count.ByOutcome {
		c.ByOutcome[o] = n
	}
	now := time.Now()
	c.PollingNow, c.Overdue, c.Slots = x.running(), x.parked, x.schedule.Polls
	c.LeftBehind, c.Waited = x.left, now.Sub(x.waitingSince(now))
	if len(x.due) > 0 {
		c.Next = x.due[0].Next
	}
	return c
}

// running is how many polls are under way. The caller holds x.mu.
func (x *Scheduler) running() int {
	if all := x.gates["all"]; all != nil {
		return all.held - len(x.ready)
	}
	return 0
}

// Run polls channels as they become due, until ctx ends and all polls have ended, or stopWithin later.
func (x *Scheduler) Run(ctx context.Context) {
	var polls sync.WaitGroup
	defer x.awaitAll(&polls)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		x.mu.Lock()
		now := time.Now()
		for len(x.due) > 0 && !x.due[0].Next.After(now) {
			x.park(heap.Pop(&x.due).(*watch))
		}
		for _, entry := range x.ready {
			entry.state = polling
			a := x.begin(ctx, entry)
			polls.Go(func() { x.run(ctx, a) })
		}
		x.parked -= len(x.ready)
		x.ready = nil
		pause := time.Hour
		if len(x.due) > 0 {
			pause = x.due[0].Next.Sub(now)
		}
		if x.warnLate(now); x.parked > 0 {
			pause = min(pause, time.Minute) // to see how long they wait
		}
		x.mu.Unlock()
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return
		case <-x.kick:
		case <-timer.C:
		}
	}
}

// run makes one poll and records it.
func (x *Scheduler) run(ctx context.Context, a *attempt) {
	polling, cancel := context.WithTimeout(ctx, x.schedule.Timeout)
	r := x.poll(polling, a.Job, a.why)
	cancel()
	if !x.back(a, true) {
		return
	}
	if ctx.Err() != nil && !r.Poll.Outcome.Read() {
		if x.back(a, false) {
			x.finish(a.entry, r, false) // cut off by the end of the program, not by the origin
		}
		return
	}
	err := r.Err
	var stored *Job // after another poll or another node was first
	if err == nil {
		err = x.record(ctx, a, r)
	}
	if errors.Is(err, tidings.ErrStale) {
		stored = x.stored(ctx, a)
	}
	if !x.back(a, false) {
		return
	}
	switch {
	case errors.Is(err, tidings.ErrStale):
		x.log.Debug("a check was overtaken; it will be repeated", "channel", fetch.Redact(a.URL))
		if stored != nil {
			x.overtaken(a, r, *stored)
			return
		}
	case err != nil:
		x.log.Error("a check failed within this node; it will be repeated", "channel", fetch.Redact(a.URL), "error",
			err)
		r.Poll.Error = "this node could not store it: " + err.Error()
	}
	x.finish(a.entry, r, err == nil)
}

// record stores a result, unless the channel is watched no more. That is not cut off when the program ends, but ends in
// time.
func (x *Scheduler) record(ctx context.Context, a *attempt, r Result) error {
	x.mu.Lock()
	gone := a.entry.gone
	a.entry.storing = time.Now()
	x.mu.Unlock()
	if gone {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.schedule.Timeout)
	defer cancel()
	return x.sink.RecordPoll(ctx, a.Job, r)
}

// stored returns the channel of a poll that was overtaken, as it is stored now; nil: it cannot be read.
func (x *Scheduler) stored(ctx context.Context, a *attempt) *Job {
	ctx, cancel := context.WithTimeout(ctx, x.schedule.Timeout)
	defer cancel()
	j, err := x.sink.Job(ctx, a.URL)
	if err != nil {
		return nil
	}
	return &j
}

// overtaken has the channel of a poll go on from what another has stored meanwhile. If somebody waits for the result,
// the poll is made once more at once, but never twice: what this one calls a change may be known.
func (x *Scheduler) overtaken(a *attempt, r Result, stored Job) {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry := a.entry
	x.release(entry)
	x.tally(r)
	entry.continues(stored)
	entry.Hold = r.Hold
	entry.judge(r.Poll)
	if entry.join(); !entry.repeated && !entry.gone && len(entry.asked) > 0 {
		entry.repeated, entry.again = true, ""
		entry.change()
		x.park(entry)
		x.poke()
		return
	}
	if !entry.Next.IsZero() && !entry.Next.After(time.Now()) {
		x.retry(entry)
	}
	x.conclude(entry, r)
}

// finish answers the requesters of a poll, and puts entry back to rest. The next poll is as the result says, or, if it
// was not recorded, another try.
func (x *Scheduler) finish(entry *watch, r Result, recorded bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.release(entry)
	if recorded {
		x.tally(r)
		entry.apply(r)
		entry.lost = 0
	} else {
		x.retry(entry)
	}
	x.conclude(entry, r)
}

// retry plans another try of a poll that was not recorded. The caller holds x.mu.
func (x *Scheduler) retry(entry *watch) {
	entry.Next = time.Now().Add(x.schedule.Retry << min(entry.lost, maxDoublings))
	entry.lost++
}

// conclude answers those that wait for a poll, and puts entry back to rest. The caller holds x.mu.
func (x *Scheduler) conclude(entry *watch, r Result) {
	entry.repeated = false
	entry.change()
	entry.why = ""
	entry.answer(r)
	entry.join()
	x.rest(entry)
	if again := entry.again; again != "" {
		entry.again = ""
		if !entry.gone && !entry.Ended && !entry.Hold.After(time.Now()) {
			entry.why = again
			x.park(entry)
		}
	}
	if entry.state == resting {
		entry.answer(r) // there is no other poll for those that came late
	}
	x.poke()
}

// Count adds a poll that was made outside the watcher to its counts.
func (x *Scheduler) Count(r Result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tally(r)
}

func (x *Scheduler) tally(r Result) {
	x.count.Polls++
	x.count.Bytes += r.Poll.Bytes
	x.count.ByOutcome[r.Poll.Outcome]++
	if r.Poll.Outcome == tidings.OutcomeChanged {
		x.count.Updates++
	}
}

// change makes the changes that waited for the poll to end.
func (e *watch) change() {
	if e.changed != nil {
		e.changed(&e.Job)
		e.changed = nil
	}
}

func (e *watch) apply(r Result) {
	e.Memory, e.Last, e.Failures, e.Next, e.Hold = r.Memory, r.Poll, r.Failures, r.Poll.Next, r.Hold
	e.judge(r.Poll)
	if r.Poll.Outcome.Read() {
		e.overran = 0
	}
	if r.Noise != nil {
		e.Noise = r.Noise
	}
	if r.Moved != "" {
		e.Moved = r.Moved
	}
	if f := r.Change; f != nil {
		e.Version++ // that there is one is all that polls need to know
		e.Kind = f.Kind
		if f.Title != "" {
			e.Title = f.Title
		}
		if f.Icon != "" {
			e.Icon = f.Icon
		}
	}
	if e.Ended = r.Ended; e.Ended {
		e.Next = time.Time{}
	}
}

// slowPoll is the longest poll that proves a guest's origin to be quick, the wait for its turn at the host included: a
// slot serves hundreds of them within a regular interval.
const slowPoll = 15 * time.Second

// penance is how many quick polls a guest owes after one that failed or was slow. So an origin that is slow by
// turns gains little.
const penance = 4

// judge decides by a poll whether the channel's origin answers in time. The zero Poll is that of a channel never
// polled, of which nothing is known.
func (e *watch) judge(p tidings.Poll) {
	switch {
	case p.At.IsZero():
		e.owes = 1
	case p.Outcome == tidings.OutcomeLimited && p.Status == 0: // no request was sent
	case p.Outcome.Read() && p.Took <= slowPoll:
		e.owes = max(0, e.owes-1)
	default:
		e.owes = penance
	}
}

// answer notifies those that asked for the poll of how it ended. The caller holds Scheduler.mu.
func (e *watch) answer(r Result) {
	for _, asked := range e.asked {
		asked <- r
	}
	e.asked = nil
}

// join has those that came late wait for the next poll, as the one under way has ended. The caller holds Scheduler.mu.
func (e *watch) join() {
	e.asked, e.late, e.storing = append(e.asked, e.late...), nil, time.Time{}
}

// rest plans entry's next poll. The caller holds x.mu.
func (x *Scheduler) rest(entry *watch) {
	entry.state = resting
	switch {
	case entry.gone:
	case entry.Next.IsZero():
		if entry.index >= 0 {
			heap.Remove(&x.due, entry.index)
		}
	case entry.index >= 0:
		heap.Fix(&x.due, entry.index)
	default:
		heap.Push(&x.due, entry)
	}
}

func (x *Scheduler) poke() {
	select {
	case x.kick <- struct{}{}:
	default:
	}
}
