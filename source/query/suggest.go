package query

import "strings"

// nearestColumn returns the column that somebody probably means by a word; "" if nothing is near.
func (d dialect) nearestColumn(word string) string {
	for _, c := range d.columns() {
		for _, other := range c.other {
			if strings.EqualFold(word, other) {
				return c.Name
			}
		}
	}
	return nearest(word, d.names())
}

// names returns the names of all columns.
func (d dialect) names() (list []string) {
	for _, c := range d.columns() {
		list = append(list, c.Name)
	}
	return list
}

// nearest returns the candidate that differs least from a word, regardless of case: by at most a third of its letters,
// and by one if it is short. It returns "" if there is none.
func nearest(word string, candidates []string) (best string) {
	least := 0
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if d <= max(1, len(c)/3) && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// maxWord bounds the words that distance compares in bytes.
const maxWord = 16

// distance returns how many letters must be added, removed, replaced, or swapped with their neighbours to make one word
// from the other.
func distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	var d [maxWord + 1][maxWord + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replace := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d[i][j] = min(replace, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
