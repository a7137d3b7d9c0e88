package spidercast

// LimitHit says that a bound was reached and something left undone. The parts trace events of their own.
type LimitHit struct {
	What  string // the bound's name
	Limit int
}
