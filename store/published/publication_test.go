package published_test

import (
	"errors"
	"fmt"
	"testing"

	"tidings"
	"tidings/store/published"
	"tidings/store/storetest"
)

// The bound counts the active publications, without the one that is published. At the bound one can be changed. One
// that is stopped makes room for one other, and cannot be resumed then.
func TestPublicationsAreBounded(t *testing.T) {
	t.Parallel()
	s := storetest.New(t).Published
	publish := func(i int) error {
		_, err := s.Publish(t.Context(), published.Publication{Channel: fmt.Sprint(publishedURL, i), Key: "me"})
		return err
	}
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%v, want %v", err, tidings.ErrInvalid)
		}
	}
	for i := range published.MaxPublications {
		if err := publish(i); err != nil {
			t.Fatal(i, err)
		}
	}
	refused(publish(published.MaxPublications))
	for i := range 3 { // again and again: what is stopped is not counted
		if err := publish(i); err != nil {
			t.Errorf("changed at the bound: %v", err)
		}
		if err := s.StopPublishing(t.Context(), fmt.Sprint(publishedURL, i)); err != nil {
			t.Fatal(err)
		}
		if err := publish(published.MaxPublications + i); err != nil {
			t.Errorf("after %d were stopped: %v", i+1, err)
		}
		refused(publish(i))
		refused(publish(published.MaxPublications + i + 1))
	}
}
