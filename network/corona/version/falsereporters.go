package version

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// falseReporters lists the nodes of reports that turned out to be false, the latest last.
type falseReporters struct{ list []falseReporter }

type falseReporter struct {
	node  engine.ID
	times int // false reports in all
	at    time.Duration
	found []Hash // its last unconfirmed contents, the latest last: at most maxFalseReports
}

const (
	maxFalseReporters = 1024
	// maxFalseReports is how many false reports a node may make within falseReportAge. After that its reports are not
	// checked until falseReportAge has passed.
	maxFalseReports = 3
	falseReportAge  = 24 * time.Hour
)

// known reports whether a node has made so many false reports lately that its reports are not checked.
func (l *falseReporters) known(node engine.ID, now time.Duration) bool {
	i := l.index(node)
	return i >= 0 && l.list[i].times >= maxFalseReports && now-l.list[i].at < falseReportAge
}

// count counts a false report, and remembers its content.
func (l *falseReporters) count(node engine.ID, h Hash, now time.Duration) (times int) {
	times = l.add(node, now)
	e := &l.list[len(l.list)-1]
	if len(e.found) == maxFalseReports {
		e.found = slices.Delete(e.found, 0, 1)
	}
	e.found = append(e.found, h)
	return times
}

// acquit removes the false reports of a content that has become a version since. An origin with several mirrors may
// show it to one node before the others.
func (l *falseReporters) acquit(h Hash) {
	l.list = slices.DeleteFunc(l.list, func(e falseReporter) bool {
		return e.times == 1 && len(e.found) == 1 &&
			e.found[0] == h
	})
	for i := range l.list {
		e := &l.list[i]
		if at := slices.Index(e.found, h); at >= 0 {
			e.found = slices.Delete(e.found, at, at+1)
			e.times--
		}
	}
}

// repeats reports whether a node's last false report was the same, less than within ago. A repetition does not count:
// anybody can send signed words again.
func (l *falseReporters) repeats(node engine.ID, h Hash, now, within time.Duration) bool {
	i := l.index(node)
	if i < 0 || now-l.list[i].at >= within {
		return false
	}
	found := l.list[i].found
	return len(found) > 0 && found[len(found)-1] == h
}

// add counts a false report.
func (l *falseReporters) add(node engine.ID, now time.Duration) (times int) {
	e := falseReporter{node: node}
	if i := l.index(node); i >= 0 {
		if now-l.list[i].at < falseReportAge {
			e = l.list[i]
		}
		l.list = slices.Delete(l.list, i, i+1)
	}
	if len(l.list) >= maxFalseReporters {
		l.list = slices.Delete(l.list, 0, 1)
	}
	e.times++
	e.at = now
	l.list = append(l.list, e)
	return e.times
}

func (l *falseReporters) index(node engine.ID) int {
	return slices.IndexFunc(l.list, func(e falseReporter) bool { return e.node == node })
}
