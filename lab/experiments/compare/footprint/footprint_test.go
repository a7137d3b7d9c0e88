package footprint

import (
	"reflect"
	"runtime"
	"testing"
)

type leaf [2]uint64

type tree struct {
	left, right *leaf
	list        []leaf
	name        string
	any         any
	by          map[uint64]uint64
	back        *tree
	world       *world
	refuse      func()
}

type world [1 << 20]byte

func none(reflect.Type) bool { return false }

// Each kind of reference counts what it refers to, once.
func TestOf(t *testing.T) {
	own := int(reflect.TypeFor[tree]().Size())
	shared := &leaf{}
	around := new(tree)
	around.back = around
	list := make([]leaf, 1, 10)
	for name, c := range map[string]struct {
		of   *tree
		more int
	}{
		"nothing":                 {&tree{}, 0},
		"a pointer":               {&tree{left: &leaf{}}, 16},
		"two pointers":            {&tree{left: &leaf{}, right: &leaf{}}, 32},
		"the same twice":          {&tree{left: shared, right: shared}, 16},
		"a list with spare room":  {&tree{list: list}, 160},
		"a text":                  {&tree{name: string([]byte("twelve bytes"))}, 12},
		"a boxed value":           {&tree{any: leaf{}}, 16},
		"a boxed pointer":         {&tree{any: &leaf{}}, 16},
		"a boxed list":            {&tree{any: list}, 24 + 160},
		"a circle":                {around, 0},
		"a small map":             {&tree{by: map[uint64]uint64{1: 2}}, 8 * 17},
		"a function, not counted": {&tree{refuse: func() { _ = list }}, 0},
	} {
		if got := Of(c.of, none) - own; got != c.more {
			t.Errorf("%s is %d bytes, not %d", name, got, c.more)
		}
	}
}

func TestForeignIsLeftOut(t *testing.T) {
	foreign := func(t reflect.Type) bool { return t == reflect.TypeFor[world]() }
	with := &tree{world: new(world), any: new(world)}
	if got, want := Of(with, foreign), int(reflect.TypeFor[tree]().Size()); got != want {
		t.Errorf("%d bytes, not %d", got, want)
	}
	if got := Of(with, none); got < 2<<20 {
		t.Errorf("%d bytes where nothing is foreign", got)
	}
}

// Maps and lists of many sizes count about what the allocator hands out for them.
func TestCountsWhatIsAllocated(t *testing.T) {
	for _, n := range []int{5, 100, 1000, 5000} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		all := make([]*tree, 20)
		for i := range all {
			all[i] = &tree{by: make(map[uint64]uint64, n), list: make([]leaf, n)}
			for k := range n {
				all[i].by[uint64(k)] = uint64(i)
			}
		}
		runtime.ReadMemStats(&after)
		allocated := float64(after.TotalAlloc - before.TotalAlloc)
		if counted := float64(Of(all, none)); counted < 0.6*allocated || counted > 1.3*allocated {
			t.Errorf("maps and lists of %d: %.0f bytes are counted of %.0f", n, counted, allocated)
		}
		runtime.KeepAlive(all)
	}
}
