package experiments

import (
	"context"
	"slices"
	"time"
)

// sampleLateness measures until ctx ends by how many seconds short sleeps of this process are too long, which is what a busy machine
// adds at each node on an update's way; ascending.
func sampleLateness(ctx context.Context) (seconds []float64) {
	const pause = 50 * time.Millisecond
	for {
		begin := time.Now()
		select {
		case <-ctx.Done():
			slices.Sort(seconds)
			return seconds
		case <-time.After(pause):
			seconds = append(seconds, (time.Since(begin) - pause).Seconds())
		}
	}
}
