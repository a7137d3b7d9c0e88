package feedtree

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings/network/engine"
)

// Following says what this node follows.
type Following struct {
	Topic   engine.ID
	Channel engine.ID
	// Pin is the fingerprint of the publisher's key, as the conventional feed has given it.
	Pin Fingerprint
	// Have is the number up to which the Library has all items, or has given them up: 0 if it has none. Later are those
	// above that it has too, ascending. So nothing is asked for twice.
	Have  uint64
	Later []uint64
	// Window is how many of the latest numbers are wanted; 0: Config.Window. At most MaxWindow.
	Window int
	// Silence is within what time the publisher has promised its next word; 0: nothing. Its
	// heartbeats can change it.
	Silence time.Duration
	// Forgiven is the number up to which doubled numbers are not held against the publisher; see Node.Forgive.
	Forgiven uint64
}

// Errors of Follow.
var (
	ErrTopic  = errors.New("the topic is not that of the channel and the key")
	ErrFull   = errors.New("too many channels")
	ErrKnown  = errors.New("it is followed already")
	ErrWindow = errors.New("so many are not looked for")
	ErrVoid   = errors.New("the key was revoked")
	errBehind = errors.New("a number that is not above those before it")
)

// followings are what this node follows.
type followings struct {
	index map[engine.ID]*following // by every topic of theirs
	list  []*following             // in no order that means anything, the same in each run
}

// following is one channel that is followed.
type following struct {
	Following     // as it was asked for
	at        int // in the list
	gone      bool
	void      bool    // its key was revoked
	eras      []era   // the present one first
	have      uint64  // all up to here are kept, or given up
	haveTime  int64   // of that item; 0: not known
	givenUp   uint64  // the highest number that was given up since Follow
	later     []later // items above have, ascending; see there
	keeping   int     // of them the Library has
	last      uint64  // the highest number that is known to exist
	vouched   uint64  // the highest number that the present key has named, or that was known to exist when it came
	begun     bool    // it is known what was published before
	before    uint64  // up to here, if this follower is new: what comes after that does not wait for it
	hold      engine.Alarm

	voice  voice
	search search
}

// era is a time in which one key was used.
type era struct {
	topic engine.ID
	pin   Fingerprint
	since time.Duration
}

// maxEras is how many keys of a publisher are remembered, to ask for what was published with them.
const maxEras = 4

func (f *following) present() era { return f.eras[0] }

// isOpen reports whether the channel is followed, and its key not revoked.
func (f *following) isOpen() bool { return !f.gone && !f.void }

// lastKnown returns the highest number that is known to exist.
func (f *following) lastKnown() uint64 { return f.last }

// isOverdue reports whether the publisher's next word is.
func (f *following) isOverdue() bool { return f.voice.overdue }

// topics returns the topics of the channel, the present one first, which is used since a time.
func (f *following) topics() (topics []engine.ID, since time.Duration) {
	for _, e := range f.eras {
		topics = append(topics, e.topic)
	}
	return topics, f.eras[0].since
}

// Follow gives the items of a topic to the Library from now on, and requests the missing ones of the latest.
func (n *Node) Follow(w Following) error {
	all := &n.followings
	switch {
	case w.Topic != TopicOf(w.Channel, w.Pin):
		return fmt.Errorf("following %s: %w", w.Topic.Short(), ErrTopic)
	case w.Window < 0 || w.Window > MaxWindow:
		return fmt.Errorf("following %s: %d numbers: %w", w.Topic.Short(), w.Window, ErrWindow)
	case all.index[w.Topic] != nil:
		return fmt.Errorf("following %s: %w", w.Topic.Short(), ErrKnown)
	case len(all.list) >= n.config.MaxFollowings:
		return fmt.Errorf("following %s beside %d others: %w", w.Topic.Short(), len(all.list), ErrFull)
	}
	if n.record.isRevoked(w.Topic) {
		return fmt.Errorf("following %s: %w", w.Topic.Short(), ErrVoid)
	}
	f := &following{
		Following: w, at: len(all.list), have: w.Have, last: w.Have, begun: w.Have > 0 || len(w.Later) > 0,
		eras: []era{{w.Topic, w.Pin, n.env.Now()}},
	}
	f.voice = voice{env: n.env, lag: n.config.Lag, silence: w.Silence,
		onOverdue: func(anew bool) { n.overdue(f, anew) }}
	f.search = search{goal: f, accept: func(topic engine.ID, word engine.Message, back *Withdrawal) bool {
		if back != nil {
			return f.acceptWithdrawal(n, topic, back)
		}
		return n.receiveAnswer(f, topic, word, engine.Peer{}, Archived)
	}}
	f.Later = nil
	if f.Window == 0 {
		f.Window = n.config.Window
	}
	for _, number := range w.Later {
		if number <= f.last {
			return fmt.Errorf("following %s: %d: %w", w.Topic.Short(), number, errBehind)
		}
		f.last = number
		f.later = append(f.later, later{number: number, topic: w.Topic, state: kept})
	}
	all.list = append(all.list, f)
	all.index[w.Topic] = f
	n.tree.Join(w.Topic)
	n.settle(f)
	f.voice.expect(0)
	f.search.unknown()
	n.searcher.in(&f.search, jitter(n.env, n.config.Grace))
	return nil
}

// Unfollow ends what Follow began. topic can be any that the channel has had since.
func (n *Node) Unfollow(topic engine.ID) {
	f := n.followings.index[topic]
	if f == nil {
		return
	}
	n.quiet(f)
	for _, e := range f.eras {
		n.forget(f, e.topic)
	}
	f.gone = true
	list := n.followings.list
	last := len(list) - 1
	list[f.at] = list[last]
	list[f.at].at = f.at
	list[last] = nil
	n.followings.list = list[:last]
}

// quiet ends all that a following is waiting for.
func (n *Node) quiet(f *following) {
	f.hold.Stop()
	f.voice.stop()
	n.searcher.end(&f.search)
	for i := range f.later {
		n.pending.remove(&f.later[i])
	}
	f.later = slices.DeleteFunc(f.later, func(l later) bool { return l.state != kept })
	f.keeping = 0
}

// leave leaves a topic of a channel, and forget is of one that is no longer the channel's.
func (n *Node) leave(f *following, topic engine.ID) {
	if n.followings.index[topic] == f && !n.authors.has(topic) {
		n.tree.Leave(topic)
	}
}

func (n *Node) forget(f *following, topic engine.ID) {
	n.leave(f, topic)
	if n.followings.index[topic] == f {
		delete(n.followings.index, topic)
	}
}

// Forgo ends the search for numbers up to one: the conventional feed had their items.
func (n *Node) Forgo(topic engine.ID, upTo uint64) {
	f := n.followings.index[topic]
	if f == nil || min(upTo, f.last) <= f.have {
		return
	}
	n.giveUp(f, min(upTo, f.last))
	n.searcher.update(&f.search)
}
