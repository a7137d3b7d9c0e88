package version

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// An owner that notes a number acknowledges the latest that it knows. It does not answer a node that cannot own the
// channel, nor one that sends a number of a channel that is not owned here (hostile 42).
func TestNumbersThatOwnersNote(t *testing.T) {
	t.Parallel()
	commit := func(m *many, number uint64, text string) *Commit {
		u := m.at("51").sealedBy(number<<tagBits, text, false)
		return &Commit{Channel: news.ID, State: State{Version: u.Version, Hash: u.Hash}, Header: u.Header()}
	}
	m := newMany()
	a, env, primary, stranger := m.at("49"), m.envs["49"], m.envs["51"].Self(), m.envs["d1"].Self()
	for i, c := range []struct {
		from         engine.Peer
		number       uint64
		text         string
		answer, held uint64 // 0: there is none
	}{
		{primary, 2, "text", 2, 2},
		{primary, 2, "text", 2, 2},
		{primary, 1, "older", 2, 2},
		{stranger, 3, "later", 0, 2},
		{stranger, 2, "text", 0, 2},
		{primary, 2, "other", 2, 2},
		{primary, 3, "later", 3, 3},
	} {
		a.Receive(c.from, commit(m, c.number, c.text))
		to, answers := sentBy[*Committed](m, "49")
		if len(to) != count(c.answer > 0) || c.answer > 0 && (to[0] != c.from ||
			*answers[0] != Committed{Channel: news.ID, Version: c.answer << tagBits}) {
			t.Errorf("commit %d: the answer is %v to %v", i, answers, to)
		}
		if refused := events[Refused](env); c.from == stranger && !slices.Equal(refused, []Refused{{Channel: news.ID,
			Version: c.number << tagBits, From: stranger.ID, Why: Stranger}}) {
			t.Errorf("commit %d: refused is %v", i, refused)
		}
		if s := a.State(news.ID); s.Version != c.held<<tagBits {
			t.Errorf("commit %d: version %d is known", i, s.Version>>tagBits)
		}
	}
	m.at("d1").Receive(primary, commit(m, 1, "text"))
	if to, _ := sentBy[*Committed](m, "d1"); len(to) > 0 {
		t.Error("a node that owns nothing acknowledges a number")
	}
}

// Of two owners' states the higher version holds, of equal versions the higher stamp. An older state only affects how
// long no node may poll. Others' reports only tighten the limits of an origin (hostile 42).
func TestStatesOnlyGrow(t *testing.T) {
	t.Parallel()
	state := func(number, stamp uint64, text string, wait, least uint32) *State {
		h := hashOf(text)
		return &State{Version: number << tagBits, Stamp: stamp, Hash: h, Size: uint32(number), Wait: wait,
			Least: least, Age: uint32(100 * number), Routed: number%2 == 0}
	}
	m := newMany()
	a, env, from := m.at("49"), m.envs["49"], m.envs["59"].Self()
	for i, c := range []struct {
		from               engine.Peer
		state              *State
		version, stamp     uint64
		notBefore, between time.Duration
	}{
		{from, state(4, 5, "four", 0, 3600), 4, 5, 0, time.Hour},
		{from, state(3, 9, "three", 60, 7200), 4, 5, time.Minute, time.Hour},
		{from, state(4, 4, "four", 30, 7200), 4, 5, time.Minute, time.Hour},
		{from, state(4, 5, "four", 0, 7200), 4, 5, time.Minute, time.Hour},
		{from, state(4, 6, "other", 90, 7200), 4, 5, time.Minute, time.Hour},
		{from, state(4, 6, "four", 90, 7200), 4, 6, 90 * time.Second, 2 * time.Hour},
		{from, state(5, 1, "five", 0, 0), 5, 1, 90 * time.Second, 2 * time.Hour},
		{m.envs["d1"].Self(), state(6, 1, "six", 900, 9000), 5, 1, 90 * time.Second, 2 * time.Hour},
		{from, state(6, 1, "six", 0, 30*24*3600), 6, 1, 90 * time.Second, MaxWait},
		{from, state(7, 1, "seven", 30*24*3600, 0), 7, 1, MaxWait, MaxWait},
	} {
		if c.state.Stamp == 6 {
			c.state.Age = 7 // it says nothing of a version that is known
		}
		a.machine.Merge(news.ID, c.from, c.state)
		s, l := a.State(news.ID), a.machine.Limits(news.ID)
		if s.Version>>tagBits != c.version || s.Stamp != c.stamp || s.Size != uint32(c.version) ||
			s.Age != uint32(100*c.version) || s.Routed != (c.version%2 == 0) {
			t.Errorf("state %d: version %d, stamp %d, %d bytes, %d s old, by a tree: %v", i, s.Version>>tagBits,
				s.Stamp, s.Size, s.Age, s.Routed)
		}
		if want := (Limits{NotBefore: c.notBefore, Interval: c.between}); l != want {
			t.Errorf("state %d: the origin is known to ask for %v, not %v", i, l, want)
		}
	}
	env.Advance(time.Hour)
	if want := []uint64{hashOf("four").Start(), hashOf("five").Start(), hashOf("six").Start(),
		hashOf("seven").Start()}; !slices.Equal(a.State(news.ID).Recent, want) {
		t.Errorf("contents that are known again: %x, want %x", a.State(news.ID).Recent, want)
	}
}

