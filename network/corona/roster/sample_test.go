package roster

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// tableOf makes a table of signed subscriptions, one for each node.
func tableOf(p *subscribers, counts []int) *readers {
	r := &readers{}
	for i, count := range counts {
		s := Subscription{Node: engine.Peer{ID: numbered(i), Address: "x"}, Count: uint32(count), Stamp: 1}
		r.put(p, entry{stamp: 1, number: p.of(&s), count: s.Count}, make([]byte, engine.SignatureLength), testMost)
	}
	return r
}

// numbered returns an ID that looks drawn.
func numbered(i int) engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// shown returns what a verifier makes of a sample.
func shown(r *readers, p *subscribers, positions []int, nonce uint64) (list []Sampled) {
	for _, i := range positions {
		e := r.entries[i]
		node, count := p.peer(e.number).ID, float64(min(int(e.count), testMost))
		list = append(list, Sampled{Node: node, Count: count, Rank: Rank(node, count, nonce)})
	}
	return list
}

// estimate returns how many readers a sample proves.
func estimate(sample []Sampled) (all float64) {
	for _, stands := range Stands(sample) {
		all += stands
	}
	return all
}

// A table of few nodes proves all its readers; one of many proves as many as there are, less about the deducted
// standard error.
func TestSampleProvesReaders(t *testing.T) {
	for _, nodes := range []int{1, 10, 63, 200, 5000} {
		counts, all := make([]int, nodes), 0
		for i := range counts {
			counts[i] = 1 + i*i%7
			all += counts[i]
		}
		var p subscribers
		r := tableOf(&p, counts)
		const times = 300
		var sum, squares float64
		for nonce := range uint64(times) {
			q := estimate(shown(r, &p, r.sample(&p, nonce, testMost), nonce))
			sum, squares = sum+q, squares+q*q
		}
		mean := sum / times
		deviation := math.Sqrt(max(0, squares/times-mean*mean)) / float64(all)
		deducted := 1 / math.Sqrt(SampleSize-2)
		t.Logf("%d nodes, %d readers: %.1f proved on average, deviation %.3f", nodes, all, mean, deviation)
		switch {
		case nodes < SampleSize && sum != times*float64(all):
			t.Errorf("%d nodes prove %v readers, want %d", nodes, mean, all)
		case nodes > SampleSize && (math.Abs(mean/float64(all)-(1-deducted)) > 0.03 || deviation > deducted*1.1):
			t.Errorf("%d nodes prove %v readers on average, want %v", nodes, mean, float64(all)*(1-deducted))
		}
	}
}

// A primary that leaves out entries of a sample, or cuts it, proves no more readers.
func TestSampleCannotBeStretched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 150).Draw(t, "nodes")
		counts := make([]int, nodes)
		all := 0.
		for i := range counts {
			counts[i] = rapid.IntRange(1, 5).Draw(t, "count")
			all += float64(counts[i])
		}
		nonce := rapid.Uint64().Draw(t, "nonce")
		var p subscribers
		r := tableOf(&p, counts)
		sample := shown(r, &p, r.sample(&p, nonce, testMost), nonce)
		honest := estimate(sample)
		left := append([]Sampled(nil), sample...)
		for range rapid.IntRange(1, len(left)).Draw(t, "left out") {
			i := rapid.IntRange(0, len(left)-1).Draw(t, "which")
			left = append(left[:i], left[i+1:]...)
		}
		if less := estimate(left); less > all || len(sample) < SampleSize && less > honest {
			t.Fatalf("%v readers of %v are proved by leaving some out, %v by all", less, all, honest)
		}
	})
}

// A node that speaks for many counts once, by its largest subscription.
func TestSampleCountsNodesOnce(t *testing.T) {
	var p subscribers
	r := tableOf(&p, []int{1, 2, 3})
	for i, outside := range []string{"xmpp:a", "xmpp:b", "xmpp:c"} {
		s := Subscription{Node: engine.Peer{ID: numbered(1), Address: "x"}, Outside: outside,
			Count: uint32(1 + 4*(i&1)), Stamp: 1}
		r.put(&p, entry{stamp: 1, number: p.of(&s), count: s.Count}, make([]byte, engine.SignatureLength), testMost)
	}
	if got := estimate(shown(r, &p, r.sample(&p, 7, testMost), 7)); got != 1+5+3 {
		t.Errorf("%v readers are proved", got)
	}
}
