package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// A reunion finds that the origin shows an earlier content. The primary polls as often as a return needs, without
// waiting for an interval, and then makes a version of it. It makes none if the origin shows the latest in between.
func TestAReunionGoesBackToWhatTheOriginShows(t *testing.T) {
	t.Parallel()
	for _, stays := range []bool{true, false} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.pollers = []engine.ID{env.Self().ID}
		m.makeVersion(t, "first")
		env.Advance(2 * halfHour)
		env.Sent()
		number := m.makeVersion(t, "second")
		numberedTexts(env)
		a.content = "first"
		a.machine.Compare(news.ID, number-1<<tagBits)
		env.Advance(5*verifyPause + time.Second)
		if polls := a.polls(); polls < 4 || polls > enough {
			t.Errorf("it polls %d times in five minutes", polls)
		}
		if !stays {
			a.content = "second"
		}
		env.Advance(7 * verifyPause)
		polls, made := a.polls(), numberedTexts(env)
		if stays && !slices.Equal(made, []Hash{hashOf("first")}) || !stays && (len(made) > 0 || polls > 2) {
			t.Errorf("it stays: %v; made are %x after %d polls more", stays, made, polls)
		}
	}
}

// A primary restarts with an old content, and learns of a version that was numbered before that. It may not poll the
// origin, and then finds an owner that is behind. It has seen nothing since it started, so it makes no version of the
// old content.
func TestAPrimaryThatHasSeenNothingSinceItStartedKeepsTheLatest(t *testing.T) {
	t.Parallel()
	for _, age := range []uint32{0, 10} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		a.version, a.held, a.unchecked = 1<<tagBits, "old", true
		env.Advance(time.Second)
		a.machine.Merge(news.ID, m.at("49").env.Self(), &State{Version: 2 << tagBits, Hash: hashOf("new"), Age: age})
		a.machine.Compare(news.ID, 1<<tagBits)
		env.Advance(time.Minute)
		if made := numberedTexts(env); len(made) > 0 {
			t.Errorf("age %d: it makes versions of %q", age, made)
		}
	}
}

// An owner has numbered a content that no witness has seen, while the primary was down. The primary polls for it, and
// sees the content before each time. It then makes a version of that one after some more polls, unless the origin shows
// the numbered content.
func TestAPrimaryReplacesAVersionThatItSeesContradicted(t *testing.T) {
	t.Parallel()
	for _, seenLater := range []bool{false, true} {
		m := newManyWith(4)
		a, env, other := m.at("51"), m.envs["51"], m.at("49")
		a.version, a.held, a.content = 1<<tagBits, "first", "first"
		u := other.sealedBy(2<<tagBits, "second", true)
		a.machine.Merge(news.ID, other.env.Self(), &State{Version: u.Version, Hash: u.Hash,
			Recent: []uint64{hashOf("first").Start(), u.Hash.Start()}})
		a.Receive(other.env.Self(), u)
		env.Advance(30 * time.Second)
		polls := a.polls()
		if seenLater {
			a.content = "second"
		}
		env.Advance((enough + 1) * verifyPause)
		more, made := a.polls(), numberedTexts(env)
		if polls < maxRepolls || polls+more > 2*maxRepolls+enough {
			t.Errorf("it polls %d times, and then %d times", polls, more)
		}
		if want := []Hash{hashOf("first")}; !seenLater && !slices.Equal(made, want) || seenLater && len(made) > 0 {
			t.Errorf("it is shown later: %v; made are %q", seenLater, made)
		}
		if (a.version > u.Version) == seenLater {
			t.Errorf("it is shown later: %v; the latest is %d, where the other had %d", seenLater, a.version, u.Version)
		}
	}
}