// What an origin asks the primary itself for holds as it was said last, within a minute and a day.
func TestWhatTheOriginAsksThePrimaryFor(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	env.Advance(time.Hour)
	for i, c := range []struct {
		wait, interval     time.Duration
		answered           bool
		notBefore, between time.Duration
	}{
		{time.Second, time.Hour, true, time.Minute, time.Hour},
		{0, 3 * time.Hour, false, time.Minute, 3 * time.Hour},
		{0, 2 * time.Hour, false, time.Minute, 3 * time.Hour},
		{0, 2 * time.Hour, true, time.Minute, 2 * time.Hour},
		{time.Hour, 7 * 24 * time.Hour, true, time.Hour, MaxWait},
		{7 * 24 * time.Hour, 0, true, MaxWait, 0},
		{0, 7 * 24 * time.Hour, false, MaxWait, MaxWait},
	} {
		r := PollResult{Wait: c.wait, Interval: c.interval}
		if c.answered {
			r.Hash = hashOf("text")
		}
		a.machine.Polled(news.ID, r)
		if got, want := a.machine.Limits(news.ID),
			(Limits{NotBefore: env.Now() + c.notBefore, Interval: c.between}); got != want {
			t.Errorf("poll %d: %v, want %v", i, got, want)
		}
		want := []Limited{{Channel: news.ID, Wait: c.notBefore, Interval: c.between}}
		if got := events[Limited](env); i != 2 && !slices.Equal(got, want) || i == 2 && len(got) > 0 {
			t.Errorf("poll %d: %v is traced, want %v", i, got, want)
		}
	}
}

// A content that was there before is looked for many times before it makes a version. A node that ceases to be the
// primary ceases to look; so does one that sees something else, however late.
func TestWhatWasThereBeforeIsLookedForByThePrimary(t *testing.T) {
	t.Parallel()
	const polled = 3
	for what, c := range map[string]struct {
		then  func(m *many, a *actor)
		polls int // after that, at most: one may be about to begin
		made  bool
	}{
		"it stays":             {func(*many, *actor) {}, enough, true},
		"it goes again":        {func(_ *many, a *actor) { a.content = "second" }, 1, false},
		"another is primary":   {func(m *many, a *actor) { a.owned.rank = 1 }, 0, false},
		"the origin is silent": {func(_ *many, a *actor) { a.blind = true }, 1, false},
	} {
		m := newMany()
		a, env := m.at("51"), m.envs["51"]
		m.pollers = []engine.ID{env.Self().ID}
		m.makeVersion(t, "first")
		env.Advance(2 * halfHour)
		env.Sent()
		m.makeVersion(t, "second")
		env.Advance(2 * halfHour)
		env.Sent()
		numberedTexts(env)
		a.content = "first"
		a.poll(false)
		env.Advance(halfHour + time.Minute)
		a.poll(false)
		for polls := 0; polls < polled; polls += a.polls() {
			env.Advance(10 * time.Second)
		}
		env.Advance(time.Second)
		c.then(m, a)
		a.polls()
		env.Advance(time.Hour)
		polls := a.polls()
		env.Advance(time.Hour)
		made := slices.Contains(numberedTexts(env), hashOf("first"))
		if polls > c.polls || made != c.made || a.polls() > 0 {
			t.Errorf("%s: it polls %d times more; a version is made: %v", what, polls, made)
		}
	}
}

