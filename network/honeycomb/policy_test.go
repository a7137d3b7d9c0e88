package honeycomb

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]Policy{
		"lite": {}, "fair": {Goal: Fair}, "fair-sqrt": {Goal: FairSqrt}, "fair-log": {Goal: FairLog},
		"legacy":   {Goal: Legacy},
		"fast:30s": {Goal: Fast, Target: 30 * time.Second}, "fast:1h": {Goal: Fast, Target: time.Hour},
		"fast:1m30s": {Goal: Fast, Target: 90 * time.Second}, "fast:10m": {Goal: Fast, Target: 10 * time.Minute},
		"fast:1.5ms": {Goal: Fast, Target: 1500 * time.Microsecond},
	} {
		got, err := ParsePolicy(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for text, hint := range map[string]string{
		"": "none of lite, fast:30s", "Lite": "none of", "fast": "write fast:30s", "fast:": "lacks its target",
		"fast:30": "not a duration", "fast:0s": "not between 1ms and 720h", "fast:-1s": "not between 1ms and 720h",
		"fast:721h": "not between 1ms and 720h",
		"lite:30s":  "only fast has a target", "fair-log:": "only fast has a target", "fast:30s:": "not a duration",
	} {
		if got, err := ParsePolicy(text); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q is %v, %v, want an error that says %q", text, got, err, hint)
		}
	}
}

func TestPolicyReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{Goal: Goal(rapid.IntRange(0, int(goals)-1).Draw(t, "goal"))}
		if p.Goal == Fast {
			p.Target = time.Duration(rapid.Int64Range(int64(MinTarget), int64(MaxTarget)).Draw(t, "target"))
			p.Target = p.Target.Truncate(rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Minute}).Draw(t,
				"unit"))
			p.Target = max(p.Target, MinTarget)
		}
		if got, err := ParsePolicy(p.String()); err != nil || got != p {
			t.Fatalf("%+v writes %q, which reads as %+v, %v", p, p, got, err)
		}
	})
}

func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{"lite", "fast:30s", "fast:", "fair-sqrt", "fast:9223372036854775807ns", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy(text)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("%q was read, and is not valid: %v", text, err)
		}
		if again, err := ParsePolicy(p.String()); err != nil || again != p {
			t.Fatalf("%q reads as %+v, that as %+v, %v", text, p, again, err)
		}
	})
}

func TestPolicyValidate(t *testing.T) {
	for _, p := range []Policy{
		{Goal: goals}, {Goal: Fast}, {Goal: Fast, Target: -time.Second}, {Goal: Fast, Target: MaxTarget + 1},
		{Goal: Lite, Target: time.Second}, {Goal: Legacy, Target: 1},
	} {
		if p.Validate() == nil {
			t.Errorf("%+v is valid", p)
		}
	}
	if got := goals.String(); got != "goal 6" {
		t.Errorf("an unknown goal is called %q", got)
	}
}

// Table 1: how much a delay counts, for a channel that is updated every two hours and one that is
// updated weekly, at the paper's polling interval of 1,800 s.
func TestWeightsOfTable1(t *testing.T) {
	for goal, want := range map[Goal][2]float64{
		Lite: {1, 1}, Fast: {1, 1}, Legacy: {1, 1},
		Fair:     {0.125, 1800. / (2 * 604800)},
		FairSqrt: {0.5, math.Sqrt(1800. / 604800)},
		FairLog:  {math.Log(1800) / math.Log(7200), math.Log(1800) / math.Log(604800)},
	} {
		for i, update := range []time.Duration{2 * time.Hour, 7 * 24 * time.Hour} {
			if got := goal.weight(30*time.Minute, update); math.Abs(got-want[i]) > 1e-15 {
				t.Errorf("%v at %v: weight %v, want %v", goal, update, got, want[i])
			}
		}
	}
}
