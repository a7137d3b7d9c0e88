package report

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const halfHour = 30 * time.Minute

// Nothing is known of a new channel: it changes about once a day.
func TestEstimateAtFirst(t *testing.T) {
	var e estimate
	if got := e.interval(0, halfHour); got < 20*time.Hour || got > 28*time.Hour {
		t.Errorf("a new channel is expected to change every %v, want about a day", got)
	}
}

// Changes at random: after a hundred of them the estimate is near the truth. It errs by the
// tenth that a hundred random events have for a standard deviation.
func TestEstimateOfRandomChanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, truth := range []time.Duration{30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
		sum, rounds := 0., 50
		for range rounds {
			var e estimate
			now := time.Duration(0)
			for range 100 {
				now += time.Duration(rnd.ExpFloat64() * float64(truth))
				e.change(now, halfHour)
			}
			sum += math.Abs(math.Log(float64(e.interval(now, halfHour)) / float64(truth)))
		}
		if off := sum / float64(rounds); off > 0.25 {
			t.Errorf("changes every %v: estimates are off by %.0f %% on average", truth, 100*off)
		} else {
			t.Logf("changes every %v: estimates are off by %.0f %% on average", truth, 100*off)
		}
	}
}

// Ten changes within a minute, once a day, are one occasion a day to poll.
func TestEstimateOfBursts(t *testing.T) {
	var burst, single estimate
	for day := range 30 {
		at := time.Duration(day) * 24 * time.Hour
		single.change(at, halfHour)
		for i := range 10 {
			burst.change(at+time.Duration(i)*6*time.Second, halfHour)
		}
	}
	now := 30 * 24 * time.Hour
	if a, b := burst.interval(now, halfHour), single.interval(now, halfHour); a != b {
		t.Errorf("bursts count as changes every %v, single changes for %v", a, b)
	}
}

// A channel that falls silent, or wakes up, is seen to do so within weeks.
func TestEstimateForgets(t *testing.T) {
	var e estimate
	now := time.Duration(0)
	for range 90 * 24 {
		now += time.Hour
		e.change(now, halfHour)
	}
	if got := e.interval(now, halfHour); got > 65*time.Minute {
		t.Errorf("hourly changes count as changes every %v", got)
	}
	now += 100 * 24 * time.Hour
	if got := e.interval(now, halfHour); got < 24*time.Hour {
		t.Errorf("after a hundred days without a change one is expected every %v", got)
	}
}

// Whatever is reported, estimates are finite and above a tenth of a period, and more changes make no longer intervals.
func TestEstimateIsSane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var few, many estimate
		now := time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "start"))
		for _, gap := range rapid.SliceOfN(rapid.Int64Range(0, int64(200*24*time.Hour)), 1, 50).Draw(t, "gaps") {
			now += time.Duration(gap)
			many.change(now, halfHour)
			if rapid.Bool().Draw(t, "both") {
				few.change(now, halfHour)
			}
			few.begin(now)
			many.begin(now)
		}
		a, b := few.interval(now, halfHour), many.interval(now, halfHour)
		if a < halfHour/10 || b < halfHour/10 {
			t.Fatalf("estimates of %v and %v", a, b)
		}
	})
}

// A node that adopts an estimate continues with the same, unless it has watched for longer itself.
func TestEstimateIsAdopted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var one, other estimate
		now, truth := time.Duration(1), time.Duration(rapid.IntRange(10, 2000).Draw(t, "minutes"))*time.Minute
		for now < time.Duration(rapid.IntRange(1, 500).Draw(t, "hours"))*time.Hour {
			now += truth
			one.change(now, halfHour)
		}
		want := one.interval(now, halfHour)
		other.begin(now)
		if one.watched > 1 {
			if !other.adopt(one.watched, want, now, halfHour) {
				t.Fatal("not adopted")
			}
			if got := other.interval(now, halfHour); math.Abs(float64(got)/float64(want)-1) > 1e-6 {
				t.Fatalf("estimated %v, adopted %v", want, got)
			}
		}
		if one.adopt(one.watched, time.Hour, now, halfHour) {
			t.Fatal("adopted an estimate from no longer a time")
		}
	})
}

// With other periods the same is expected, and what was watched by the old ones still counts.
func TestEstimateWithOtherPeriods(t *testing.T) {
	for _, period := range []time.Duration{time.Minute, 4 * time.Hour} {
		var e estimate
		now := time.Duration(0)
		for range 10 {
			now += 12 * time.Hour
			e.change(now, halfHour)
		}
		now += 5 * 24 * time.Hour // without a change
		same := e
		e.rescale(now, halfHour, period)
		got, want := e.interval(now, period), same.interval(now, halfHour)
		if math.Abs(float64(got)/float64(want)-1) > 0.1 {
			t.Errorf("periods of %v: a change is expected every %v, before every %v", period, got, want)
		}
		now += time.Hour
		got, want = e.interval(now, period), same.interval(now, halfHour)
		if math.Abs(float64(got)/float64(want)-1) > 0.1 {
			t.Errorf("periods of %v: an hour later every %v, before every %v", period, got, want)
		}
	}
}

// No estimate is adopted from a time without changes, and none from more than a node can have watched: one that claims
// that is outvoted by what is watched later.
func TestEstimateOfALiar(t *testing.T) {
	var e estimate
	now := 24 * time.Hour
	e.begin(now)
	for _, interval := range []time.Duration{0, -time.Hour} {
		if before := e; e.adopt(1e6, interval, now, halfHour) || e != before {
			t.Errorf("an interval of %v is adopted", interval)
		}
	}
	if !e.adopt(1e12, time.Hour, now, halfHour) {
		t.Fatal("an estimate is not adopted")
	}
	if got := e.interval(now, halfHour); got < 59*time.Minute || got > 61*time.Minute {
		t.Errorf("adopted as %v", got)
	}
	now += 10 * estimateHalf
	if got := e.interval(now, halfHour); got < 24*time.Hour {
		t.Errorf("after months without a change one is expected every %v", got)
	}
}
