// Package workerpool runs jobs that may wait for the disk, a bounded number at a time.
package workerpool

import (
	"context"
	"sync"
)

// Pool is a fixed number of workers. Jobs begin in the order in which they come.
type Pool struct {
	size int
	more chan struct{} // of size 1: there are jobs

	mu   sync.Mutex
	jobs []func(context.Context)
}

// New returns a pool of so many workers, which begin when Run is called.
func New(size int) *Pool { return &Pool{size: size, more: make(chan struct{}, 1)} }

// Do has a worker run a job; it does not wait for it. The callers bound how many jobs wait.
func (p *Pool) Do(job func(context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, job)
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// Run works until ctx ends and the jobs that were begun have ended. Jobs that wait by then are never run.
func (p *Pool) Run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	free := make(chan struct{}, p.size)
	for {
		p.mu.Lock()
		jobs := p.jobs
		p.jobs = nil
		p.mu.Unlock()
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
		case <-p.more:
		case <-ctx.Done():
			return
		}
	}
}
