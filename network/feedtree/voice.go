package feedtree

import (
	"time"

	"tidings/network/engine"
)

// clockSkew is by how much the clocks of a publisher and a reader may differ when the age of a word is judged.
const clockSkew = 5 * time.Minute

// voice is when a publisher has spoken, and by when it has promised to do so again, as a follower knows it. What is
// signed earlier than the latest word changes nothing. A publisher that withdrew its promise is not relied on, whatever
// it publishes.
type voice struct {
	env engine.Env
	lag time.Duration // how much longer than the silence the next word may need
	// onOverdue is called when the next word has not come in time; anew is false if it was overdue before.
	onOverdue func(anew bool)

	silence  time.Duration  // within what time the next word is promised; 0: nothing is
	promised int64          // when it signed the heartbeat that says silence
	lastTime int64          // the latest that the publisher has signed
	latest   engine.Message // *Head or *Heartbeat: what it has said then
	heard    bool           // it has spoken in time
	ended    bool           // it has withdrawn what it promised
	overdue  bool
	due      engine.Alarm
}

// spoke is what a word means: the publisher has spoken in time, and that is news.
type spoke struct{ inTime, isNews bool }

// listen notes when a publisher has spoken.
func (v *voice) listen(word engine.Message, at int64, way Way) spoke {
	if at <= v.lastTime {
		return spoke{}
	}
	v.lastTime, v.latest = at, word
	if h, ok := word.(*Heartbeat); ok && h.Silence == 0 && !v.ended {
		return spoke{} // nothing was promised, and nothing is: no reader can rely on that
	}
	age := v.age(at)
	switch {
	case way == Pushed && age <= v.silence+clockSkew:
		return v.speak(0)
	case way != Pushed && age <= v.silence: // another node has received it then
		return v.speak(age)
	}
	return spoke{}
}

// promise notes what a heartbeat says of the next word, and reports whether nothing is promised any more. A promise
// that was withdrawn can be made again. Then the next word in time counts, which may have come already.
func (v *voice) promise(h *Heartbeat) (ended bool, s spoke) {
	if h.Time <= v.promised {
		return false, s
	}
	v.promised = h.Time // though an item that was sent after it may have come before it
	switch {
	case h.Silence > 0 && v.ended:
		v.ended, v.heard = false, false
	case h.Silence == 0 && v.silence > 0:
		v.ended, ended = true, true
	}
	v.silence = time.Duration(h.Silence) * time.Second
	if age := v.age(v.lastTime); h.Time < v.lastTime && !v.ended && !v.heard && age <= v.silence {
		s = v.speak(age)
	}
	return ended, s
}

// speak notes that the publisher has spoken in time, a while ago.
func (v *voice) speak(ago time.Duration) spoke {
	isNews := !v.ended && (v.overdue || !v.heard)
	v.heard, v.overdue = true, false
	v.expect(ago)
	return spoke{true, isNews}
}

// expect waits for the publisher's next word, after one a while ago.
func (v *voice) expect(ago time.Duration) {
	if v.silence <= 0 {
		v.due.Stop()
		return
	}
	v.due.Set(v.env, v.env.Now()+v.silence-ago+v.lag, func() {
		anew := !v.overdue
		v.overdue = true
		v.onOverdue(anew)
	})
}

// forgetWord forgets what the publisher has said last, and not when.
func (v *voice) forgetWord() { v.latest = nil }

// stop waits for nothing more.
func (v *voice) stop() { v.due.Stop() }

// age returns how long ago something was said, as far as calendars can be believed.
func (v *voice) age(at int64) time.Duration {
	now := v.env.Wall()
	if now.Unix() < clockUnset {
		return 0
	}
	return max(0, now.Sub(time.UnixMilli(at)))
}
