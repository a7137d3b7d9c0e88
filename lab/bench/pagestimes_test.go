package bench

import (
	"strings"
	"testing"
)

func TestPagesAreMeasured(t *testing.T) {
	c := PagesConfig{Feeds: 2, Items: 3, Repeats: 2, Data: t.TempDir()}
	for range 2 { // the second uses what the first has stored
		var out strings.Builder
		if err := Pages(t.Context(), c, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), pagesRequested[0][0]) {
			t.Errorf("it prints %q", out.String())
		}
	}
	c.Items = 4
	if err := Pages(t.Context(), c, &strings.Builder{}); err == nil {
		t.Error("it measures another library than it is asked for")
	}
}
