package enginetest

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Bounds is the least and the most that whole numbers and times in a configuration may be, by the path of the field.
type Bounds map[string][2]int64

// Endless is the most of a field that may be as large as its type allows.
const Endless = math.MaxInt64

// CheckConfig fails unless a good configuration is accepted, and with it each field at either end of its bounds, and
// each field one beyond is refused. The bounds are those that hold while all other fields are as in good. Each field
// that is a whole number or a time must have bounds, or be named as free.
func CheckConfig[C interface{ Validate() error }](t testing.TB, good C, bounds Bounds, free ...string) {
	t.Helper()
	if err := good.Validate(); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	known := make(map[string]bool)
	for _, name := range free {
		known[name] = true
	}
	for _, path := range slices.Sorted(maps.Keys(bounds)) {
		known[path] = true
		least, most := bounds[path][0], bounds[path][1]
		try := func(value int64, accepted bool) {
			t.Helper()
			c := good
			field := reflect.ValueOf(&c).Elem()
			for name := range strings.SplitSeq(path, ".") {
				field = field.FieldByName(name)
			}
			if field.CanInt() {
				field.SetInt(value)
			} else {
				field.SetUint(uint64(value))
			}
			if err := c.Validate(); accepted && err != nil || !accepted && err == nil {
				t.Errorf("%s of %d: accepted should be %v: %v", path, value, accepted, err)
			}
		}
		field := reflect.ValueOf(good)
		for name := range strings.SplitSeq(path, ".") {
			field = field.FieldByName(name)
		}
		try(least, true)
		if field.CanInt() || least > 0 {
			try(least-1, false)
		}
		if most != Endless {
			try(most, true)
			try(most+1, false)
		}
	}
	var missing func(path string, v reflect.Value)
	missing = func(path string, v reflect.Value) {
		for i := range v.NumField() {
			name, f := path+v.Type().Field(i).Name, v.Field(i)
			switch {
			case known[name]:
			case f.Kind() == reflect.Struct:
				missing(name+".", f)
			case f.CanInt() || f.CanUint():
				t.Errorf("%s has no bound", name)
			}
		}
	}
	missing("", reflect.ValueOf(good))
}
