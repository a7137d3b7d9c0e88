package publish

import (
	"errors"
	"testing"
)

// Trouble is new when it begins or becomes another, and not when it ends or goes on.
func TestTrouble(t *testing.T) {
	var tr trouble
	for i, step := range []struct {
		err   error
		isNew bool
		says  string
	}{
		{nil, false, ""}, {errors.New("a"), true, "a"}, {errors.New("a"), false, "a"}, {errors.New("b"), true, "b"},
		{nil, false, ""}, {errors.New("b"), true, "b"},
	} {
		if isNew := tr.note(step.err); isNew != step.isNew || tr.String() != step.says {
			t.Errorf("step %d: new: %v, says %q", i, isNew, tr.String())
		}
	}
}
