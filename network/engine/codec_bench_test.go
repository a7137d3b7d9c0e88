package engine

import (
	"strings"
	"testing"
	"time"
)

func samplePeer(s string) Peer {
	return Peer{ID: IDOf([]byte(s)), Address: Address(strings.Repeat(s, 52)[:52])}
}

// samples are messages of the sizes that protocols send most.
func samples() map[string]Message {
	peers := make([]Peer, 16)
	for i := range peers {
		peers[i] = samplePeer(string(rune('a' + i)))
	}
	return map[string]Message{
		"ping":   &ping{Number: 77, At: time.Hour},
		"routed": &routed{Key: IDOf([]byte("key")), Origin: samplePeer("x"), Hops: 3, Payload: &ping{Number: 5, At: 1}},
		"leaves": &leaves{Peers: peers},
	}
}

func BenchmarkSize(b *testing.B) {
	c := NewCodec(testMessages)
	for name, m := range samples() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Size(m)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	c := NewCodec(testMessages)
	for name, m := range samples() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst, _ = c.Append(dst[:0], m)
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	c := NewCodec(testMessages)
	for name, m := range samples() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			data, err := c.Append(nil, m)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := c.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
