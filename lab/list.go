package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Unknown is the name of an experiment that is not in the list.
type Unknown struct {
	Name    string
	Nearest []string // the names that it may have meant, the nearest first; maybe none
}

func (u *Unknown) Error() string { return fmt.Sprintf("there is no experiment %q", u.Name) }

// Find returns the experiments of the names, each once, in the order of the names. "all"
// stands for every one.
func Find(list []Entry, names []string) ([]Entry, error) {
	var found []Entry
	add := func(e Entry) {
		same := func(other Entry) bool { return other.Describe().Name == e.Describe().Name }
		if !slices.ContainsFunc(found, same) {
			found = append(found, e)
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(list, func(e Entry) bool { return e.Describe().Name == name })
		switch {
		case i >= 0:
			add(list[i])
		case name == "all":
			for _, e := range list {
				add(e)
			}
		default:
			return nil, &Unknown{name, nearest(list, name)}
		}
	}
	return found, nil
}

// maxNearest is how many names are offered in the place of an unknown one.
const maxNearest = 3

func nearest(list []Entry, name string) []string {
	type near struct {
		name     string
		distance int
	}
	var all []near
	for _, e := range list {
		other := e.Describe().Name
		d := distance(strings.ToLower(name), other)
		if len(name) >= 2 && strings.HasPrefix(other, strings.ToLower(name)) {
			d = 0
		}
		if d <= max(1, len(other)/2) {
			all = append(all, near{other, d})
		}
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name)) })
	var names []string
	for _, n := range all[:min(len(all), maxNearest)] {
		names = append(names, n.name)
	}
	return names
}

// distance counts the letters to insert, delete or change to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
