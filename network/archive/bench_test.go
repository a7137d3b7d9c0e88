package archive_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/churn"
)

// benched is a world of so many nodes in which items of 1 KiB are kept in so many copies.
func benched(b *testing.B, nodes, items, replicas int) *archivetest.World {
	b.Helper()
	s := archivetest.Default(nodes)
	s.Archive.Replicas = replicas
	v := archivetest.New(sim.New(sim.Default(archivetest.Codec)), s)
	for i := range items {
		v.Insert(v.Any(), nameOf(i%10, uint64(1+i/10)), 1<<10)
		v.Run(20 * time.Millisecond)
	}
	v.Run(time.Minute)
	if len(v.Kept()) < items {
		b.Fatalf("%d items were accepted", len(v.Kept()))
	}
	return v
}

func sentByArchive(v *archivetest.World) (bytes uint64) {
	for kind, count := range v.Counters().Kinds {
		if kind.Protocol() == engine.Archive {
			bytes += count.Bytes
		}
	}
	return bytes
}

// BenchmarkCrash measures what share of the items is lost when a fifth of 100 nodes crashes at one moment, with their
// disks. It also measures the time until all others have all their copies again. It does so for several numbers of
// replicas.
func BenchmarkCrash(b *testing.B) {
	for _, k := range []int{2, 3, 4, 5, 7} {
		b.Run(fmt.Sprintf("replicas=%d", k), func(b *testing.B) {
			for b.Loop() {
				v := benched(b, 100, 3000, k)
				for len(v.Live()) > 80 {
					n := v.Any()
					v.Crash(n)
					v.Wipe(n)
				}
				lost, before, start := len(v.Lost()), sentByArchive(v), v.Now()
				for v.Lacking() > lost*k {
					v.Run(5 * time.Second)
				}
				b.ReportMetric(100*float64(lost)/float64(len(v.Kept())), "%lost")
				b.ReportMetric((v.Now() - start).Seconds(), "s-to-repair")
				b.ReportMetric(float64(sentByArchive(v)-before)/float64(len(v.Kept())), "B/item")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// BenchmarkChurn measures how many lookups fail, and the cost, for several numbers of replicas and rates of churn. Half
// of the nodes that go lose their disks, and half say farewell.
func BenchmarkChurn(b *testing.B) {
	for _, hourly := range []float64{0, 0.25, 1} {
		for _, k := range []int{3, 5, 7} {
			b.Run(fmt.Sprintf("hourly=%v/replicas=%d", hourly, k), func(b *testing.B) {
				for b.Loop() {
					replaceHourly(b, hourly, k)
				}
			})
		}
	}
}

func replaceHourly(b *testing.B, hourly float64, k int) {
	const nodes, items, hours = 60, 1000, 3
	v := benched(b, nodes, items, k)
	all := make([]sim.Node, nodes, 2*nodes)
	for i := range all {
		all[i] = sim.Node(i)
	}
	for range nodes {
		all = append(all, v.Grow(v.ID()))
	}
	driver := churn.Replacement{Hourly: hourly, Leaving: churn.Leaving{InOrder: 0.5, Gone: func(n sim.Node) {
		if v.Rand().IntN(2) == 0 {
			v.Wipe(n)
		}
	}}}
	before := sentByArchive(v)
	driver.Drive(v.World, all)
	var looked []*archivetest.Looked
	for range hours * 60 {
		for range 5 {
			looked = append(looked, v.Find(v.Any(), v.Kept()[v.Rand().IntN(len(v.Kept()))]))
		}
		v.Run(time.Minute)
	}
	failed := 0
	for _, l := range looked {
		if l.Done && v.Wrong(l) != nil { // a lookup of a node that has gone meanwhile does not end
			failed++
		}
	}
	b.ReportMetric(1e6*float64(failed)/float64(len(looked)), "failed/million")
	b.ReportMetric(float64(len(v.Lost())), "lost")
	b.ReportMetric(float64(sentByArchive(v)-before)/items/hours, "B/item-hour")
	b.ReportMetric(float64(sentByArchive(v)-before)/nodes/hours/3600, "B/s/node")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkUse measures the cost to insert an item of 1 KiB and to look it up, in a ring of 200 nodes. It also measures
// how long both last at 50 ms from node to node.
func BenchmarkUse(b *testing.B) {
	for b.Loop() {
		const items = 300
		v := benched(b, 200, 0, archivetest.Default(0).Archive.Replicas)
		names := make([]archive.Name, items)
		before := sentInAll(v)
		start, took := v.Now(), time.Duration(0)
		for i := range names {
			names[i] = nameOf(i%10, uint64(1+i/10))
			at := v.Now()
			v.Insert(v.Any(), names[i], 1<<10)
			for len(v.Kept()) == i {
				v.Run(10 * time.Millisecond)
			}
			took += v.Now() - at
			v.Run(time.Second)
		}
		rest := sentInAll(v) - before
		b.ReportMetric(float64(took.Milliseconds())/items, "ms/insert")
		before, took = sentInAll(v), 0
		length := v.Now() - start
		for _, name := range names {
			l := v.Find(v.Any(), name)
			v.Run(time.Second)
			took += l.Took
		}
		b.ReportMetric(float64(took.Milliseconds())/items, "ms/lookup")
		lookups := sentInAll(v) - before
		before = sentInAll(v)
		v.Run(length)
		idle := float64(sentInAll(v)-before) / length.Seconds()
		b.ReportMetric((float64(rest)-idle*length.Seconds())/items, "B/insert")
		b.ReportMetric((float64(lookups)-idle*items)/items, "B/lookup")
		b.ReportMetric(0, "ns/op")
	}
}

// sentInAll counts what is sent, also by the ring.
func sentInAll(v *archivetest.World) (bytes uint64) {
	for _, count := range v.Counters().Kinds {
		bytes += count.Bytes
	}
	return bytes
}
