package lab

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func listOf(names ...string) (list []Entry) {
	for _, name := range names {
		e := toy()
		e.Name = name
		list = append(list, e)
	}
	return list
}

func TestFind(t *testing.T) {
	list := listOf("engine", "pastry", "corona", "coronafast")
	for _, c := range []struct{ names, want []string }{
		{[]string{"pastry"}, []string{"pastry"}},
		{[]string{"pastry", "engine", "pastry"}, []string{"pastry", "engine"}},
		{[]string{"corona", "all"}, []string{"corona", "engine", "pastry", "coronafast"}},
	} {
		found, err := Find(list, c.names)
		var got []string
		for _, e := range found {
			got = append(got, e.Describe().Name)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v (%v)", c.names, got, err)
		}
	}
	for name, want := range map[string][]string{
		"pastri": {"pastry"}, "Engine": {"engine"}, "enigne": {"engine"}, "cor": {"corona", "coronafast"},
		"zzzzzz": nil, "p": nil,
	} {
		_, err := Find(list, []string{name})
		var unknown *Unknown
		if !errors.As(err, &unknown) || !slices.Equal(unknown.Nearest, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// The distance is a metric.
func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[a-c]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if distance(a, b) != distance(b, a) || (distance(a, b) == 0) != (a == b) ||
			distance(a, c) > distance(a, b)+distance(b, c) {
			t.Fatalf("%q %q %q: %d %d %d", a, b, c, distance(a, b), distance(b, c), distance(a, c))
		}
	})
}
