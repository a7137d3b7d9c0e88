package feed

import (
	"reflect"
	"sync"
	"testing"
)

// Documents are read at the same time as one after the other: what reading shares, such as names of dates and zones, is
// made once and changed by nobody. This is what the race detector looks at here.
func TestDocumentsAreReadAtOnce(t *testing.T) {
	const every, readers = 200, 4
	var some []document
	for i, d := range generatedFeeds(t) {
		if i%every == 0 {
			some = append(some, d)
		}
	}
	type reading struct {
		d   *Document
		err error
	}
	read := func() []reading {
		all := make([]reading, len(some))
		for i, d := range some {
			all[i].d, all[i].err = Parse(d.body, d.contentType, testBase, Default())
			if all[i].err == nil {
				Match(nil, all[i].d)
			}
		}
		return all
	}
	atOnce := make([][]reading, readers) // before anything was read alone, so that they make what is shared
	var readings sync.WaitGroup
	for r := range readers {
		readings.Go(func() { atOnce[r] = read() })
	}
	readings.Wait()
	alone := read()
	for r := range readers {
		for i, want := range alone {
			if got := atOnce[r][i]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s reads otherwise at the same time: %v, %v", some[i].name, got.err, want.err)
			}
		}
	}
}
