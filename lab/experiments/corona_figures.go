package experiments

import (
	"slices"
	"time"
)

// coronaFigures is what is measured of a row. Times are since all subscribed.
type coronaFigures struct {
	work     *coronaWork
	sizes    coronaSizes
	interval time.Duration

	polls  []uint32    // by channel, in the time that is measured
	load   []float64   // by window: polls
	probed []weighted  // by window: detection time of probes, by readers
	rest   weighted    // the same, of the time that is measured
	own    []weighted  // by channel, in the time that is measured: of probes, each as much
	real   []weighted  // the same of changes
	last   [][]float32 // by channel: the polls of the last interval that is measured, in seconds of it
	gaps   []float64   // by channel: detection time that they make, in seconds; made by close

	spreads  []float64 // seconds from the poll that found a change to the last subscriber
	versions int       // contents that were given a number, those left out that were overtaken on their way
}

// weighted is a mean of values that weigh differently.
type weighted struct{ sum, weight float64 }

func (w *weighted) add(value, weight float64) {
	w.sum += value * weight
	w.weight += weight
}

func (w *weighted) mean() float64 {
	if w.weight == 0 {
		return 0
	}
	return w.sum / w.weight
}

// windowsInInterval is how many times a polling interval load and detection over time are measured.
const windowsInInterval = 3

func newCoronaFigures(work *coronaWork, s coronaSizes, interval time.Duration) *coronaFigures {
	f := &coronaFigures{
		work: work, sizes: s, interval: interval, polls: make([]uint32, s.Channels),
		own: make([]weighted, s.Channels), real: make([]weighted, s.Channels), last: make([][]float32, s.Channels),
	}
	windows := int(s.For / f.window())
	f.load, f.probed = make([]float64, windows), make([]weighted, windows)
	return f
}

func (f *coronaFigures) window() time.Duration { return f.interval / windowsInInterval }

// measured reports whether what happens then goes into the table: all that comes after the network
// had time to settle.
func (f *coronaFigures) measured(at time.Duration) bool {
	return at >= f.sizes.Settle && at < f.sizes.For
}

// poll counts a poll.
func (f *coronaFigures) poll(channel int, at time.Duration) {
	if at < 0 || at >= f.sizes.For {
		return
	}
	f.load[at/f.window()]++
	if f.measured(at) {
		f.polls[channel]++
	}
	if from := f.sizes.For - f.interval; at >= from {
		f.last[channel] = append(f.last[channel], float32((at - from).Seconds()))
	}
}

// probe notes how long after a random moment a channel was polled.
func (f *coronaFigures) probe(channel int, at, waited time.Duration) {
	s, q := waited.Seconds(), float64(f.work.readers[channel])
	f.probed[at/f.window()].add(s, q)
	if f.measured(at) {
		f.rest.add(s, q)
		f.own[channel].add(s, 1)
	}
}

// change notes how long after a change a channel was polled.
func (f *coronaFigures) change(channel int, at, waited time.Duration) {
	if f.measured(at) {
		f.real[channel].add(waited.Seconds(), 1)
	}
}

// close makes of the polls of the last interval what they mean for each channel: a change at a random
// moment waits half the gap that it falls into, and falls into a gap as often as that is long.
// The interval is taken to come again and again.
func (f *coronaFigures) close() {
	f.gaps = make([]float64, len(f.last))
	whole := float32(f.interval.Seconds())
	for i, polls := range f.last {
		if len(polls) == 0 {
			f.gaps[i] = f.interval.Seconds()
			continue
		}
		slices.Sort(polls)
		before, squares := polls[len(polls)-1]-whole, 0.
		for _, at := range polls {
			squares += float64(at-before) * float64(at-before)
			before = at
		}
		f.gaps[i] = squares / 2 / float64(whole)
	}
	f.last = nil
}

// gapsDetection returns the average of gaps, weighted by readers.
func (f *coronaFigures) gapsDetection() float64 {
	var all weighted
	for i, s := range f.gaps {
		all.add(s, float64(f.work.readers[i]))
	}
	return all.mean()
}

// pollers returns the polls of a channel by polling interval.
func (f *coronaFigures) pollers(channel int) float64 {
	return float64(f.polls[channel]) / float64(f.sizes.For-f.sizes.Settle) * float64(f.interval)
}

// detection returns the average detection time, weighted by readers, in seconds.
func (f *coronaFigures) detection() float64 { return f.rest.mean() }

// changesDetection is that of real changes: of each channel the mean, weighted by readers. Channels
// that have not changed have no part in it.
func (f *coronaFigures) changesDetection() float64 {
	var all weighted
	for i, w := range f.real {
		if w.weight > 0 {
			all.add(w.mean(), float64(f.work.readers[i]))
		}
	}
	return all.mean()
}

// perChannel returns the polls by channel and polling interval.
func (f *coronaFigures) perChannel() float64 {
	polls := 0.
	for _, n := range f.polls {
		polls += float64(n)
	}
	return polls / float64(len(f.polls)) / float64(f.sizes.For-f.sizes.Settle) * float64(f.interval)
}

// relative returns the load of a window as a share of what readers would make by themselves.
func (f *coronaFigures) relative(window int) float64 {
	return f.load[window] * windowsInInterval / f.work.total
}

// overshoot returns for how long the load was more than a tenth above that of the readers by
// themselves, without a break.
func (f *coronaFigures) overshoot() (longest time.Duration) {
	var now time.Duration
	for i := range f.load {
		if f.relative(i) > 1.1 {
			now += f.window()
			longest = max(longest, now)
		} else {
			now = 0
		}
	}
	return longest
}

// stable returns from when on load stays within a twentieth of what it is in the measured time.
func (f *coronaFigures) stable() time.Duration {
	least, most := 0.95*f.perChannel(), 1.05*f.perChannel()
	for i := len(f.load) - 1; i >= 0; i-- {
		if x := f.load[i] * windowsInInterval / float64(len(f.polls)); x < least || x > most {
			return time.Duration(i+1) * f.window()
		}
	}
	return 0
}
