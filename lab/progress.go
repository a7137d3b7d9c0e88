package lab

import (
	"sync"
	"sync/atomic"
)

// Progress is how far an experiment has come.
type Progress struct {
	Done   float64 // share of the whole, from 0 to 1
	Stage  string  // what is being done; of one of the runs where several go side by side
	Events uint64  // simulated so far, by all runs
}

// progress is how far one run has come. The run writes it, and displays read it.
type progress struct {
	events *atomic.Uint64 // of the whole experiment

	mu      sync.Mutex
	before  float64 // share that earlier stages were
	share   float64 // of the present stage
	part    float64 // how much of it is done
	stage   string
	parts   []*progress // of the runs that the present stage consists of
	stopped bool        // the run is over
}

func newProgress(events *atomic.Uint64) *progress { return &progress{events: events, share: 1} }

func (p *progress) begin(stage string, share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before, _ = p.done()
	p.stage, p.share, p.part, p.parts = stage, min(share, 1-p.before), 0, nil
}

func (p *progress) set(part float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = min(max(part, 0), 1)
}

// divide has the present stage consist of n runs, each with a progress of its own.
func (p *progress) divide(n int) []*progress {
	parts := make([]*progress, n)
	for i := range parts {
		parts[i] = newProgress(p.events)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts = parts
	return parts
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}

// poll returns how much is done, and the stage of the first run that still goes.
func (p *progress) poll() (done float64, stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return 1, ""
	}
	return p.done()
}

// done returns how much of the run is done, and the stage of its first part that still goes.
func (p *progress) done() (done float64, stage string) {
	part, stage := p.part, p.stage
	if len(p.parts) > 0 {
		part = 0
		for _, one := range p.parts {
			d, s := one.poll()
			part += d / float64(len(p.parts))
			if d > 0 && d < 1 && s != "" {
				stage = s
			}
		}
	}
	return min(p.before+p.share*part, 1), stage
}
