package publish

import (
	"fmt"
	"testing"
	"time"

	"tidings/source/fetch"
)

// A third party asks somebody else's server once an interval, later when it asks for that, and ever more seldom when it fails.
func TestAThirdPartyIsPolite(t *testing.T) {
	const interval = 30 * time.Minute
	for _, c := range []struct {
		third    bool
		err      error
		failures int
		want     time.Duration
	}{
		{false, nil, 0, urlEvery},
		{false, &fetch.StatusError{Status: 503, After: time.Hour}, 1, urlEvery},
		{true, nil, 0, interval},
		{true, fmt.Errorf("reading: %w", &fetch.StatusError{Status: 503, After: 3 * time.Hour}), 1, 3 * time.Hour},
		{true, fmt.Errorf("reading: %w", &fetch.StatusError{Status: 503, After: time.Minute}), 1, 2 * interval},
		{true, fetch.ErrEmpty, 2, 4 * interval},
		{true, fetch.ErrEmpty, 5, 32 * interval},
		{true, fetch.ErrEmpty, 1000, 32 * interval},
	} {
		s := &sourceWatch{publication: &publication{third: c.third, publisher: &Publisher{config: Config{Interval: interval}}}}
		if got := s.pause(c.err, c.failures); got != c.want {
			t.Errorf("third party: %v, %v, %d failures: %s, want %s", c.third, c.err, c.failures, got, c.want)
		}
	}
}
