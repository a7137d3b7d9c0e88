package homes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
)

// measured is what a run has measured.
type measured struct {
	gathered gathering
	lone     gathering // by a relay alone
	pairs    pairs
	rest     rest
	courses  []course
	late     []time.Duration // by phase: the most
	elapsed  [][]float64     // by phase: the seconds of each notification since the change
	due      int             // notifications of changes, by nodes at homes
	lost     int             // of them
	twice    int             // notifications too many
	lacking  []string        // sentences that say which node lacks what
}

// most is how many sentences of one kind are said of a run.
const most = 4

// remarks explains figures that are not as they should be, and says how much each home's line has carried.
func (m *measured) remarks() (all []string) {
	all = append(all, m.gathered.remarks...)
	for _, remark := range m.lone.remarks {
		all = append(all, "Where a relay is the only public node: "+remark)
	}
	for i, c := range m.courses {
		if len(c.faults) > 0 {
			all = append(all, fmt.Sprintf("At the end of the phase %s: %v.", phases[i].name, c.faults))
		}
	}
	if n := len(m.pairs.apart); n > 0 {
		all = append(all, "Not connected: "+strings.Join(m.pairs.apart[:min(n, most)], "; ")+".")
	}
	return slices.Concat(all, m.lacking[:min(len(m.lacking), most)], m.rest.remarks)
}

// judge finds out which changes came when. Late is how much longer than the polling interval a change was under way
// from the origin to a node's reader.
func (m *measured) judge(w *world) {
	m.late, m.elapsed = make([]time.Duration, len(phases)), make([][]float64, len(phases))
	for _, c := range w.changes {
		var lacking []string
		for _, h := range w.homes {
			m.due++
			times, came := h.received.of(c.item), time.Now()
			if len(times) > 0 {
				came = times[0]
				m.twice += len(times) - 1
				m.elapsed[c.phase] = append(m.elapsed[c.phase], came.Sub(c.made).Seconds())
			} else {
				m.lost++
				lacking = append(lacking, h.name)
			}
			m.late[c.phase] = max(m.late[c.phase], came.Sub(c.made)-w.sizes.Interval)
		}
		if len(lacking) > 0 {
			m.lacking = append(m.lacking, fmt.Sprintf("A change of the phase %s never came to %s.",
				phases[c.phase].name, strings.Join(lacking, ", ")))
		}
	}
}

// mostLate is how late a change may be, whatever has befallen the nodes.
const mostLate = 15

func figures(s sizes) lab.Figures[*measured] {
	var f lab.Figures[*measured]
	f.Judge("joined_seconds.worst", "s", lab.AtMost(20),
		func(m *measured) float64 { return m.gathered.joined.Seconds() })
	f.Judge("ring.whole_seconds", "s", lab.AtMost(30), func(m *measured) float64 { return m.gathered.whole.Seconds() })
	f.Report("pairs.direct_share", "", func(m *measured) float64 { return share(m.pairs.direct, m.pairs.all) })
	f.Judge("pairs.connected_share", "", lab.Exactly(1),
		func(m *measured) float64 { return share(m.pairs.connected, m.pairs.all) })
	for i, p := range phases {
		f.Judge("update.late_seconds.worst."+p.name, "s", lab.AtMost(mostLate),
			func(m *measured) float64 { return m.late[i].Seconds() })
	}
	for i, p := range phases {
		f.Report("update.seconds.median."+p.name, "s",
			func(m *measured) float64 { return stats.QuantileOf(m.elapsed[i], 0.5) })
	}
	for i, p := range phases {
		if p.befall != nil {
			f.Judge("ring.healed_seconds."+p.name, "s", lab.AtMost(mostLate),
				func(m *measured) float64 { return m.courses[i].healed.Seconds() })
		}
	}
	if len(s.RestKinds) > 0 {
		f.Judge("joined_seconds.worst.lone_relay", "s", lab.AtMost(20),
			func(m *measured) float64 { return m.lone.joined.Seconds() })
		f.Judge("ring.whole_seconds.lone_relay", "s", lab.AtMost(30),
			func(m *measured) float64 { return m.lone.whole.Seconds() })
		f.Judge("idle.bytes_per_second.in", "B/s", lab.AtMost(300), func(m *measured) float64 { return m.rest.bytesIn })
		f.Judge("idle.bytes_per_second.out", "B/s", lab.AtMost(300),
			func(m *measured) float64 { return m.rest.bytesOut })
		f.Judge("idle.packets_per_second.in", "1/s", lab.AtMost(3),
			func(m *measured) float64 { return m.rest.packetsIn })
		f.Judge("idle.packets_per_second.out", "1/s", lab.AtMost(3),
			func(m *measured) float64 { return m.rest.packetsOut })
	}
	f.Judge("due", "", lab.AtLeast(1), func(m *measured) float64 { return float64(m.due) })
	f.Judge("lost", "", lab.Exactly(0), func(m *measured) float64 { return float64(m.lost) })
	f.Judge("twice", "", lab.Exactly(0), func(m *measured) float64 { return float64(m.twice) })
	return f.OfMachine()
}
