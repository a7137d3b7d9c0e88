package queries

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hostile 78: a check that does not come to its end in time says so, and what it has found.
func TestHostile78ACheckEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.q.checking <- struct{}{} // another check never ends
		began := time.Now()
		c, err := d.q.CheckQuery(context.Background(), "text LIKE '%a%'")
		if took := time.Since(began); took != checkWithin {
			t.Errorf("it took %v", took)
		}
		if err != nil || len(c.Warnings) == 0 || !strings.Contains(c.Warnings[len(c.Warnings)-1].Message,
			"before all items") {
			t.Errorf("%+v: %v", c, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := d.q.CheckQuery(ctx, "text LIKE '%a%'"); err == nil {
			t.Error("nobody waits for the answer, and there is one")
		}
	})
}
