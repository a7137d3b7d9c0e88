package content

import (
	"fmt"
	"testing"
)

func TestTouchesAreBounded(t *testing.T) {
	t.Parallel()
	q := newTouches(func() {})
	for i := range maxTouches + 10 {
		q.add(Record{URL: fmt.Sprint(i % (maxTouches + 5))})
	}
	if n := len(q.all()); n != maxTouches {
		t.Errorf("%d checks wait, want %d", n, maxTouches)
	}
}
