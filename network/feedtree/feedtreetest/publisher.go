package feedtreetest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/sim"
)

// Publisher publishes a feed, at a node.
type Publisher struct {
	Channel engine.ID
	Private ed25519.PrivateKey
	At      sim.Node
	Silence time.Duration

	// Truth is what was published, by number: at the first time if at several.
	Truth map[uint64]*feedtree.Item
	// Topics are the publisher's, the present one last.
	Topics []engine.ID
	// Overtaken counts how often its node learned that the network is further.
	Overtaken int

	world    *World
	before   ed25519.PrivateKey // the last key but one
	rotation *feedtree.Rotation // of the last key but one to the present one
}

// PrivateKey returns a key by name.
func PrivateKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// NewPublisher has a feed published at a node, which must be up.
func (w *World) NewPublisher(name string, at sim.Node, silence time.Duration) *Publisher {
	p := &Publisher{
		Channel: engine.IDOf([]byte("channel " + name)), Private: PrivateKey("key of " + name), At: at,
		Silence: silence,
		Truth:   make(map[uint64]*feedtree.Item), world: w,
	}
	p.Topics = []engine.ID{p.topic()}
	w.publishers = append(w.publishers, p)
	w.Do(at, func(engine.Protocol) { p.author(w.Node(at)) })
	return p
}

func (p *Publisher) topic() engine.ID { return feedtree.TopicOf(p.Channel, p.Pin()) }

// Pin returns the fingerprint of the present key.
func (p *Publisher) Pin() feedtree.Fingerprint { return feedtree.KeyOf(p.Private).Fingerprint() }

// Topic returns the present topic.
func (p *Publisher) Topic() engine.ID { return p.Topics[len(p.Topics)-1] }

// book is what a publisher's node has on its disk.
type book struct {
	Last uint64
	Time int64
}

func (p *Publisher) file() string { return "publisher of " + p.Channel.String() }

func (p *Publisher) read(n *Node) (b book) {
	if data, ok := n.Disk.Get(p.file()); ok {
		must(json.Unmarshal(data, &b))
	}
	return b
}

func (p *Publisher) write(n *Node, b book) {
	data, err := json.Marshal(b)
	must(err)
	n.Disk.Put(p.file(), data)
}

// author has a node speak for the publisher.
func (p *Publisher) author(n *Node) {
	topic := p.topic()
	must(n.Feed.Author(feedtree.Authoring{
		Topic: topic, Last: p.read(n).Last, Silence: p.Silence, Beat: func() engine.Message { return p.beat(n, topic) },
	}))
	if i := n.Library.Item(topic, p.read(n).Last); i != nil {
		_ = n.Feed.Publish(topic, i) // it may not have been sent
	}
}

// overtaken has the publisher go on above what others have.
func (p *Publisher) overtaken(last uint64) {
	p.Overtaken++
	p.world.After(0, func() {
		p.world.Do(p.At, func(engine.Protocol) {
			n := p.world.Node(p.At)
			b := p.read(n)
			p.write(n, book{max(b.Last, last), b.Time})
		})
	})
}

// beat says that nothing is new, or on the topic of the last key that there is another.
func (p *Publisher) beat(n *Node, topic engine.ID) engine.Message {
	b := p.read(n)
	if topic != p.topic() {
		if p.before == nil || topic != p.Topics[len(p.Topics)-2] {
			return nil
		}
		r := &feedtree.Rotation{New: p.rotation.New, Time: p.now(n, b)}
		r.Sign(p.before)
		return r
	}
	h := &feedtree.Heartbeat{Number: b.Last, Time: p.now(n, b), Silence: uint32(p.Silence / time.Second)}
	h.Sign(p.topic(), p.Private)
	return h
}

// now returns the time of what is signed next, and notes it.
func (p *Publisher) now(n *Node, b book) int64 {
	b.Time = feedtree.NextTime(n.Env.Wall(), b.Time)
	p.write(n, b)
	return b.Time
}

// Publish has an entry published with the next number, which is returned; the node must be up.
func (p *Publisher) Publish(entry string) (number uint64) {
	p.world.Do(p.At, func(engine.Protocol) {
		n := p.world.Node(p.At)
		b := p.read(n)
		i := p.Sign(b.Last+1, p.now(n, b), entry)
		number = i.Number
		if p.Truth[number] == nil {
			p.Truth[number] = i
		}
		p.write(n, book{i.Number, i.Time})
		n.Library.Put(p.topic(), i)
		if p.world.settings.Archive {
			p.world.Vault.Put(p.topic(), i)
		}
		_ = n.Feed.Publish(p.topic(), i) // as a node restored from a backup would try
	})
	return number
}

// Sign returns an item as the publisher would sign it.
func (p *Publisher) Sign(number uint64, at int64, entry string) *feedtree.Item {
	i := &feedtree.Item{Number: number, Time: at, Entry: []byte(entry)}
	i.Sign(p.topic(), p.Private)
	return i
}

// Rotate gives the publisher another key. Its node publishes on the new topic from now on, and says so on the
// old one.
func (p *Publisher) Rotate(name string) {
	p.world.Do(p.At, func(engine.Protocol) {
		n := p.world.Node(p.At)
		b := p.read(n)
		old := p.topic()
		r := &feedtree.Rotation{New: feedtree.KeyOf(PrivateKey(name)), Time: p.now(n, b)}
		r.Sign(p.Private)
		must(n.Feed.Publish(old, r))
		p.before, p.rotation = p.Private, r
		p.Private = PrivateKey(name)
		p.Topics = append(p.Topics, p.topic())
		p.author(n)
	})
}

// Revoke declares the present key void.
func (p *Publisher) Revoke() {
	p.world.Do(p.At, func(engine.Protocol) {
		n := p.world.Node(p.At)
		r := &feedtree.Revocation{Time: p.now(n, p.read(n))}
		r.Sign(p.Private)
		must(n.Feed.Publish(p.topic(), r))
	})
}

// Complete returns what a node lacks of what was published, or has otherwise than it should.
func (p *Publisher) Complete(n sim.Node, from, to uint64) error {
	l := p.world.Node(n).Library
	for number := from; number <= to; number++ {
		var got *feedtree.Item
		for _, topic := range p.Topics {
			if i := l.Item(topic, number); i != nil {
				got = i
			}
		}
		switch {
		case got == nil:
			return fmt.Errorf("node %d lacks item %d of %d to %d", n, number, from, to)
		case string(got.Entry) != string(p.Truth[number].Entry):
			return fmt.Errorf("node %d has %q for item %d, which is %q", n, got.Entry, number, p.Truth[number].Entry)
		}
	}
	return nil
}

// Rotation returns what has led to the present key; nil: it is the first.
func (p *Publisher) Rotation() *feedtree.Rotation { return p.rotation }
