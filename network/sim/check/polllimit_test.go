package check

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

func TestPollLimitIsThatOfTheFullestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := time.Duration(rapid.IntRange(1, 10).Draw(t, "window"))
		gaps := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 30).Draw(t, "gaps")
		var times []time.Duration
		var at time.Duration
		for _, g := range gaps {
			at += time.Duration(g)
			times = append(times, at)
		}
		fullest := 0
		for from := range at + 1 {
			count := 0
			for _, poll := range times {
				if poll >= from && poll < from+length {
					count++
				}
			}
			fullest = max(fullest, count)
		}
		for _, limit := range []int{fullest - 1, fullest} {
			p := &PollLimit{Window: length, Topic: func(engine.ID) int { return limit }}
			for _, at := range times {
				p.Observe(at, 0, Polled{topic})
			}
			if broken := p.Err() != nil; broken != (limit < fullest) {
				t.Fatalf("the fullest window has %d polls, limit %d: %v", fullest, limit, p.Err())
			}
		}
	})
}
