package corona

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// BenchmarkMaintenance is one maintenance round, of a node that polls 5,000 channels and is
// primary of 100 of them: levels are chosen, layouts made, and assignments confirmed.
func BenchmarkMaintenance(b *testing.B) {
	p := newPlanNet(b, 1, 50, planNetConfig())
	for i := range 5000 {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), 200)
	}
	p.world.Run(4 * time.Hour)
	n := p.active()[7]
	m := p.member(n).corona
	p.world.Do(n, func(engine.Protocol) {
		for b.Loop() {
			m.plan.lookForContacts()
			m.plan.sumUpOwn()
			m.plan.decide()
			m.plan.layOutAgain()
			m.plan.confirmAssignments()
		}
	})
	b.ReportMetric(float64(m.plan.wedges.polled.length), "polled")
	b.ReportMetric(float64(len(m.plan.primaries())), "led")
}

// BenchmarkMaintenanceMessage is the taking of an assignment that says nothing new.
func BenchmarkMaintenanceMessage(b *testing.B) {
	w := sim.New(sim.Default(planNetCodec))
	var n *Node
	self := w.Add(engine.PrefixID("80"), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		ring := pastry.New(env, pastry.Default())
		ring.Create()
		n = New(env, ring, nil, &recordingPoller{env: env, tasks: make(map[engine.ID]Task)}, emptyLibrary{}, planNetConfig())
		return n
	})
	w.Boot(self)
	w.Run(time.Second)
	from := engine.Peer{ID: engine.PrefixID("90"), Address: "somewhere"}
	m := &Maintenance{}
	for i := range 256 {
		url := fmt.Sprintf("http://feeds.example/%d", i)
		m.Assignments = append(m.Assignments, Assignment{Channel: engine.IDOf([]byte(url)), URL: url, Start: 1000, Width: 5000})
	}
	w.Do(self, func(engine.Protocol) {
		for b.Loop() {
			n.plan.takeMaintenance(from, m)
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/assignment")
}
