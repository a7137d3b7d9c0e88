package lab

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type paintSizes struct {
	Nodes  int           `json:"nodes"`
	Share  float64       `json:"share"`
	For    time.Duration `json:"for_ns"`
	Rows   []string      `json:"rows"`
	Counts []int         `json:"counts"`
	Extra  []int         `json:"extra"`
}

// Parameters are changed by texts as they stand in an experiment's table, and no others are accepted.
func TestChangedParameters(t *testing.T) {
	usual := paintSizes{Nodes: 200, Share: 0.5, For: time.Hour, Rows: []string{"lite", "fair"}, Counts: []int{1, 2, 3}}
	for _, c := range []struct {
		texts []string
		want  func(*paintSizes)
	}{
		{nil, func(*paintSizes) {}},
		{[]string{"nodes=1,024"}, func(s *paintSizes) { s.Nodes = 1024 }},
		{[]string{"nodes=5", "nodes=7", "share=0.25"}, func(s *paintSizes) { s.Nodes, s.Share = 7, 0.25 }},
		{[]string{"share=1"}, func(s *paintSizes) { s.Share = 1 }},
		{[]string{"for_ns=2h30m"}, func(s *paintSizes) { s.For = 150 * time.Minute }},
		{[]string{"rows=[fair]"}, func(s *paintSizes) { s.Rows = []string{"fair"} }},
		{[]string{"rows=[fair, lite]", "counts=[4,5 6]"},
			func(s *paintSizes) { s.Rows, s.Counts = []string{"fair", "lite"}, []int{4, 5, 6} }},
		{[]string{"rows=[]"}, func(s *paintSizes) { s.Rows = []string{} }},
	} {
		want := usual
		c.want(&want)
		if got, err := change(usual, c.texts); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", c.texts, got, err)
		}
	}
	for text, want := range map[string]string{
		"nodes":         `"nodes" is not of the form NAME=VALUE`,
		"nodes=":        `"nodes=" is not of the form NAME=VALUE`,
		"=5":            `"=5" is not of the form NAME=VALUE`,
		"Nodes=5":       `there is no parameter "Nodes", but nodes, share, for_ns, rows, counts, extra`,
		"nodes=many":    `parameter nodes: many cannot stand where 200 does`,
		"nodes=[5]":     `parameter nodes: [5] cannot stand where 200 does`,
		"nodes=0.5":     `parameter nodes: 0.5 cannot stand where 200 does`,
		"nodes=-5":      `parameter nodes: -5 is below zero`,
		"for_ns=-5m":    `parameter for_ns: -5m is below zero`,
		"rows=lite":     `parameter rows: lite cannot stand where [lite fair] does`,
		"counts=[lite]": `parameter counts: [lite] cannot stand where [1 2 3] does`,
	} {
		if got, err := change(usual, []string{text}); err == nil || err.Error() != want {
			t.Errorf("%q: %+v, %v; want %s", text, got, err, want)
		}
	}
}

// Zero, an empty list or a name is accepted only where it stands at some scale.
func TestImplausibleParameters(t *testing.T) {
	usual := paintSizes{Nodes: 200, Share: 0.5, For: time.Hour, Rows: []string{"lite", "fair"}, Counts: []int{0, 2, 3}}
	other := paintSizes{Nodes: 1024, Share: 0, For: 3 * time.Hour, Rows: []string{"lite", "fast"}, Counts: []int{1},
		Extra: []int{1}}
	for text, want := range map[string]string{
		"nodes=1":          "",
		"nodes=0":          "parameter nodes: it cannot be 0",
		"share=0":          "",
		"share=0.25":       "",
		"for_ns=0":         "parameter for_ns: it cannot be 0",
		"rows=[fast,fair]": "",
		"rows=[]":          "parameter rows: it cannot be empty",
		"extra=[]":         "",
		"extra=[7]":        "",
		"rows=[fast,slow]": `parameter rows: there is no "slow", but lite, fair, fast`,
		"counts=[0,7]":     "",
	} {
		changes := []string{text}
		p, err := change(usual, changes)
		if err != nil {
			t.Fatal(text, err)
		}
		if err := plausible(p, changes, usual, other); want == "" && err != nil || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := Try(t.Context(), toy(), Options{Scale: Tiny, Seeds: 1, With: []string{"throws=0"}}); err == nil ||
		err.Error() != "toy: parameter throws: it cannot be 0" {
		t.Error(err)
	}
	greedy := toy()
	greedy.Memory = func(s toySizes) uint64 { return uint64(s.Throws) << 40 }
	if _, err := Try(t.Context(), greedy, Options{Scale: Tiny, Seeds: 1, With: []string{"throws=5"}}); err != nil {
		t.Error(err) // less than usual is tried, however little memory is free
	}
	if _, err := Try(t.Context(), greedy,
		Options{Scale: Tiny, Seeds: 1, With: []string{"throws=1000"}}); freeMemory() > 0 &&
		(err == nil || !strings.HasPrefix(err.Error(),
			"toy: with throws=1000 it needs about 1.1e+06 GB of memory, and ")) {
		t.Error(err)
	}
}

// A trial with changed parameters is run with these, expects what they lead to, and says so.
func TestTrialsWithChangedParameters(t *testing.T) {
	r := try(t, toy(), Options{Scale: Tiny, Seed: 1, Seeds: 1, With: []string{"worlds=5"}})
	if n := len(r.Figures); n != 6 || r.Parameters.(toySizes).Worlds != 5 ||
		!slices.Equal(r.With, []string{"worlds=5"}) {
		t.Errorf("%d figures, with %v: %+v", n, r.With, r.Parameters)
	}
	if got := r.Sentence(); got != "scale tiny with worlds=5, seed 1" {
		t.Errorf("it says %q", got)
	}
	if got := ChangeFlags([]string{"worlds=5", "rows=[a b]"}); got != " --with 'worlds=5' --with 'rows=[a b]'" {
		t.Errorf("flags are%s", got)
	}
	if _, err := Try(t.Context(), toy(), Options{Scale: Tiny, Seeds: 1, With: []string{"dice=5"}}); err == nil ||
		!strings.Contains(err.Error(), `toy: there is no parameter "dice"`) {
		t.Error(err)
	}
}
