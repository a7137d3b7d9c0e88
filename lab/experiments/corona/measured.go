package corona

import (
	"slices"
	"time"

	"tidings/lab/stats"
	"tidings/network/corona"
)

// measured is what is measured of a row. Times are since all subscribed.
type measured struct {
	work     *workload
	sizes    sizes
	interval time.Duration

	polls  []uint32    // by channel, in the time that is measured
	load   []float64   // by window: polls
	probed []weighted  // by window: detection time of probes, by readers
	rest   weighted    // the same, of the time that is measured
	real   []weighted  // by channel, in the time that is measured: of changes, each as much
	last   [][]float32 // by channel: the polls of the last interval that is measured, in seconds of it
	gaps   []float64   // by channel: detection time that they make, in seconds; made by close

	// seconds from the poll that found a change to the last subscriber; ascending once close was called
	spreads  []float64
	versions int // contents that were given a number, those left out that were overtaken on their way

	hosts *hostLoad // nil: hosts are not seen to
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

func newMeasured(work *workload, s sizes, interval time.Duration) *measured {
	f := &measured{
		work: work, sizes: s, interval: interval, polls: make([]uint32, s.Channels), real: make([]weighted, s.Channels),
		last: make([][]float32, s.Channels),
	}
	windows := int(s.For / f.window())
	f.load, f.probed = make([]float64, windows), make([]weighted, windows)
	return f
}

func (f *measured) window() time.Duration { return f.interval / windowsInInterval }

// counts reports whether what happens then goes into the table: all that comes after the network had time to settle.
func (f *measured) counts(at time.Duration) bool { return at >= f.sizes.Settle && at < f.sizes.For }

// poll counts a poll.
func (f *measured) poll(channel int, at time.Duration) {
	if at < 0 || at >= f.sizes.For {
		return
	}
	f.load[at/f.window()]++
	if f.counts(at) {
		f.polls[channel]++
	}
	if from := f.sizes.For - f.interval; at >= from {
		f.last[channel] = append(f.last[channel], float32((at - from).Seconds()))
	}
}

// probe notes how long after a random moment a channel was polled, for so many readers.
func (f *measured) probe(at, waited time.Duration, readers uint32) {
	f.probed[at/f.window()].add(waited.Seconds(), float64(readers))
	if f.counts(at) {
		f.rest.add(waited.Seconds(), float64(readers))
	}
}

// change notes how long after a change a channel was polled.
func (f *measured) change(channel int, at, waited time.Duration) {
	if f.counts(at) {
		f.real[channel].add(waited.Seconds(), 1)
	}
}

// close computes what the polls of the last interval mean for each channel. A change at a random moment waits half the
// gap that it falls into, and falls into a gap as often as that is long. The interval is assumed to repeat.
func (f *measured) close() {
	slices.Sort(f.spreads)
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
func (f *measured) gapsDetection() float64 {
	var all weighted
	for i, s := range f.gaps {
		all.add(s, float64(f.work.readers[i]))
	}
	return all.mean()
}

// spreadWithin returns after how many seconds so many percent of the versions had come to their last subscriber.
func (f *measured) spreadWithin(percent int) float64 {
	if len(f.spreads) == 0 {
		return 0
	}
	return f.spreads[len(f.spreads)*percent/100]
}

// reachedAll returns which share of the versions came to all subscribers.
func (f *measured) reachedAll() float64 {
	return stats.Share(float64(len(f.spreads)), float64(f.versions))
}

// pollers returns the polls of a channel by polling interval.
func (f *measured) pollers(channel int) float64 {
	return float64(f.polls[channel]) / float64(f.sizes.For-f.sizes.Settle) * float64(f.interval)
}

// detection returns the average detection time, weighted by readers, in seconds.
func (f *measured) detection() float64 { return f.rest.mean() }

// detectionIn returns the same of a window.
func (f *measured) detectionIn(window int) float64 { return f.probed[window].mean() }

// changesDetection is that of real changes: of each channel the mean, weighted by readers. Channels that have not
// changed have no part in it.
func (f *measured) changesDetection() float64 {
	var all weighted
	for i, w := range f.real {
		if w.weight > 0 {
			all.add(w.mean(), float64(f.work.readers[i]))
		}
	}
	return all.mean()
}

// perChannel returns the polls by channel and polling interval.
func (f *measured) perChannel() float64 {
	polls := 0.
	for _, n := range f.polls {
		polls += float64(n)
	}
	return polls / float64(len(f.polls)) / float64(f.sizes.For-f.sizes.Settle) * float64(f.interval)
}

// bytes returns what polls of a channel in a polling interval bring, on average.
func (f *measured) bytes() float64 {
	sum := 0.
	for i, n := range f.polls {
		sum += float64(n) * float64(f.work.length[i])
	}
	return sum / float64(len(f.polls)) / float64(f.sizes.For-f.sizes.Settle) * float64(f.interval)
}

// bytesOfLegacy returns that as a share of what readers by themselves would have.
func (f *measured) bytesOfLegacy() float64 {
	all := 0.
	for i, readers := range f.work.readers {
		all += float64(readers) * float64(f.work.length[i])
	}
	return f.bytes() * float64(len(f.polls)) / all
}

// relative returns the load of a window as a share of what readers would make by themselves.
func (f *measured) relative(window int) float64 {
	return f.load[window] * windowsInInterval / f.work.total
}

// overshoot returns the longest time without a break in which the load was more than a tenth above that of the readers
// by themselves.
func (f *measured) overshoot() (longest time.Duration) {
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
func (f *measured) stable() time.Duration {
	least, most := 0.95*f.perChannel(), 1.05*f.perChannel()
	for i := len(f.load) - 1; i >= 0; i-- {
		if x := f.load[i] * windowsInInterval / float64(len(f.polls)); x < least || x > most {
			return time.Duration(i+1) * f.window()
		}
	}
	return 0
}

// legacy measures readers that poll each by itself, at a random phase. Every reader has a schedule,
// and every probe asks each reader of the channel for its own next poll.
func legacy(work *workload, s sizes) *measured {
	interval := corona.Default().Interval
	f := newMeasured(work, s, interval)
	probes := int(s.For / interval * time.Duration(s.Probes))
	part := interval / time.Duration(s.Probes)
	for i, readers := range work.readers {
		asked := make([]time.Duration, probes)
		for k := range asked {
			asked[k] = work.probedAt(i, k, part)
		}
		chance := work.chance(chanceLegacy, i, 0)
		for range readers {
			phase := time.Duration(chance.Int64N(int64(interval)))
			for at := phase; at < s.For; at += interval {
				f.poll(i, at)
			}
			for _, at := range asked {
				wait := (phase - at) % interval
				if wait < 0 {
					wait += interval
				}
				f.probe(at, wait, 1)
			}
		}
	}
	return f
}
