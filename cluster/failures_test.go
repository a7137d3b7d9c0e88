package cluster

import (
	"errors"
	"strings"
	"testing"
)

func TestFailuresAreCounted(t *testing.T) {
	var f failures
	for i := range 3 {
		log := f.logger(i)
		log.Warn("the clock is late")
		log.With("channel", "a").Error("an update was lost", "error", errors.New("the disk is full"))
	}
	all := f.all()
	if want := `msg="an update was lost" node=0 channel=a error="the disk is full"`; all.Count != 3 ||
		!strings.HasSuffix(all.First, want) || strings.Contains(all.First, "level") {
		t.Errorf("%d failures, the first %q, want one that ends with %q", all.Count, all.First, want)
	}
}
