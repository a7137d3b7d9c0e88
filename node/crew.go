package node

import (
	"context"
	"sync"
)

// crew is a fixed number of workers who run jobs, which are begun in the order in which they come. A job
// may wait for the disk.
type crew struct {
	size int
	more chan struct{} // of size 1: there are jobs

	mu   sync.Mutex
	jobs []func(context.Context)
}

func newCrew(size int) *crew { return &crew{size: size, more: make(chan struct{}, 1)} }

// do has a worker run a job. Whoever gives jobs bounds how many wait.
func (c *crew) do(job func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, job)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// run works until ctx ends and the jobs that were begun have ended.
func (c *crew) run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	free := make(chan struct{}, c.size)
	for {
		c.mu.Lock()
		jobs := c.jobs
		c.jobs = nil
		c.mu.Unlock()
		for _, job := range jobs {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				job(ctx)
				<-free
			})
		}
		select {
		case <-c.more:
		case <-ctx.Done():
			return
		}
	}
}
