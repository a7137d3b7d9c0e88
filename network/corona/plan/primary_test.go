package plan

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// lead has this node be the primary of a channel, with that many readers.
func (v *lone) lead(c machine.Channel, readers int) {
	v.readers[c.ID] = readers
	v.Changed(c, Standing{Primary: true, Informed: true})
}

// An origin's wishes go to the poller and down to others, for as long as they last.
func TestLimitsGoDown(t *testing.T) {
	news := near(1)[0]
	v := newLone(nil, "58")
	v.limits = Limits{NotBefore: v.env.Now() + 90*time.Minute, Interval: 2 * time.Hour}
	v.assign(v.contacts[0], nil, far) // this node polls another channel for another node, without limits
	v.lead(news, 40)
	v.Adopt(news, Set{Size: all, Slot: v.env.Now() + time.Minute, Term: 7})
	v.Renew(news.ID)
	if got := v.tasks[news.ID]; got.NotBefore != v.limits.NotBefore || got.Interval != v.limits.Interval {
		t.Errorf("the task is %+v", got)
	}
	if got := v.Plan.Limits(news.ID); got != v.limits {
		t.Errorf("the limits are %+v", got)
	}
	if got := v.tasks[far.ID]; got.NotBefore != 0 || got.Interval != v.config.Interval {
		t.Errorf("another channel's task is %+v", got)
	}
	v.limits = Limits{}
	v.Renew(news.ID)
	if got := v.tasks[news.ID]; got.NotBefore != 0 || got.Interval != v.config.Interval {
		t.Errorf("when it asks for nothing more the task is %+v", got)
	}
	if got := v.Plan.Limits(news.ID); got != (Limits{}) {
		t.Errorf("then the limits are %+v", got)
	}
	for _, every := range []time.Duration{v.config.Interval, v.config.Interval + 1, 5 * v.config.Interval} {
		v.limits.Interval = every
		v.Renew(news.ID)
		got := v.tasks[news.ID]
		if got.Interval != every || got.First > v.env.Now()+every {
			t.Errorf("a poll in %v: the task is %+v", every, got)
		}
	}
}

// Channels of a host that are polled less often than each interval begin in different intervals; others begin in the
// first.
func TestSeldomPollsAreSpread(t *testing.T) {
	const times = 4
	for _, every := range []time.Duration{0, times * testConfig().Interval} {
		v := newLone(nil)
		v.limits.Interval = every
		turns := make(map[int]int)
		for _, c := range near(40) {
			v.lead(c, 1)
			turns[int((v.tasks[c.ID].First-v.env.Now())/v.config.Interval)]++
		}
		want := 1
		if every > 0 {
			want = times
		}
		if len(turns) != want {
			t.Errorf("polls every %v begin in these intervals: %v", every, turns)
		}
		for _, c := range near(1) {
			if p := v.polling(v.channels.Get(c.ID)); p != 1/float64(max(1, every/v.config.Interval)) {
				t.Errorf("every %v: %v nodes poll on average", every, p)
			}
		}
	}
}

// A slot is divided between this node, which polls at its beginning, and those below. The slots in their assignments
// begin with their parts.
func TestSlotsBelow(t *testing.T) {
	news := near(1)[0]
	v := newLone(nil, "90", "58", "5c")
	v.assign(v.contacts[0], func(a *Assignment) { a.Start, a.Width = 60_000, 900_000 }, news)
	begin := v.env.Now() + time.Minute
	if got := v.tasks[news.ID].First; got < begin-50*time.Millisecond || got > begin+50*time.Millisecond {
		t.Errorf("this node polls at %v, not %v", got, begin)
	}
	v.env.Advance(time.Second)
	sent := v.env.Sent()
	var starts []time.Duration
	for _, s := range sent {
		if m, ok := s.Message.(*Maintenance); ok {
			start := time.Duration(m.Assignments[0].Start) * time.Millisecond
			starts = append(starts, v.env.Now()-900*time.Millisecond+start)
			if w := time.Duration(m.Assignments[0].Width) * time.Millisecond; w < 299*time.Second ||
				w > 301*time.Second {
				t.Errorf("a part of %v", w)
			}
		}
	}
	slices.Sort(starts)
	if len(starts) != 2 {
		t.Fatalf("%d got one", len(starts))
	}
	for i, at := range starts {
		if want := begin + time.Duration(i+1)*5*time.Minute; at < want-time.Second || at > want+time.Second {
			t.Errorf("part %d begins at %v, not %v", i+1, at, want)
		}
	}
}

