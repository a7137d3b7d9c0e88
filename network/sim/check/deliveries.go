package check

import (
	"tidings/network/engine"
	"tidings/network/sim"
)

// deliveries remembers which updates each node was delivered: one bit each, and some 60 bytes
// for each node and topic.
type deliveries struct {
	topics  map[engine.ID]topicNumber
	counts  []int             // by topic, how many updates it has
	numbers map[Delivered]int // of updates, each topic's from 0
	lives   byNode[uint32]    // how often the node forgot
	held    map[holder][]uint64
}

type topicNumber uint32

// holder is one topic at one life of a node.
type holder struct {
	node  sim.Node
	life  uint32
	topic topicNumber
}

// add notes a delivery and reports whether it is the node's first of that update.
func (d *deliveries) add(n sim.Node, e Delivered) (first bool) {
	number := d.number(e)
	h := holder{n, *d.lives.of(n), d.topics[e.Topic]}
	bits := d.held[h]
	for number/64 >= len(bits) {
		bits = append(bits, 0)
	}
	first = bits[number/64]>>(number%64)&1 == 0
	bits[number/64] |= 1 << (number % 64)
	d.held[h] = bits
	return first
}

// has reports whether the node was delivered the update since it last forgot.
func (d *deliveries) has(n sim.Node, e Delivered) bool {
	number, known := d.numbers[e]
	if !known {
		return false
	}
	bits := d.held[holder{n, *d.lives.of(n), d.topics[e.Topic]}]
	return number/64 < len(bits) && bits[number/64]>>(number%64)&1 == 1
}

// forget begins a new life of the node.
func (d *deliveries) forget(n sim.Node) { *d.lives.of(n)++ }

// number returns the update's number among those of its topic, a new one if it is new.
func (d *deliveries) number(e Delivered) int {
	if number, known := d.numbers[e]; known {
		return number
	}
	if d.numbers == nil {
		d.topics, d.numbers, d.held = make(map[engine.ID]topicNumber), make(map[Delivered]int),
			make(map[holder][]uint64)
	}
	topic, known := d.topics[e.Topic]
	if !known {
		topic = topicNumber(len(d.counts))
		d.topics[e.Topic] = topic
		d.counts = append(d.counts, 0)
	}
	number := d.counts[topic]
	d.numbers[e] = number
	d.counts[topic]++
	return number
}

// byNode holds something for each node.
type byNode[T any] []T

// of returns what is held for a node.
func (b *byNode[T]) of(n sim.Node) *T {
	for int(n) >= len(*b) {
		var zero T
		*b = append(*b, zero)
	}
	return &(*b)[n]
}
