package feedtree

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// A publisher promises a word each minute. It is overdue once, when lag has passed after that, and no longer when it
// speaks in time. Old words, and repeated ones, count for nothing. A publisher that has withdrawn its promise is not
// relied on.
func TestAVoiceIsOverdueOnce(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	const lag = 10 * time.Second
	var overdue, again int
	v := voice{env: env, lag: lag, onOverdue: func(anew bool) {
		if anew {
			overdue++
		} else {
			again++
		}
	}}
	beat := func(ago time.Duration, silence uint32) (ended bool, s spoke) {
		h := &Heartbeat{Time: env.Wall().Add(-ago).UnixMilli(), Silence: silence}
		ended, s = v.promise(h)
		if after := v.listen(h, h.Time, Pushed); after.inTime {
			s = after
		}
		return ended, s
	}
	if _, s := beat(0, 60); s != (spoke{true, true}) {
		t.Errorf("the first word is %+v", s)
	}
	env.Advance(time.Minute)
	if _, s := beat(0, 60); s != (spoke{true, false}) {
		t.Errorf("the next word is %+v", s)
	}
	if _, s := beat(0, 60); s != (spoke{}) {
		t.Errorf("the same word once more is %+v", s)
	}
	env.Advance(time.Minute + lag - 1)
	if overdue != 0 {
		t.Error("overdue too soon")
	}
	env.Advance(1)
	if overdue != 1 || again != 0 || !v.overdue {
		t.Errorf("overdue %d times, and %d times more", overdue, again)
	}
	if env.Advance(time.Second); v.listen(&Head{}, env.Wall().Add(-time.Hour).UnixMilli(), Pushed) != (spoke{}) ||
		!v.overdue {
		t.Error("an old word is one in time")
	}
	if _, s := beat(0, 60); s != (spoke{true, true}) || v.overdue {
		t.Errorf("the word after one that was overdue is %+v", s)
	}
	if ended, s := beat(time.Hour, 0); ended || s != (spoke{}) || v.silence != time.Minute {
		t.Errorf("an old promise once more: ended %v, %+v, and %v is promised", ended, s, v.silence)
	}
	env.Advance(time.Second)
	if ended, s := beat(0, 0); !ended || s.isNews {
		t.Errorf("a promise that is withdrawn: ended %v, %+v", ended, s)
	}
	if env.Advance(time.Hour); overdue != 1 {
		t.Error("overdue without a promise")
	}
	if ended, s := beat(0, 60); ended || s != (spoke{true, true}) {
		t.Errorf("a promise that is made again: ended %v, %+v", ended, s)
	}
}