// A version that goes down a set goes to the members below, and is remembered until another does. Nothing is known of a
// channel that is not polled here.
func TestVersionsGoDown(t *testing.T) {
	news := near(1)[0]
	v := newLone(nil, "90", "58", "5c")
	if c, polled := v.Polled(news.ID); polled || c != (machine.Channel{}) {
		t.Errorf("%v is polled: %v", c, polled)
	}
	if _, _, in := v.Passed(news.ID); in || len(v.Pass(news.ID, 9, true)) > 0 || len(v.Below(news.ID)) > 0 {
		t.Error("a channel that is not polled here has versions to pass on")
	}
	if _, ok := v.Above(news.ID); ok {
		t.Error("somebody is above")
	}
	v.assign(v.contacts[0], nil, news)
	if c, polled := v.Polled(news.ID); !polled || c != news {
		t.Errorf("%v is polled: %v", c, polled)
	}
	if version, hushed, in := v.Passed(news.ID); version != 0 || hushed || !in {
		t.Errorf("passed: %d, %v, %v", version, hushed, in)
	}
	for number, hush := range []bool{true, false, true} {
		if to := v.Pass(news.ID, uint64(number+3), hush); !slices.Equal(to, v.contacts[1:]) ||
			!slices.Equal(v.Below(news.ID), to) {
			t.Errorf("it goes down to %v", to)
		}
		v.assign(v.contacts[0], func(a *Assignment) { a.Start = uint32(1000 * (number + 2)) }, news) // its slot moves
		if version, hushed, in := v.Passed(news.ID); version != uint64(number+3) || hushed != hush || !in {
			t.Errorf("passed: %d, %v, %v", version, hushed, in)
		}
	}
	if v.Leads(news.ID) {
		t.Error("it leads an assigned channel")
	}
}

// Polls out of turn count for less from interval to interval.
func TestPollsOutOfTurnFade(t *testing.T) {
	v := newLone(nil)
	news, quiet := near(2)[0], near(2)[1]
	v.lead(news, 3)
	v.lead(quiet, 3)
	v.Rest(news.ID, 4)
	interval := v.config.Interval
	rate := func(c machine.Channel) float64 { return v.channels.Get(c.ID).checks.rate(v.env.Now(), interval) }
	if got := rate(news); got != 4 {
		t.Errorf("after four polls the rate is %v", got)
	}
	v.env.Advance(interval)
	if got := rate(news); got < 1.4 || got > 1.5 {
		t.Errorf("an interval after four polls the rate is %v", got)
	}
	if v.Rest(news.ID, 2); rate(news) < 3.4 || rate(news) > 3.5 {
		t.Errorf("after two more the rate is %v", rate(news))
	}
	if got := rate(quiet); got != 0 {
		t.Errorf("another channel's rate is %v", got)
	}
	if v.Rest(engine.PrefixID("77"), 3); rate(news) > 3.5 {
		t.Error("polls of another channel count")
	}
	v.verifies.since = v.env.Now()
	for range 10 {
		v.Verifies()
	}
	v.env.Advance(interval - 1)
	v.verifies.count()
	if v.verifies.rate != 0 {
		t.Errorf("before an interval is over the rate is %v", v.verifies.rate)
	}
	v.env.Advance(1)
	v.verifies.count()
	if v.verifies.rate != 5 || v.verifies.made != 0 {
		t.Errorf("after ten in an interval the rate is %v", v.verifies.rate)
	}
	for range 20 {
		v.env.Advance(interval)
		v.verifies.count()
	}
	if v.verifies.rate != 0 {
		t.Errorf("in the end the rate is %v", v.verifies.rate)
	}
}
