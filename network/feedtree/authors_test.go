package feedtree

import (
	"crypto/ed25519"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// outlet is a tree of one node: what is published comes back to the record.
type outlet struct {
	bare
	record *record
	sent   []*Item
}

func (o *outlet) Join(engine.ID) {}

func (o *outlet) Publish(topic engine.ID, event engine.Message) {
	if i, ok := event.(*Item); ok {
		s, _ := statementOf(topic, i)
		o.record.note(topic, i, &s)
		o.sent = append(o.sent, i)
	}
}

// Whatever is published, and whatever the network turns out to know: nothing is sent before the network was asked. A
// number stands for one item, and none is left out.
func TestAnAuthorGivesEachNumberOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := enginetest.NewEnv(enginetest.NewPeer("10"))
		c := Default()
		r := newRecord(env, c)
		r.verify = func(Key, []byte, []byte) bool { return true }
		r.isBanned = func(engine.ID) bool { return false }
		r.onDoubled = func(e *Equivocation) { t.Fatalf("%d was given twice", e.First.Number) }
		out := &outlet{record: r}
		w := authors{env: env, config: c, ring: bare{}, tree: out, listener: unheard{}, words: r,
			index: make(map[engine.ID]*author)}
		key := Key{1}
		topic := TopicOf(engine.PrefixID("80"), key.Fingerprint())
		item := func(number uint64, at int64) *Item {
			return &Item{Number: number, Key: key, Time: env.Wall().UnixMilli() + at,
				Signature: make([]byte, ed25519.SignatureSize)}
		}
		before := rapid.Uint64Range(0, 3).Draw(t, "last")
		if err := w.add(Authoring{Topic: topic, Last: before}, 0); err != nil {
			t.Fatal(err)
		}
		given, overtaken := before, uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				number := before + rapid.Uint64Range(1, 8).Draw(t, "number")
				err := w.publish(topic, item(number, 0))
				if left := number > max(given, overtaken)+1; left != errors.Is(err, ErrNumber) {
					t.Fatalf("%d after %d and %d: %v", number, given, overtaken, err)
				}
				if err == nil {
					given = max(given, number)
				}
			},
			"learn": func(t *rapid.T) {
				if !w.isChecking(topic) || given > before {
					t.Skip("too late")
				}
				i := item(before+rapid.Uint64Range(1, 4).Draw(t, "number"), -1)
				if _, known := r.headOf(topic, i.Number); !known {
					w.receiveItems(enginetest.NewPeer("20"), &Items{Topic: topic, Items: []engine.Message{i}})
					overtaken = max(overtaken, i.Number)
				}
			},
			"wait": func(*rapid.T) { env.Advance(c.Check) },
			"": func(t *rapid.T) {
				if w.isChecking(topic) && len(out.sent) > 0 {
					t.Fatal("an item is sent before the network was asked")
				}
				times := make(map[uint64]int64)
				for _, i := range out.sent {
					if at, was := times[i.Number]; was && at != i.Time {
						t.Fatalf("%d stands for two items", i.Number)
					}
					times[i.Number] = i.Time
				}
				if last, _ := w.latest(topic); last < given {
					t.Fatalf("the last is %d, not %d", last, given)
				}
			},
		})
		if !w.remove(topic) || w.has(topic) || w.remove(topic) {
			t.Fatal("the author does not end")
		}
		env.Sent()
		if env.Advance(10 * c.Check); len(env.Sent()) > 0 {
			t.Fatal("nodes are asked for an author that has ended")
		}
	})
}
