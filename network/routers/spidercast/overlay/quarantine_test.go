package overlay

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// excluded is Candidates that note which nodes a task may not choose.
type excluded struct {
	Candidates
	by map[Task]map[engine.ID]bool
}

func (e *excluded) Exclude(t Task, id engine.ID, on bool) { e.by[t][id] = on }

// confined is what a test knows of a node in quarantine.
type confined struct {
	id      engine.ID
	tasks   [tasks]bool
	waiting [tasks]bool
	suspect bool
	until   time.Duration
}

// The quarantine is a list in the order in which nodes came, whatever is added, answered and released: the first goes
// where there is no room for another. What concerns one task leaves the other alone, and no time becomes shorter.
func TestQuarantineAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := enginetest.NewEnv(enginetest.NewPeer("51"))
		c := Default()
		c.MaxQuarantine = rapid.IntRange(1, 5).Draw(t, "room")
		e := &excluded{by: map[Task]map[engine.ID]bool{Greedy: {}, Random: {}}}
		neighbour := func(k Task, id engine.ID) bool { return k == Random && id[0]%4 == 0 }
		q := quarantine{core: &core{env: env, config: c, candidates: e, schedule: func(time.Duration) {}},
			byID: make(map[engine.ID]*inmate), in: neighbour}
		var model []*confined
		find := func(id engine.ID) *confined {
			for _, n := range model {
				if n.id == id {
					return n
				}
			}
			return nil
		}
		add := func(id engine.ID, of []Task, d time.Duration, asked bool) *confined {
			n := find(id)
			if n == nil {
				if len(model) == c.MaxQuarantine {
					model = model[1:]
				}
				n = &confined{id: id}
				model = append(model, n)
			}
			for _, k := range of {
				n.tasks[k], n.waiting[k] = true, n.waiting[k] || asked
			}
			n.until = max(n.until, env.Now()+d)
			return n
		}
		node := rapid.Custom(func(t *rapid.T) engine.ID { return engine.ID{rapid.ByteRange(1, 8).Draw(t, "node")} })
		task := rapid.SampledFrom([]Task{Greedy, Random})
		wait := func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds")) * time.Second
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				id, k, d, asked := node.Draw(t, "id"), task.Draw(t, "task"), wait(t), rapid.Bool().Draw(t, "asked")
				q.add(id, k.bit(), d, asked)
				add(id, []Task{k}, d, asked)
			},
			"suspect": func(t *rapid.T) {
				id := node.Draw(t, "id")
				q.suspect(id)
				add(id, []Task{Greedy, Random}, c.Suspicion, false).suspect = true
			},
			"answered": func(t *rapid.T) {
				id, k := node.Draw(t, "id"), task.Draw(t, "task")
				q.answered(id, k)
				if n := find(id); n != nil {
					n.waiting[k] = false
				}
			},
			"run": func(t *rapid.T) {
				env.Advance(wait(t))
				next, want := q.run(env.Now()), never
				var left []*confined
				for _, n := range model {
					if n.until > env.Now() {
						left = append(left, n)
						want = min(want, n.until)
					}
				}
				if model = left; next != want {
					t.Fatalf("the next is released at %v, want %v", next, want)
				}
			},
			"": func(t *rapid.T) {
				for i := byte(1); i <= 8; i++ {
					id := engine.ID{i}
					n := find(id)
					if is := n != nil && n.suspect; q.suspects(id) != is {
						t.Fatalf("%d is suspected: %v", i, !is)
					}
					for _, k := range []Task{Greedy, Random} {
						has, asked := n != nil && n.tasks[k], n != nil && n.waiting[k]
						if q.has(id, k) != has || q.asked(id, k) != asked {
							t.Fatalf("%d is not to be chosen for the %v task: %v, and may answer: %v; want %v, %v", i,
								k,
								q.has(id, k), q.asked(id, k), has, asked)
						}
						if on, known := e.by[k][id]; known && on != (has || neighbour(k, id)) {
							t.Fatalf("%d is excluded from the %v task: %v", i, k, on)
						}
						if has && !e.by[k][id] {
							t.Fatalf("%d is not excluded from the %v task", i, k)
						}
					}
				}
			},
		})
	})
}
