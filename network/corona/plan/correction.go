package plan

import "time"

// Correction corrects a policy's limit. Sizes are not exactly the best, some nodes are counted late, and the frequency
// of changes is only estimated. All nodes err alike, and the used load is known: it is summed up.
type Correction struct {
	by     float64 // as a fraction of the limit
	learnt moment  // when it last was; 0: never
}

// Bounds of a correction at a time, and altogether.
const (
	mostAtATime    = 0.05
	mostCorrection = 0.25
)

// Factor returns the factor of the limit.
func (c *Correction) Factor() float64 { return 1 + c.by }

// Learn corrects half of the deviation of what is used from the limit, once in a maintenance interval.
func (c *Correction) Learn(now, maintenance time.Duration, used, limit float64) {
	switch {
	case c.learnt == 0:
		c.learnt = max(1, now)
	case limit > 0 && now-c.learnt >= maintenance*3/4:
		missed := min(max((1-used/limit)/2, -mostAtATime), mostAtATime)
		c.by = min(max((1+c.by)*(1+missed)-1, -mostCorrection), mostCorrection)
		c.learnt = now
	}
}
