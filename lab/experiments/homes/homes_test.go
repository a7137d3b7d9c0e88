package homes

import (
	"slices"
	"testing"
	"time"

	"tidings/lab/labtest"
	"tidings/lab/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// A few nodes behind routers join, and each reports once what the origin publishes, whatever befalls them. How soon
// they do depends on the machine, and on more than a few seconds. Larger scales judge that.
func TestAFewHomes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole nodes for a minute")
	}
	r := labtest.Try(t, Experiment, 1)
	judged := []string{"joined_seconds.worst", "due", "lost", "twice"}
	for _, f := range r.Figures {
		t.Logf("%s: %v", f.Name, f.Here)
		if slices.Contains(judged, f.Name) && !f.OK {
			t.Errorf("%s is %v", f.Name, f.Here)
		}
	}
	if t.Failed() {
		t.Log(r.Remarks)
	}
}

// A change is late if it comes after the interval has passed, at the home that comes last. A change that never comes is
// lost, and one that comes again is twice.
func TestLateLostAndTwice(t *testing.T) {
	made := time.Now().Add(-time.Hour)
	at := func(seconds ...int) (times []time.Time) {
		for _, s := range seconds {
			times = append(times, made.Add(time.Duration(s)*time.Second))
		}
		return times
	}
	w := &world{sizes: sizes{Interval: 10 * time.Second},
		changes: []change{{0, "a", made}, {1, "b", made}, {1, "c", made}}}
	for _, times := range []map[string][]time.Time{
		{"a": at(3), "b": at(12), "c": at(1)},
		{"a": at(9, 20), "b": at(17), "c": at(1)},
	} {
		w.homes = append(w.homes, &member{received: received{times: times}})
	}
	var m measured
	m.judge(w)
	if m.late[0] != 0 || m.late[1] != 7*time.Second || m.due != 6 || m.lost != 0 || m.twice != 1 {
		t.Errorf("late %v, due %d, lost %d, twice %d", m.late, m.due, m.lost, m.twice)
	}
	delete(w.homes[1].received.times, "c")
	m = measured{}
	m.judge(w)
	if m.lost != 1 || m.late[1] < 59*time.Minute || len(m.lacking) != 1 {
		t.Errorf("late %v, lost %d, said %q", m.late, m.lost, m.lacking)
	}
}
