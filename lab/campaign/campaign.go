package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tidings/lab/cpu"
)

// Campaign runs worlds of seeds from Log's on, one on each core, until ctx is done.
type Campaign struct {
	Log    *Log
	Scenes string        // the folder for failing worlds
	Worlds int           // to run at most; 0: without end
	Shrink time.Duration // how long a failing world is made smaller at most
	Show   func(e Entry) // called with each world's entry, one at a time; may be nil

	mu   sync.Mutex
	seen map[uint64]bool
	next uint64
	left int
	errs []error
}

// MaxTime is how long a campaign goes on at most: longer ones are resumed.
const MaxTime = time.Hour

// Run runs worlds. A world that is interrupted is in no log.
func (c *Campaign) Run(ctx context.Context) error {
	c.seen, c.next, c.left = c.Log.seeds(), c.Log.Seed, c.Worlds
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() { c.work(ctx) })
	}
	workers.Wait()
	return errors.Join(c.errs...)
}

func (c *Campaign) work(ctx context.Context) {
	runtime.LockOSThread() // its processor time is counted
	for ctx.Err() == nil {
		seed, ok := c.draw()
		if !ok {
			return
		}
		if err := c.one(ctx, Draw(seed)); err != nil && ctx.Err() == nil {
			c.mu.Lock()
			c.errs = append(c.errs, fmt.Errorf("the world of seed %d: %w", seed, err))
			c.left = -1
			c.mu.Unlock()
		}
	}
}

// draw returns the next seed; false: there are to be no more.
func (c *Campaign) draw() (seed uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < 0 {
		return 0, false
	}
	for c.seen[c.next] {
		c.next++
	}
	if c.Worlds > 0 {
		if c.left == 0 {
			return 0, false
		}
		c.left--
	}
	c.seen[c.next] = true
	return c.next, true
}

// one runs a world, shrinks it if it fails, and notes what came of it.
func (c *Campaign) one(ctx context.Context, w *World) error {
	began, before := time.Now(), cpu.Thread()
	o, err := Run(ctx, w)
	if err != nil {
		return err
	}
	e := entryOf(w, &o, time.Since(began), cpu.Thread()-before)
	if len(o.Failures) > 0 {
		limited, cancel := context.WithTimeout(ctx, c.Shrink)
		small := Shrink(limited, w, o.Failures[0].Oracle)
		cancel()
		if e.Scene, err = c.write(small); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Log.Add(e); err != nil {
		return err
	}
	if c.Show != nil {
		c.Show(e)
	}
	return nil
}

// write writes a failing world's scene, and returns the file.
func (c *Campaign) write(w *World) (string, error) {
	path := filepath.Join(c.Scenes, fmt.Sprintf("campaign-scene-%d.json", w.Seed))
	if err := os.WriteFile(path, w.Scene(), 0o644); err != nil {
		return "", fmt.Errorf("writing a scene: %w", err)
	}
	return path, nil
}
