package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
)

// retract has messages to a target retracted before what waits there.
func (s *fakeStore) retract(target int64, deliveries ...int64) {
	s.mu.Lock()
	t := s.target(target)
	t.waiting = slices.Insert(t.waiting, 0, tidings.DeliveryJob{Target: tidings.Target{ID: target},
		Retracts: deliveries})
	listen := s.listen
	s.mu.Unlock()
	listen(target)
}

// Messages are retracted by their own IDs. One that cannot be is given up quietly, and keeps nothing new back for long:
// at once where the target knows no retraction, else after three failures.
func TestRetractedMessages(t *testing.T) {
	var ids, retracted []string
	var answer error
	do := func(_ context.Context, _ int64, m Message) error {
		if len(m.Retracts) == 0 {
			ids = append(ids, m.ID)
			return nil
		}
		retracted = append(retracted, m.Retracts...)
		return answer
	}
	play(t, do, func(s *fakeStore, f *fakeSender) {
		s.put(1, 1, 2)
		synctest.Wait()
		s.retract(1, 1, 2)
		synctest.Wait()
		if len(ids) != 2 || !slices.Equal(ids, retracted) || len(s.target(1).waiting) != 0 {
			t.Errorf("sent %q, retracted %q", ids, retracted)
		}
		for _, c := range []struct {
			answer   error
			attempts int
			wait     time.Duration
		}{
			{&Refusal{Err: errors.New("not found"), Final: true}, 1, 0},
			{errors.New("no route"), retractions, 2 * time.Minute},
		} {
			ids, retracted, answer = nil, nil, c.answer
			s.retract(1, 1)
			s.put(1, 3)
			time.Sleep(c.wait)
			synctest.Wait()
			to := s.target(1)
			if len(retracted) != c.attempts || len(ids) != 1 || len(to.waiting) != 0 || len(to.failed) != 0 ||
				to.suspended {
				t.Errorf("%v: %d attempts, then %q; %+v", c.answer, len(retracted), ids, to)
			}
		}
		ids, retracted, answer = nil, nil, &Refusal{Err: errors.New("gone"), Gone: true}
		s.retract(1, 1)
		s.put(1, 4)
		time.Sleep(time.Hour)
		synctest.Wait()
		if to := s.target(1); !to.suspended || len(ids) != 0 || len(retracted) != 1 {
			t.Errorf("a target that is gone: %+v, sent %q, %d attempts", to, ids, len(retracted))
		}
	})
}

// What the store notes of an accepted message has its numbers and no contents.
func TestReceipts(t *testing.T) {
	item := tidings.Item{Content: "much"}
	j := receipt(tidings.DeliveryJob{Target: tidings.Target{ID: 1}, Deliveries: []int64{5},
		Parts: []tidings.DeliveryPart{
			{Update: tidings.Update{ID: 7, Items: []tidings.Item{item}}, Item: &item, Revision: 9}}})
	want := []tidings.DeliveryPart{{Update: tidings.Update{ID: 7}, Revision: 9}}
	if got, want := fmt.Sprintf("%+v", j.Parts), fmt.Sprintf("%+v", want); got != want || j.Target.ID != 1 ||
		j.Deliveries[0] != 5 {
		t.Errorf("%s, want %s", got, want)
	}
}
