package live

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
)

// ringed is a host that runs Pastry.
type ringed struct {
	*Host
	t     *testing.T
	ring  *pastry.Node
	watch *recorder
	stop  context.CancelFunc
}

// ringed starts a host with Pastry on it, in no ring yet.
func (w *world) ringed(n int, change ...func(*Config)) *ringed {
	w.t.Helper()
	r := &ringed{t: w.t, watch: &recorder{}}
	c := w.config(n)
	c.Codec, c.Observe = engine.NewCodec(engine.TransportVocabulary, Vocabulary, pastry.Vocabulary), r.watch.observe
	for _, f := range change {
		f(&c)
	}
	var err error
	if r.Host, err = New(c); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.Run(ctx, func(env engine.Env) engine.Protocol {
			r.ring = pastry.New(env, pastry.Default())
			s := engine.NewStack(env)
			s.Add(engine.Pastry, r.ring)
			return s
		}); err != nil {
			w.t.Errorf("Run: %v", err)
		}
	}()
	r.stop = func() { cancel(); <-ended }
	w.t.Cleanup(r.stop)
	<-r.Ready()
	return r
}

func (r *ringed) do(f func()) {
	r.t.Helper()
	if err := r.Do(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

// join joins by another node, as a person would.
func (r *ringed) join(by *ringed) error {
	p, err := r.Connect(r.t.Context(), by.Addresses()[0])
	if err == nil {
		r.do(func() { r.ring.Join(p) })
	}
	return err
}

// knows returns the address at which r knows a node; "" if it does not.
func (r *ringed) knows(id engine.ID) (address engine.Address) {
	r.do(func() {
		for _, p := range r.ring.Known() {
			if p.ID == id {
				address = p.Address
			}
		}
	})
	return address
}

func (r *ringed) known() (n int) {
	r.do(func() { n = len(r.ring.Known()) })
	return n
}

// hostile 33: somebody starts a copy of a node beside it. The one that was there first keeps its place in the ring, and
// its links. The copy learns why it gets none, and gets it when the first has stopped.
func TestTheFirstOfTwoKeepsItsPlace(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		var all []*ringed
		for n := range 5 {
			r := w.ringed(n + 1)
			all = append(all, r)
			if n == 0 {
				r.do(r.ring.Create)
			} else if err := r.join(all[0]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		time.Sleep(20 * time.Second)
		original := all[2]
		others := slices.Concat(all[:2], all[3:])
		duplicate := w.ringed(10, func(c *Config) { c.Key = testKey(3) })
		if err := duplicate.join(all[0]); err != nil {
			t.Errorf("the copy does not even count as a restart: %v", err)
		}
		time.Sleep(30 * time.Second)
		if err := duplicate.join(all[0]); !errors.Is(err, ErrDuplicateKey) {
			t.Errorf("joining by a node that knows the first, the copy gets: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if n := original.known(); n != len(others) {
			t.Errorf("the first knows %d of %d others", n, len(others))
		}
		for i, r := range others {
			if r.knows(original.id) != original.Self().Address {
				t.Errorf("node %d knows the copy", i)
			}
		}
		for name, r := range map[string]*ringed{"the first": original, "the copy": duplicate} {
			seen := eventsOf[DuplicateKeyFound](r.watch)
			if len(seen) == 0 || !seen[0].Own {
				t.Errorf("%s received %+v", name, seen)
			}
			if most := 4 * len(others); len(seen) > most {
				t.Errorf("%s was notified %d times in three minutes", name, len(seen))
			}
		}
		original.stop()
		time.Sleep(time.Second)
		if err := duplicate.join(all[0]); err != nil {
			t.Errorf("when the first has stopped, the copy gets: %v", err)
		}
		time.Sleep(time.Minute)
		if n := duplicate.known(); n != len(others) {
			t.Errorf("then the copy knows %d of %d others", n, len(others))
		}
	})
}
