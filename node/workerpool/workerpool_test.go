package workerpool

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A worker pool begins jobs in the order in which they come, no more at a time than it has workers. It ends those that
// it has begun.
func TestACrewWorksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := New(2)
		ended := make(chan struct{})
		go func() { c.Run(ctx); close(ended) }()
		began := make(chan int, 20)
		done := make(chan int, 20)
		for i := range 20 {
			c.Do(func(context.Context) {
				began <- i
				time.Sleep(time.Second)
				done <- i
			})
		}
		time.Sleep(4*time.Second + time.Second/2)
		if n := len(began); n != 10 {
			t.Errorf("%d jobs were begun in five rounds of two", n)
		}
		cancel()
		<-ended
		if len(done) != len(began) {
			t.Errorf("%d jobs were begun, and %d ended", len(began), len(done))
		}
		var order []int
		for range len(began) {
			order = append(order, <-began)
		}
		for round := range len(order) / 2 {
			if pair := order[2*round : 2*round+2]; slices.Max(pair) != 2*round+1 {
				t.Fatalf("jobs were begun in the order %v", order)
			}
		}
	})
}
