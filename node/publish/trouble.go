package publish

import (
	"sync"
)

// trouble is why something does not get on; nothing if it does.
type trouble struct {
	mu   sync.Mutex
	text string
}

// note notes an error, or nil, and reports whether that is trouble which was not there before.
func (t *trouble) note(err error) (isNew bool) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	changed := t.text != text
	t.text = text
	return changed && err != nil
}

func (t *trouble) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text
}
