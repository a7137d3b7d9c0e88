package history

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// Items that must go for another go before it comes, and after what came before. Puts that follow each other are made
// together.
func TestWritesKeepTheirOrder(t *testing.T) {
	var jobs []func(context.Context)
	w := writes{work: func(job func(context.Context)) { jobs = append(jobs, job) }}
	var mu sync.Mutex
	var done []string
	var together sync.WaitGroup
	add := func(name string, put bool) {
		w.add(write{put: put, do: func(context.Context) {
			if put {
				together.Done()
				together.Wait()
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, name)
		}})
	}
	together.Add(2)
	add("put", true)
	add("put", true)
	add("drop", false)
	add("another drop", false)
	if len(jobs) != 1 {
		t.Fatalf("%d workers are at it", len(jobs))
	}
	jobs[0](t.Context())
	if want := []string{"put", "put", "drop", "another drop"}; !slices.Equal(done, want) {
		t.Errorf("done is %q, not %q", done, want)
	}
	for range 2 * maxPutting {
		add("more", true)
	}
	if len(jobs) != 2 {
		t.Fatalf("%d workers were given what came afterwards", len(jobs)-1)
	}
	if next := w.next(); len(next) != maxPutting {
		t.Errorf("%d puts are made together", len(next))
	}
}
