package plan

// correction is of a policy's limit: sizes are not exactly what is best, some nodes are counted late, and how often channels change is only estimated. All nodes
// err alike, and what is used is known: it is summed up.
type correction struct {
	by     float64 // as a part of the limit
	learnt moment  // when it was last; 0: never
}

// By how much a limit is corrected at a time, and altogether.
const (
	mostAtATime    = 0.05
	mostCorrection = 0.25
)

// factor returns by what the limit is to be multiplied.
func (c *correction) factor() float64 { return 1 + c.by }

// learn makes up for half of what is missed, once in a maintenance interval.
func (c *correction) learn(p *Plan, used, limit float64) {
	now := p.Env.Now()
	switch {
	case c.learnt == 0:
		c.learnt = max(1, now)
	case limit > 0 && now-c.learnt >= p.config.Maintenance*3/4:
		missed := min(max((1-used/limit)/2, -mostAtATime), mostAtATime)
		c.by = min(max((1+c.by)*(1+missed)-1, -mostCorrection), mostCorrection)
		c.learnt = now
	}
}
