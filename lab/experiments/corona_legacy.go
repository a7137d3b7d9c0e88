package experiments

import (
	"strings"
	"time"

	"tidings/network/corona"
)

// legacy measures readers that poll each by itself, at a random phase. Every reader has a schedule,
// and every probe asks each reader of the channel for its own next poll.
func legacy(work *coronaWork, s coronaSizes) *coronaFigures {
	interval := corona.Paper().Interval
	f := newCoronaFigures(work, s, interval)
	probes := int(s.For / interval * time.Duration(s.Probes))
	part := interval / time.Duration(s.Probes)
	for i, readers := range work.readers {
		asked := make([]time.Duration, probes)
		for k := range asked {
			asked[k] = time.Duration(k)*part + time.Duration(work.chance(chanceProbe, i, k).Int64N(int64(part)))
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
				f.waited(i, at, wait)
			}
		}
	}
	return f
}

// waited is probe for one reader.
func (f *coronaFigures) waited(channel int, at, waited time.Duration) {
	s := waited.Seconds()
	f.probed[at/f.window()].add(s, 1)
	if f.measured(at) {
		f.rest.add(s, 1)
		f.own[channel].add(s, 1)
	}
}

func isLegacy(row string) bool { return strings.HasSuffix(row, ".legacy") }
