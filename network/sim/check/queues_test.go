package check

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

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
