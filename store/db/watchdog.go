package db

import (
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// HungAfter is how long a transaction may last until the disk counts as one that does not answer. Folding the log into
// the file, the longest work there is, lasts seconds on a slow card.
const HungAfter = 30 * time.Second

// HungWithin is how long Close waits for the writer where the disk does not answer already. Else it waits as long as
// the writer gets on: HungAfter for each transaction.
const HungWithin = time.Second

// watchdog notices that the disk does not answer a transaction. The system has no deadline for such a wait, so nothing
// can end it. But it can be reported, and later operations can be refused instead of kept waiting.
type watchdog struct {
	log   *slog.Logger
	timer *time.Timer

	mu    sync.Mutex
	began time.Time // of what is under way; zero: nothing is
	hung  bool      // it has been under way for HungAfter
	steps int       // begun or ended so far
}

func newWatchdog(log *slog.Logger) *watchdog {
	d := &watchdog{log: log}
	d.timer = time.AfterFunc(HungAfter, d.bark)
	d.timer.Stop()
	return d
}

// watch notes that a transaction begins, and returns what is called when it has ended.
func (d *watchdog) watch() (ended func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps++
	d.began = time.Now()
	d.timer.Reset(HungAfter)
	return d.end
}

func (d *watchdog) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps++
	d.timer.Stop()
	if d.hung {
		d.log.Info("the disk answers again", "after", time.Since(d.began).Round(time.Second))
	}
	d.began, d.hung = time.Time{}, false
}

func (d *watchdog) bark() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.began.IsZero() || time.Since(d.began) < HungAfter { // it fired while one ended
		return
	}
	d.hung = true
	d.log.Error("the disk does not answer: nothing new can be kept until it does", "for", HungAfter)
}

// trouble returns ErrHung while the disk does not answer.
func (d *watchdog) trouble() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.hung {
		return nil
	}
	return fmt.Errorf("%w: a write has waited for it since %s", ErrHung, d.began.Format("15:04:05"))
}

// progress returns a number that is another each time a transaction begins or ends.
func (d *watchdog) progress() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps
}

// await waits for what ends when the writer has, and reports whether it did. It gives up when the writer has not got on
// for as long as Close waits.
func (d *watchdog) await(ended <-chan struct{}) bool {
	for steps := d.progress(); ; {
		patience := HungAfter
		if d.trouble() != nil {
			patience = HungWithin
		}
		select {
		case <-ended:
			return true
		case <-time.After(patience):
		}
		now := d.progress()
		if now == steps {
			return false
		}
		steps = now
	}
}
