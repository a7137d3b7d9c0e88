package feedtree

import (
	"errors"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// speakFor has the node speak for the publisher, after a number.
func (v *press) speakFor(t *testing.T, last uint64) {
	t.Helper()
	err := v.node.Author(Authoring{Topic: v.topic, Last: last, Silence: time.Hour,
		Beat: func() engine.Message { return nil }})
	if err != nil {
		t.Fatal(err)
	}
}

// A follower rests when no node had what it lacks. A new gap is searched for at once, without waiting for the end of
// the rest.
func TestANewGapEndsARest(t *testing.T) {
	asked := func(more bool) (times int) {
		v := newPress(Default(), 5)
		v.library.parent = enginetest.NewPeer("a0")
		beat := func(number uint64) {
			h := &Heartbeat{Number: number, Time: v.env.Wall().UnixMilli() + 10, Silence: 24 * 3600}
			h.Sign(v.topic, keyOf(1))
			v.push(h, "a0")
		}
		v.push(v.items[1], "a0")
		beat(2)
		for rests := 0; rests < 6; v.env.Advance(time.Second) {
			for _, e := range v.env.Traced() {
				if _, ok := e.(Fallback); ok {
					rests++
				}
			}
		}
		v.env.Sent()
		if more {
			beat(4)
		}
		v.env.Advance(2 * Default().Grace)
		for _, s := range v.env.Sent() {
			if _, ok := s.Message.(*Ask); ok {
				times++
			}
		}
		return times
	}
	if at, anew := asked(false), asked(true); at != 0 || anew == 0 {
		t.Errorf("at rest others are asked %d times, and %d times when another gap comes", at, anew)
	}
}

// A publisher that was restored from an old copy learns that there are later items. Numbers above the last that it knew
// are not given again. That one itself, and those before it, can be sent again.
func TestWhatWasNumberedBeforeCanBeSentAgain(t *testing.T) {
	v := newPress(Default(), 5)
	v.speakFor(t, 2)
	v.node.Receive(enginetest.NewPeer("a0"), &Items{Topic: v.topic, From: 3, Items: []engine.Message{v.items[4]}})
	for at, want := range []error{nil, nil, ErrOvertaken, nil, nil} { // others have item 4
		number := at + 1
		if err := v.node.Publish(v.topic, v.items[number]); !errors.Is(err, want) {
			t.Errorf("item %d: %v, want %v", number, err, want)
		}
	}
}

// While a publisher's node asks the network, the times in the answers are of the past. Up to the latest of them,
// nothing is a sign of another node with the key. What is signed later, and not here, is one.
func TestWhatIsFromBeforeIsNoContest(t *testing.T) {
	for ahead, contested := range map[time.Duration]bool{45 * time.Second: false, time.Minute: false,
		75 * time.Second: true} {
		v := newPress(Default(), 0)
		v.speakFor(t, 0)
		at := v.env.Wall()
		signed := func(after time.Duration, entry string) Head {
			i := &Item{Number: 1, Time: at.Add(after).UnixMilli(), Entry: []byte(entry)}
			i.Sign(v.topic, keyOf(1))
			return *i.Head()
		}
		proof := &Equivocation{Topic: v.topic, First: signed(time.Minute, "one"),
			Second: signed(30*time.Second, "another")}
		v.node.Receive(enginetest.NewPeer("a0"), proof)
		v.env.Advance(checks * Default().Check)
		beat := &Heartbeat{Number: 1, Time: at.Add(ahead).UnixMilli(), Silence: 60}
		beat.Sign(v.topic, keyOf(1))
		v.env.Traced()
		v.push(beat, "a0")
		got := false
		for _, e := range v.env.Traced() {
			_, is := e.(Contested)
			got = got || is
		}
		if got != contested {
			t.Errorf("a word of %v later is taken for another node's: %v", ahead, got)
		}
	}
}
