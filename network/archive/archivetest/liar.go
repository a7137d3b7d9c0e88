package archivetest

import (
	"bytes"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/pastry"
)

// Lie is a way of breaking the protocol.
type Lie int

// The lies.
const (
	Honest     Lie = iota
	Denying        // it has nothing to give, whatever it keeps
	Forging        // what it gives is false, and it has everything
	Pretending     // it says that it has taken what it has not; see Disk.Broken
	Misleading     // it names nodes that are not there as the closest ones
	Swallowing     // it passes nothing on, and answers nothing
	Lies
)

// Liar is the Env of a node that lies. Count counts how often it did.
type Liar struct {
	engine.Env
	Lie    func() Lie
	Count  *int
	denied map[engine.ID][]archive.Name // items that were kept back, by who has asked
}

// NewLiar puts a lie around a node's Env.
func NewLiar(env engine.Env, lie func() Lie, count *int) *Liar {
	return &Liar{Env: env, Lie: lie, Count: count, denied: make(map[engine.ID][]archive.Name)}
}

// Send lies, or not.
func (l *Liar) Send(to engine.Peer, m engine.Message) {
	for _, m := range l.say(to, m) {
		l.Env.Send(to, m)
	}
}

func (l *Liar) say(to engine.Peer, m engine.Message) []engine.Message {
	lie := l.Lie()
	before := *l.Count
	*l.Count++
	switch m := m.(type) {
	case *pastry.Routed:
		if lie == Swallowing && m.Origin.ID != l.Self().ID && m.Payload.Kind().Protocol() == engine.Archive {
			return nil
		}
	case *archive.Where:
		answer := *m
		switch lie {
		case Swallowing:
			return nil
		case Denying:
			answer.Has = false
			return []engine.Message{&answer}
		case Forging:
			answer.Has = true
			return []engine.Message{&answer}
		case Misleading:
			answer.Has, answer.Closest = false, nil
			for i := range 5 {
				id := m.Name.Key()
				id[len(id)-1] ^= byte(i)
				answer.Closest = append(answer.Closest, engine.Peer{ID: id, Address: to.Address})
			}
			return []engine.Message{&answer}
		}
	case *archive.Item:
		switch lie {
		case Swallowing:
			return nil
		case Denying:
			l.denied[to.ID] = append(l.denied[to.ID], m.Name)
			return nil
		case Forging:
			return []engine.Message{forged(m.Name, m.Bytes)}
		}
	case *archive.Fetched:
		answer := *m
		switch lie {
		case Swallowing:
			return nil
		case Denying:
			answer.None = append(append([]archive.Name(nil), m.None...), l.denied[to.ID]...)
			answer.None = answer.None[:min(len(answer.None), 16)]
			delete(l.denied, to.ID)
			return []engine.Message{&answer}
		case Forging:
			var all []engine.Message
			for _, name := range m.None {
				all = append(all, forged(name, Item(name, 100)))
			}
			answer.None = nil
			return append(all, &answer)
		}
	case *archive.Taken:
		if lie == Pretending {
			return []engine.Message{&archive.Taken{Name: m.Name}}
		}
	case *archive.Offered:
		switch lie {
		case Pretending:
			return []engine.Message{&archive.Offered{Number: m.Number, Has: 1<<64 - 1}}
		case Swallowing:
			return nil
		}
	}
	*l.Count = before
	return []engine.Message{m}
}

func forged(name archive.Name, content []byte) *archive.Item {
	b := bytes.Clone(content)
	b[0] ^= 1
	return &archive.Item{Name: name, Bytes: b}
}