// If nothing is signed, reports that do not come over the ring, and numbers that others claim to hold, do not count.
func TestWithoutSignaturesReportsComeOverTheRing(t *testing.T) {
	t.Parallel()
	m := newManyOn(&ground{})
	a, env := m.at("51"), m.envs["51"]
	report := &Detected{Update: Update{Channel: news.ID, Hash: hashOf("text"), Size: 4,
		FoundBy: m.envs["91"].Self().ID}}
	a.Receive(m.envs["91"].Self(), report)
	a.Receive(m.envs["91"].Self(), &Detected{Update: Update{Channel: news.ID, Hash: hashOf("text"), Size: 4}})
	a.Receive(m.envs["91"].Self(),
		&Ahead{Header: Header{Channel: news.ID, Version: 9 << tagBits, Hash: hashOf("text")}})
	if env.Advance(time.Minute); a.polls() > 0 || len(env.Sent()) > 0 {
		t.Error("it is examined")
	}
	a.content = "text"
	a.machine.Deliver(news.ID, m.envs["91"].Self(), report)
	env.Advance(time.Second)
	a.Receive(m.envs["91"].Self(), &Verified{Channel: news.ID, Hash: hashOf("text")})
	if env.Advance(5 * time.Second); len(numberedTexts(env)) != 1 {
		t.Error("over the ring it is not")
	}
}

// Another owner has assigned other versions while the ring was apart. The primary asks the origin, and sends the latest
// to all once more when the tables agree. It does so at most four times an interval.
func TestAReunionSendsTheLatestToAll(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env := m.at("51"), m.envs["51"]
	m.subscribers = peers(3)
	a.version, a.held = 5<<tagBits, "before"
	number := m.makeVersion(t, "text")
	for _, p := range m.subscribers {
		a.Receive(p, &Got{Channel: news.ID, Version: number})
	}
	env.Advance(time.Minute)
	env.Sent()
	updates := func() (sent int) {
		for _, s := range env.Sent() {
			if u, ok := s.Message.(*Update); ok {
				sent++
				if u.Version != number {
					t.Errorf("version %d is sent", u.Version>>tagBits)
				}
				a.Receive(s.To, &Got{Channel: news.ID, Version: number})
			}
		}
		return sent
	}
	for _, version := range []uint64{0, number, number + 1<<tagBits} {
		a.machine.Compare(news.ID, version)
		if env.Advance(time.Minute); a.polls() > 0 || updates() > 0 {
			t.Errorf("version %d of another owner has the primary do something", version>>tagBits)
		}
	}
	for round := range maxReunions + 2 {
		after := func(seconds int) (sent int) {
			for range seconds {
				a.machine.Compare(news.ID, number-1<<tagBits) // while one is under way no other begins
				env.Advance(time.Second)
				sent += updates()
			}
			return sent
		}
		first, second := after(3), after(7)
		env.Advance(time.Second)
		second += updates()
		polls := a.polls()
		env.Advance(10 * time.Second)
		if want := count(round < maxReunions); polls != want || first != 3*want || second != 3*want || updates() > 0 {
			t.Errorf("round %d: it polls %d times, sends %d and then %d updates", round, polls, first, second)
		}
	}
}

// A new primary sends a young version again, as the one before may have died half-way, and no old one.
func TestANewPrimarySendsAYoungVersionAgain(t *testing.T) {
	t.Parallel()
	for age, again := range map[time.Duration]bool{0: true, resendAge - time.Second: true, resendAge: false,
		time.Hour: false} {
		m := newMany()
		a, env, primary := m.at("49"), m.envs["49"], m.at("51")
		m.subscribers = append(peers(2), env.Self())
		u := primary.sealedBy(1<<tagBits, "text", true)
		a.Receive(primary.env.Self(), u)
		a.machine.Merge(news.ID, primary.env.Self(), &State{Version: u.Version, Hash: u.Hash, Size: u.Size})
		env.Advance(age + 10*time.Millisecond)
		if to, _ := sentBy[*Update](m, "49"); len(to) > 0 {
			t.Errorf("one that is no primary sends it to %v", to)
		}
		m.nodes = slices.DeleteFunc(m.nodes, func(b *actor) bool { return b == primary })
		a.reassess()
		env.Advance(10 * time.Millisecond)
		if to, _ := sentBy[*Update](m, "49"); slices.Equal(to, m.subscribers[:2]) != again {
			t.Errorf("of %v: it is sent to %v", age, to)
		}
		a.machine.Changed(news.ID)
		if env.Advance(10 * time.Millisecond); again {
			if to, _ := sentBy[*Update](m, "49"); len(to) > 0 {
				t.Errorf("of %v: it is sent once more to %v", age, to)
			}
		}
	}
}

