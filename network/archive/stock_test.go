package archive

import (
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Whatever comes, and whatever happens to the disk, the stock keeps its bounds. Each item that comes ends once.
func TestStockKeepsItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStub()
		s.config.MaxItem, s.config.MaxBytes, s.config.MaxTopicBytes, s.config.MaxItems = 50, 150, 100, 4
		k := stock{env: s.env, config: &s.config, store: s, node: s, held: newIndex()}
		begun, ended := 0, 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			name := Name{engine.ID{byte(rapid.IntRange(0, 1).Draw(t, "topic"))},
				uint64(rapid.IntRange(0, 9).Draw(t, "number"))}
			switch rapid.SampledFrom([]string{"item", "item", "forged", "work", "kept", "broken", "damaged"}).Draw(t,
				"step") {
			case "item":
				begun++
				k.admit(s.peers[0], name, genuine(rapid.IntRange(1, 60).Draw(t, "length")), func(Refusal) { ended++ })
			case "forged":
				begun++
				k.admit(s.peers[0], name, forged, func(why Refusal) {
					if ended++; why != False {
						t.Fatalf("forged bytes are %v", why)
					}
				})
			case "work":
				s.env.RunWork()
			case "kept":
				s.finish(true)
			case "broken":
				s.finish(false)
				k.held.up(keyRange{}, func(e *entry) bool {
					if e.coming {
						t.Fatalf("%v comes still, though the disk has failed", e.Name)
					}
					return true
				})
			case "damaged":
				if was := k.has(name) != nil; k.damaged(name) != was || k.has(name) != nil {
					t.Fatalf("what is damaged was there: %v", was)
				}
			}
			topic := int64(0)
			for _, u := range k.held.topics {
				topic = max(topic, u.bytes)
			}
			if k.held.bytes > 150 || len(k.held.names) > 4 || topic > 100 {
				t.Fatalf("%d bytes, %d items, %d bytes of a topic", k.held.bytes, len(k.held.names), topic)
			}
		}
		s.env.RunWork()
		if s.finish(true); begun != ended || k.admitting != 0 {
			t.Fatalf("%d of %d have ended, %d bytes are coming", ended, begun, k.admitting)
		}
	})
}
