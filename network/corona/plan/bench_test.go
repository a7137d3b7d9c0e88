package plan

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
)

// BenchmarkMaintenance is one maintenance round of a node that polls 5,000 channels and is primary of 100 of them. It
// chooses levels, makes layouts, and confirms assignments.
func BenchmarkMaintenance(b *testing.B) {
	p := newNet(b, 1, 50, testConfig())
	for i := range 5000 {
		p.subscribe(fmt.Sprintf("http://feeds.example/%d", i), 200)
	}
	p.world.Run(4 * time.Hour)
	n := p.active()[7]
	m := p.member(n).plan
	p.world.Do(n, func(engine.Protocol) {
		for b.Loop() {
			m.maintain()
		}
	})
	b.ReportMetric(float64(m.duties.table.length), "polled")
	b.ReportMetric(float64(len(m.primaries)), "led")
}

// BenchmarkMaintenanceMessage receives an assignment without news.
func BenchmarkMaintenanceMessage(b *testing.B) {
	p := newNet(b, 1, 2, testConfig())
	n := p.active()[0]
	m := &Maintenance{}
	for i := range 256 {
		url := fmt.Sprintf("http://feeds.example/%d", i)
		m.Assignments = append(m.Assignments, Assignment{Channel: engine.IDOf([]byte(url)), URL: url, Start: 1000,
			Width: 5000})
	}
	p.world.Do(n, func(engine.Protocol) {
		for b.Loop() {
			p.member(n).plan.Receive(p.world.Peer(p.active()[1]), m)
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/assignment")
}
