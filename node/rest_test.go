package node

import (
	"testing"
	"time"
)

func TestMemoryIsReturnedAtRestAlone(t *testing.T) {
	for _, c := range []struct {
		what string
		heap heapUse
		want bool
	}{
		{"nothing unused", heapUse{100, 0, 30 << 20, 30 << 20}, false},
		{"free memory", heapUse{100, restWorth, 30 << 20, 30 << 20}, true},
		{"garbage", heapUse{100, 0, 30<<20 + restWorth, 30 << 20}, true},
		{"half of it free, half garbage", heapUse{100, restWorth / 2, 30<<20 + restWorth/2, 30 << 20}, true},
		{"a little", heapUse{100, restWorth - 1, 30 << 20, 30 << 20}, false},
		{"new objects that no collection has seen are garbage at most", heapUse{100, 0, 1, 30 << 20}, false},
		{"busy", heapUse{100 + restQuiet, restWorth, 30 << 20, 30 << 20}, false},
	} {
		if got := c.heap.isWorth(100); got != c.want {
			t.Errorf("%s: it returns memory: %v", c.what, got)
		}
	}
}

func TestOneNodeOfAProcessReturnsMemory(t *testing.T) {
	var r rest
	now, unused := time.Now(), heapUse{allocated: 100, free: restWorth}
	for i, c := range []struct {
		after time.Duration
		want  bool
	}{
		{0, false}, // nothing is known of what was before
		{restEvery, true},
		{restEvery / 3, false}, // another node of the process
		{restEvery, true},
	} {
		now = now.Add(c.after)
		if got := r.check(now, unused); got != c.want {
			t.Errorf("check %d: memory is returned: %v", i+1, got)
		}
	}
	if h := readHeap(); h.allocated == 0 || h.objects == 0 {
		t.Errorf("the runtime says %+v", h)
	}
}

func TestCachesAreEmptiedWhenTheNodeComesToRest(t *testing.T) {
	var s stillness
	now, allocated := time.Now(), uint64(1)
	for i, c := range []struct {
		after time.Duration
		bytes uint64 // allocated meanwhile
		want  bool
	}{
		{restEvery, 0, false}, // nothing is known of what was before
		{restEvery, restQuiet - 1, true},
		{restEvery, 0, false},
		{restEvery, restQuiet, false}, // busy
		{restEvery, 0, true},
		{shrinkEvery - 1, 0, false},
		{1, 0, true},
		{restEvery, 0, false},
	} {
		now, allocated = now.Add(c.after), allocated+c.bytes
		if got := s.check(now, allocated); got != c.want {
			t.Errorf("check %d: caches are emptied: %v", i+1, got)
		}
	}
}