// A new proof that a node equivocates goes to the owners, and up and down the polling set, to each once. It goes to
// neither its sender nor the equivocator. A node that does not know the owners sends it over the ring.
func TestAProofOfEquivocationGoesToAllConcerned(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		me, above string
		from      string
		unsure    bool
		want      []string
		routed    int
	}{
		"the primary":                            {"51", "", "69", false, []string{"41", "59", "61"}, 0},
		"an owner":                               {"59", "51", "41", false, []string{"51"}, 0},
		"a poller":                               {"69", "61", "91", false, []string{"41", "51", "59", "61"}, 0},
		"a poller that does not know the owners": {"69", "61", "91", true, []string{"61"}, 1},
	} {
		m := newMany()
		a, env := m.at(c.me), m.envs[c.me]
		for _, name := range []string{"51", "59", "61", "69"} {
			m.pollers = append(m.pollers, m.envs[name].Self().ID)
		}
		if a.unsure = c.unsure; c.above != "" {
			a.above = m.envs[c.above].Self()
		}
		header := func(text string) Header {
			u := m.at("49").sealedBy(3<<tagBits, text, false)
			h := u.Header()
			h.Given = u.Seal.Given
			return h
		}
		proof := &Equivocation{First: header("one"), Second: header("two")}
		env.Sent()
		env.Traced()
		for range 2 {
			a.Receive(m.envs[c.from].Self(), proof)
		}
		var to []string
		for _, s := range env.Sent() {
			if e, ok := s.Message.(*Equivocation); ok && e.First.Version == 3<<tagBits &&
				e.First.Hash != e.Second.Hash {
				to = append(to, string(s.To.Address))
			}
		}
		over := 0
		for _, e := range events[routed](env) {
			if _, ok := e.Message.(*Equivocation); ok {
				over++
			}
		}
		slices.Sort(to)
		if !slices.Equal(to, c.want) || over != c.routed {
			t.Errorf("%s: it is sent to %v, and %d times over the ring; want %v and %d", what, to, over, c.want,
				c.routed)
		}
	}
}

// A node that has assigned one number to two contents is no owner for a day, and no longer. A node that reports its
// number is sent the proof.
func TestAnEquivocatorIsNoOwnerForADay(t *testing.T) {
	t.Parallel()
	m := newMany()
	a, env, from := m.at("51"), m.envs["51"], m.envs["91"].Self()
	header := func(number uint64, text string) Header {
		u := m.at("49").sealedBy(number<<tagBits, text, false)
		h := u.Header()
		h.Given = u.Seal.Given
		return h
	}
	env.Advance(13 * time.Hour)
	proof := &Equivocation{First: header(3, "one"), Second: header(3, "two")}
	for range 3 {
		a.Receive(from, proof)
	}
	if got := events[Equivocated](env); !slices.Equal(got, []Equivocated{{Channel: news.ID,
		Version: 3 << tagBits, Giver: m.envs["49"].Self().ID}}) {
		t.Fatalf("it is said of %v", got)
	}
	env.Sent()
	for _, c := range []struct {
		after  time.Duration
		proved bool
	}{{0, true}, {equivocatorAge - 1, true}, {1, false}} {
		env.Advance(c.after)
		env.Sent()
		a.Receive(from, &Ahead{Header: header(9, "nine")})
		to, _ := sentBy[*Equivocation](m, "51")
		if got := a.machine.IsEquivocator(m.envs["49"].Self().ID); got != c.proved || len(to) != count(c.proved) {
			t.Errorf("after %v: it is known: %v, and the proof sent to %v", c.after, got, to)
		}
	}
}
