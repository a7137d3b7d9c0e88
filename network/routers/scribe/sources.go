package scribe

// sources follows the numbers of recent publishers on a topic, to find out that an event is missing. If there are more
// than maxSources, it drops those that came first. A missing event of theirs shows when the node compares with a root.
type sources struct{ list []source }

type source struct {
	stream uint64
	last   uint64
}

const maxSources = 16

// gap notes an event, and reports whether others of its source are missing before it.
func (s *sources) gap(e *Event) bool {
	for i := range s.list {
		if v := &s.list[i]; v.stream == e.Stream {
			gap := e.Number > v.last+1
			v.last = max(v.last, e.Number)
			return gap
		}
	}
	if len(s.list) == maxSources {
		s.list = append(s.list[:0], s.list[1:]...)
	}
	s.list = append(s.list, source{e.Stream, e.Number})
	return false
}
