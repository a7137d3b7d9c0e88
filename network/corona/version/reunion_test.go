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
