package plan

import (
	"testing"
	"time"
)

// Hostile 36: a quarter of the nodes leave and as many come each hour (Overnet's rate). Load stays within a tenth of
// the limit, and nearly all nodes that should poll do.
func TestChurn(t *testing.T) {
	long(t)
	t.Parallel()
	nodes := short(40, 200)
	p := newNet(t, 30, nodes, testConfig())
	p.zipf(short(100, 600))
	p.world.Run(3 * time.Hour)
	most, least, wrong := 0., 1e9, 0.
	hours := time.Duration(short(1, 4))
	every := 4 * time.Hour / time.Duration(nodes)
	samples := 0
	for at := time.Duration(0); at < hours*time.Hour; at += every {
		p.replace()
		p.world.Run(every)
		if samples++; samples%10 == 0 {
			polls, _ := p.load()
			most, least = max(most, polls/p.allowed()), min(least, polls/p.allowed())
			wrong = max(wrong, float64(p.wrongTasks())/float64(p.tasks()))
		}
	}
	t.Logf("polls strayed from %.3f to %.3f of the limit; at most %.1f %% of the polls were missing or too many", least,
		most, 100*wrong)
	if most > 1.1 || least < 0.8 {
		t.Errorf("polls strayed from %.3f to %.3f of the limit", least, most)
	}
	if wrong > 0.15 {
		t.Errorf("%.1f %% of the polls were missing or too many", 100*wrong)
	}
	p.world.Run(4 * time.Hour)
	p.checkSets()
}

// replace has one node crash and a new one come.
func (p *net) replace() {
	up := p.active()
	p.world.Crash(up[p.chance.IntN(len(up))])
	p.world.Boot(p.add())
}

// The aggregation of a network without channels costs each node a few bytes for each contact, whatever else there is.
func TestTrafficWithoutChannels(t *testing.T) {
	long(t)
	t.Parallel()
	for _, nodes := range []int{short(30, 100), short(100, 800)} {
		p := newNet(t, 31, nodes, testConfig())
		p.world.Run(time.Hour)
		before := p.bytes()
		p.world.Run(p.config.Maintenance)
		perNode := float64(p.bytes()-before) / float64(nodes)
		contacts := 0
		for _, n := range p.active() {
			contacts += len(p.member(n).plan.view.contacts)
		}
		perContact := perNode * float64(nodes) / float64(contacts)
		t.Logf("%d nodes: %.0f bytes a node and maintenance interval, %.0f for each of %.1f contacts", nodes, perNode,
			perContact, float64(contacts)/float64(nodes))
		if perContact > 400 {
			t.Errorf("%.0f bytes a contact and maintenance interval", perContact)
		}
	}
}
