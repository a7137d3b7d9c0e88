package feedtreetest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/sim"
)

// keeping is how long a library needs to keep an item, unless it is slow.
const keeping = 5 * time.Millisecond

// Library holds items on a node's disk. It answers in the order in which it is asked.
type Library struct {
	// Slow is how long it needs to keep an item; 0: 5 ms.
	Slow time.Duration
	// Shelves are what was kept, and when, in this life of the node, in order.
	Shelves []Shelf
	// Wants reports whether a topic is followed. What is no longer wanted when it could be kept is not kept.
	Wants func(topic engine.ID) bool
	// Given is called when an item that the node has given is kept, and when the node gives one that is here.
	Given func(topic engine.ID, item *feedtree.Item)

	env     engine.Env
	node    *feedtree.Node
	disk    *sim.Disk
	topics  map[engine.ID]*shelf
	free    time.Duration // when it has kept all that it was given
	unruly  []string      // what the node did that it must not
	waiting int
}

// Shelf is an item that a library keeps.
type Shelf struct {
	Topic  engine.ID
	Number uint64
	At     time.Duration // since the node started
}

// shelf is the items of a topic.
type shelf struct {
	numbers []uint64 // ascending
	items   map[uint64]*feedtree.Item
	files   int // on the disk; of an item that was removed there is an empty one
}

// NewLibrary returns the library with what is on a disk. Use is called before anything is given to it.
func NewLibrary(env engine.Env, disk *sim.Disk) *Library {
	return &Library{
		env: env, disk: disk, topics: make(map[engine.ID]*shelf),
		Wants: func(engine.ID) bool { return true }, Given: func(engine.ID, *feedtree.Item) {},
	}
}

// Use has the library answer a node.
func (l *Library) Use(node *feedtree.Node) { l.node = node }

// of returns the shelf of a topic, from the disk if need be.
func (l *Library) of(topic engine.ID) *shelf {
	s := l.topics[topic]
	if s != nil {
		return s
	}
	s = &shelf{items: make(map[uint64]*feedtree.Item)}
	l.topics[topic] = s
	for ; ; s.files++ {
		data, ok := l.disk.Get(fileOf(topic, s.files))
		if !ok {
			break
		}
		if len(data) > 0 {
			i := new(feedtree.Item)
			must(i.UnmarshalBinary(data))
			s.items[i.Number] = i
		}
	}
	s.numbers = slices.Sorted(maps.Keys(s.items))
	return s
}

// fileOf returns where an item is on the disk, by how many were kept before it.
func fileOf(topic engine.ID, before int) string { return fmt.Sprintf("%s/%d", topic, before) }

// Keep keeps an item after a while.
func (l *Library) Keep(topic engine.ID, item *feedtree.Item) {
	if _, here := l.of(topic).items[item.Number]; here {
		l.unruly = append(l.unruly, fmt.Sprintf("item %d of %s was given a second time", item.Number, topic.Short()))
		l.Given(topic, item)
	}
	l.waiting++
	l.free = max(l.free, l.env.Now()) + max(l.Slow, 0)
	if l.Slow == 0 {
		l.free += keeping
	}
	l.env.After(l.free-l.env.Now(), func() {
		l.waiting--
		wanted := l.Wants(topic)
		if wanted {
			if l.Put(topic, item) {
				l.Given(topic, item)
			}
			l.Shelves = append(l.Shelves, Shelf{topic, item.Number, l.env.Now()})
		}
		l.node.Kept(topic, item.Number, wanted)
	})
}

// Put keeps an item at once, as a publisher's node does with its own. It reports whether it was not here.
func (l *Library) Put(topic engine.ID, item *feedtree.Item) bool {
	s := l.of(topic)
	if _, here := s.items[item.Number]; here {
		return false
	}
	data, err := item.MarshalBinary()
	must(err)
	l.disk.Put(fileOf(topic, s.files), data)
	s.files++
	s.items[item.Number] = item
	at, _ := slices.BinarySearch(s.numbers, item.Number)
	s.numbers = slices.Insert(s.numbers, at, item.Number)
	return true
}

// Remove forgets an item, as a publisher's node does with one that it numbers anew.
func (l *Library) Remove(topic engine.ID, number uint64) {
	s := l.of(topic)
	for file := range s.files {
		i := new(feedtree.Item)
		if data, _ := l.disk.Get(fileOf(topic, file)); len(data) > 0 && i.UnmarshalBinary(data) == nil &&
			i.Number == number {
			l.disk.Put(fileOf(topic, file), nil)
		}
	}
	delete(s.items, number)
	s.numbers = slices.Sorted(maps.Keys(s.items))
}

// Numbers returns which items of a topic are kept.
func (l *Library) Numbers(topic engine.ID) []uint64 { return l.of(topic).numbers }

// Item returns an item; nil: it is not here.
func (l *Library) Item(topic engine.ID, number uint64) *feedtree.Item {
	return l.of(topic).items[number]
}

// Waiting returns how many items are being kept.
func (l *Library) Waiting() int { return l.waiting }

// Have returns the fields Have and Later of a Following for topics of one channel. All items up to have are here, and
// of the items beyond those in later.
func (l *Library) Have(topics ...engine.ID) (have uint64, later []uint64) {
	var all []uint64
	for _, topic := range topics {
		all = append(all, l.Numbers(topic)...)
		all = slices.AppendSeq(all, maps.Keys(l.of(topic).withdrawn()))
	}
	slices.Sort(all)
	for _, number := range slices.Compact(all) {
		if number == have+1 && len(later) == 0 {
			have = number
		} else {
			later = append(later, number)
		}
	}
	return have, later
}

// withdrawn returns which numbers items of a topic withdraw, each with the first of those.
func (s *shelf) withdrawn() map[uint64]*feedtree.Item {
	by := make(map[uint64]*feedtree.Item)
	for _, number := range s.numbers {
		for _, back := range s.items[number].Withdraws() {
			if by[back] == nil {
				by[back] = s.items[number]
			}
		}
	}
	return by
}

// Lend gives items after a while.
func (l *Library) Lend(topic engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	l.env.After(keeping, func() {
		var items []*feedtree.Item
		s := l.of(topic)
		by := s.withdrawn()
		numbers := slices.Compact(
			slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(s.numbers), maps.Keys(by)))))
		at, _ := slices.BinarySearch(numbers, from)
		for _, number := range numbers[at:] {
			if to > 0 && number > to || len(items) == most {
				break
			}
			item := by[number]
			if item == nil {
				item = s.items[number]
			}
			if !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
		found(items)
	})
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("feedtreetest: %v", err))
	}
}
