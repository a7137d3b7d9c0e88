package plan

// correction corrects a policy's limit. Sizes are not exactly the best, some nodes are counted late, and the frequency
// of changes is only estimated. All nodes err alike, and the used load is known: it is summed up.
type correction struct {
	by     float64 // as a fraction of the limit
	learnt moment  // when it last was; 0: never
}

// Bounds of a correction at a time, and altogether.
const (
	mostAtATime    = 0.05
	mostCorrection = 0.25
)

// factor returns the factor of the limit.
func (c *correction) factor() float64 { return 1 + c.by }

// learn corrects half of the deviation, once in a maintenance interval.
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
