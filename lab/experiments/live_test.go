package experiments

import (
	"testing"

	"tidings/lab"
	"tidings/lab/experiments/corona"
	"tidings/lab/experiments/feedtree"
	"tidings/lab/experiments/routers"
	"tidings/lab/labtest"
)

// A few whole nodes, of which one is killed and comes back, report each update once, also where its publisher pushes
// it.
func TestCoronaLive(t *testing.T)   { tryLive(t, corona.Live) }
func TestFeedtreeLive(t *testing.T) { tryLive(t, feedtree.Live) }

// With Rappel's trees, which have a root, and NewsWire's zones, which bring what a query selects.
func TestPushesLive(t *testing.T) { tryLive(t, feedtree.PushesLive) }

// A few whole nodes bring each item of a feed that changes every second once, while one is killed and one joins.
func TestHotLive(t *testing.T) { tryLive(t, corona.HotLive) }

// A few whole nodes lose nothing, report nothing twice and make no noise, whichever nodes leave, die and come back.
func TestRappelLive(t *testing.T) { tryLive(t, routers.Rappel) }

// The same over SpiderCast's links.
func TestSpiderCastLive(t *testing.T) { tryLive(t, routers.SpiderCast) }

// The same down NewsWire's zones, with items for single zones, queries, functions, and all representatives of a zone
// killed at once.
func TestNewsWireLive(t *testing.T) { tryLive(t, routers.NewsWire) }

func tryLive(t *testing.T, e lab.Entry) {
	if testing.Short() {
		t.Skip("runs whole nodes for half a minute")
	}
	t.Parallel()
	r := labtest.Try(t, e, 1)
	for _, f := range r.Failed() {
		t.Errorf("%s is %v", f.Name, f.Here)
	}
	for _, remark := range r.Remarks {
		t.Log(remark)
	}
	for _, f := range r.Figures {
		t.Logf("%s: %v", f.Name, f.Here)
	}
	save(t, r)
}
