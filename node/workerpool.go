package node

import (
	"context"
	"sync"
)

// workerPool is a fixed number of workers who run jobs, which are begun in the order in which they come. A job
// may wait for the disk.
type workerPool struct {
	size int
	more chan struct{} // of size 1: there are jobs

	mu   sync.Mutex
	jobs []func(context.Context)
}

func newWorkerPool(size int) *workerPool {
	return &workerPool{size: size, more: make(chan struct{}, 1)}
}

// do has a worker run a job. Whoever gives jobs bounds how many wait.
func (c *workerPool) do(job func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, job)
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// run works until ctx ends and the jobs that were begun have ended.
func (c *workerPool) run(ctx context.Context) {
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
