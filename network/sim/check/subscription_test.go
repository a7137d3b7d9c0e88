package check

import (
	"testing"
	"time"
)

func TestSubscriptionsAreListedOnce(t *testing.T) {
	var s subscriptions
	for i := range 3 {
		s.observe(time.Duration(2*i), 1, wants)
		s.observe(time.Duration(2*i), 1, wants)
		s.observe(time.Duration(2*i+1), 1, Unsubscribed{topic})
	}
	if len(s.list) != 1 || s.list[0].on || s.list[0].since != 5 {
		t.Errorf("%+v, want one subscription that ended at 5", s.list)
	}
}
