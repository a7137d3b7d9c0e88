package archive

import (
	"testing"

	"tidings/network/engine"
)

// An inquiry uses Config.Ways ways, each over another node, and the first of the ring alone; then it is exhausted.
func TestInquiriesUseAllWays(t *testing.T) {
	t.Parallel()
	s := newStub()
	news := 0
	q := s.inquire(Name{}, true, func() { news++ })
	for !q.exhausted() {
		q.ask()
	}
	hops := make(map[engine.ID]bool)
	for _, m := range s.env.Sent() {
		hops[m.To.ID] = true
	}
	if want := min(s.config.Ways-1, len(s.peers)); q.ways != s.config.Ways || len(hops) != want ||
		s.routed != s.config.Ways-want {
		t.Errorf("%d ways, over %d nodes, %d over the ring", q.ways, len(hops), s.routed)
	}
	s.queries.onWhere(s.peers[0], &Where{Closest: s.peers})
	if q.end(); news != 1 || len(s.queries.open) > 0 {
		t.Errorf("%d answers, and %d are open after the end", news, len(s.queries.open))
	}
}
