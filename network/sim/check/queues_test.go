package check

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Two nodes that keep within the bound fill a queue beyond it. A third that does not is found, at a node that is paused
// and at one that reads slowly, even if what it sent was read since.
func TestBacklogIsThatOfOneSender(t *testing.T) {
	for _, slow := range []bool{false, true} {
		for _, most := range []int{5, 6} {
			w := quietWorld(one, two)
			var envs []engine.Env
			for _, id := range []engine.ID{engine.IDOf([]byte("3")), engine.IDOf([]byte("4")),
				engine.IDOf([]byte("5"))} {
				w.Boot(w.Add(id, func(e engine.Env, _ *sim.Disk) engine.Protocol {
					envs = append(envs, e)
					return quiet{}
				}))
			}
			q := &Queues{Backlog: 5}
			watch := All(w, nil, q)
			if slow {
				w.SetSlow(1, time.Second)
				envs[0].Send(w.Peer(1), &look{}) // passes while the others wait
				w.Run(500 * time.Millisecond)
			} else {
				w.Pause(1, time.Minute)
			}
			for i := range uint64(most) {
				if i < 5 {
					envs[0].Send(w.Peer(1), &look{Number: i})
					envs[1].Send(w.Peer(1), &look{Number: i})
				}
				envs[2].Send(w.Peer(1), &look{Number: i})
			}
			w.Run(2 * time.Minute)
			if peak := w.Backlog(1).Peak; peak != 10+most {
				t.Errorf("slow %v: %d messages waited, want %d", slow, peak, 10+most)
			}
			if err := watch.Finish(); (err != nil) != (most > 5) {
				t.Errorf("slow %v: %d messages of one sender waited, limit 5: %v", slow, most, err)
			}
		}
	}
}

func TestBacklogIsThatOfTheFullestQueue(t *testing.T) {
	for _, limit := range []int{4, 5} {
		w := quietWorld(one, two)
		var env engine.Env
		w.Boot(w.Add(topic, func(e engine.Env, _ *sim.Disk) engine.Protocol { env = e; return quiet{} }))
		q := &Queues{Backlog: limit}
		watch := All(w, nil, q)
		w.Pause(1, time.Minute)
		for i := range uint64(5) {
			env.Send(w.Peer(1), &look{Number: i})
		}
		w.Run(2 * time.Minute)
		if err := watch.Finish(); (err != nil) != (limit < 5) {
			t.Errorf("5 messages waited, limit %d: %v", limit, err)
		}
	}
}
