package roster

import (
	"fmt"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// BenchmarkOwned measures what an owner keeps in memory: of channels that have one subscriber each, and of those that
// have many, each with the signature that proves it. The subscribers are some 1,000 nodes.
func BenchmarkOwned(b *testing.B) {
	for _, c := range []struct{ channels, each int }{{50_000, 1}, {5_000, 10}, {500, 100}} {
		b.Run(fmt.Sprintf("channels=%d/subscribers=%d", c.channels, c.each), func(b *testing.B) {
			v := newLone(nil, nil, "90")
			before := heap()
			for b.Loop() { // again and again the same, which is kept once
				for i := range c.channels {
					ch := channel(i)
					m := &Copies{Copies: []Copy{{Channel: ch.ID, URL: ch.URL}}}
					for j := range c.each {
						node := enginetest.NewPeer(fmt.Sprintf("%08x", engine.Mix(uint64((i*c.each+j)%1000))>>32))
						m.Copies[0].Subscriptions = append(m.Copies[0].Subscriptions, Subscription{
							Node: node, Count: 1, Stamp: 1, Signature: make([]byte, engine.SignatureLength)})
					}
					v.Receive(v.peers[1], m)
					v.env.Sent()
				}
			}
			after := heap()
			if held := v.List(); len(held) != c.channels {
				b.Fatalf("%d channels are held", len(held))
			}
			b.ReportMetric(float64(after-before)/float64(c.channels), "B/channel")
			b.ReportMetric(float64(after-before)/float64(c.channels*c.each), "B/subscription")
		})
	}
}
