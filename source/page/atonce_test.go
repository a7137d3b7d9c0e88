package page

import (
	"reflect"
	"sync"
	"testing"

	"tidings"
	"tidings/source/page/pagetest"
)

// Pages are read at the same time as one after the other: readers share nothing that they change. This is what the race
// detector looks at here.
func TestPagesAreReadAtOnce(t *testing.T) {
	const readers = 4
	histories := pagetest.Histories(1)
	read := func() (all []Document) {
		for _, h := range histories {
			var states []Document
			for _, body := range h.Bodies()[:2] {
				doc, err := Extract(body, "text/html", "https://example.org/", tidings.PageOptions{}, Noise{},
					Default())
				if err != nil {
					t.Error(err)
				}
				states = append(states, doc)
			}
			if _, err := Learn(states[0], states[1]); err != nil {
				t.Error(err)
			}
			all = append(all, states...)
		}
		return all
	}
	atOnce := make([][]Document, readers) // before anything was read alone, so that they make what is shared
	var reading sync.WaitGroup
	for r := range readers {
		reading.Go(func() { atOnce[r] = read() })
	}
	reading.Wait()
	alone := read()
	for r := range readers {
		if !reflect.DeepEqual(atOnce[r], alone) {
			t.Error("pages read otherwise at the same time")
		}
	}
}
