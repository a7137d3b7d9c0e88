package live

import "sync"

// tasks are the goroutines that Run waits for at its end.
type tasks struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup
}

// start runs f in a goroutine, or, after end, not at all.
func (t *tasks) start(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.running.Go(f)
	}
	return !t.ended
}

// enter counts the goroutine that calls it as a task until the function that it returns is
// called. It returns nil after end.
func (t *tasks) enter() (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	t.running.Add(1)
	return t.running.Done
}

// end lets no more tasks start and waits for those that run.
func (t *tasks) end() {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.running.Wait()
}
