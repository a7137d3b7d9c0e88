package page

import (
	"slices"
	"testing"

	"tidings"
	"tidings/source/page/pagetest"
)

// Every state of the generated histories gives exactly the lines that it was made of, whatever else differs from fetch
// to fetch. GNU patch makes each state of the one before.
func TestGeneratedHistoriesGiveTheirLines(t *testing.T) {
	for _, h := range pagetest.Histories(1) {
		t.Run(h.Name, func(t *testing.T) {
			var noise Noise
			deltas := deltas{gnu: newGNU(t)}
			for n, s := range h.States {
				if h.Learn {
					noise = learnState(t, s, noise)
				}
				for _, body := range [][]byte{s.Body, s.Again} {
					lines := readState(t, body, noise).Lines
					if h.Learn { // what is masked may leave something in its place
						lines = slices.DeleteFunc(slices.Clone(lines),
							func(l string) bool { return !slices.Contains(s.Lines, l) })
					}
					if !slices.Equal(lines, s.Lines) {
						t.Fatalf("state %d reads %q\nwant %q\n%s", n, lines, s.Lines, body)
					}
				}
				if n == 0 {
					continue
				}
				before, after := readState(t, h.States[n-1].Body, noise).Lines, readState(t, s.Body, noise).Lines
				if changed := !slices.Equal(before, after); changed != s.Changed {
					t.Errorf("state %d: changed %t, want %t\n%q\n%q", n, changed, s.Changed, before, after)
				} else if changed {
					deltas.add(before, after)
				}
			}
			deltas.end(t)
		})
	}
}

// learnState adds what two fetches of a state teach, as a poll does that finds a change.
func learnState(t *testing.T, s pagetest.State, noise Noise) Noise {
	t.Helper()
	learned, err := Learn(readState(t, s.Body, noise), readState(t, s.Again, noise))
	if err != nil {
		t.Fatal(err)
	}
	return noise.Merge(learned)
}

func readState(t *testing.T, body []byte, noise Noise) Document {
	t.Helper()
	doc, err := Extract(body, "text/html", "https://example.org/", tidings.PageOptions{}, noise, Default())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
