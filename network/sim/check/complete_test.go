package check

import (
	"testing"
)

func TestCompleteCountsManyUpdates(t *testing.T) {
	w := quietWorld(one, two)
	c := &Complete{AtLeast: 0.9}
	watch := All(w, nil, c)
	watch.Report(1, wants)
	watch.Report(0, wants)
	for i := range uint64(200) {
		watch.Report(0, Published{topic, i + 1, one})
		watch.Report(0, Delivered{topic, i + 1, one})
		if i < 64 {
			watch.Report(1, Delivered{topic, i + 1, one})
		}
	}
	if err := watch.Finish(); err == nil || c.Share() != 264.0/400 {
		t.Errorf("%v of the deliveries, want 264 of 400; %v", c.Share(), err)
	}
}
