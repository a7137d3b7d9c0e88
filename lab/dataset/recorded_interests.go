package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// RecordedInterests says where the recorded interests of many people are, which are not part of the package. People are
// in the order of their arbitrary numbers.
type RecordedInterests struct {
	file    string
	columns []string
}

// The interests that stand for subscriptions. There are 84 kinds of music of 47,538 people, 6 each on average and 42 at
// most. And there are 12,876 artists of 1,135 listeners, 50 each at most.
var (
	DeezerTopics  = RecordedInterests{"deezer-hu-topics.csv.gz", []string{"user", "topics"}}
	LastFMArtists = RecordedInterests{"lastfm-2k-pairs.csv.gz", []string{"user", "channel", "weight"}}
)

// AtHand reports whether they are on this machine.
func (r RecordedInterests) AtHand() bool {
	dir, err := Dir()
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "subscriptions", r.file))
	}
	return err == nil
}

// Read returns what each person follows, in the order of arbitrary numbers. It returns ErrMissing where the recorded
// documents are not at hand.
func (r RecordedInterests) Read() (people [][]int, err error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	of := make(map[string]int)
	err = readTable(filepath.Join(dir, "subscriptions", r.file), r.columns, func(fields []string) error {
		i, known := of[fields[0]]
		if !known {
			i = len(people)
			of[strings.Clone(fields[0])] = i
			people = append(people, nil)
		}
		for word := range strings.FieldsSeq(fields[1]) {
			n, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("reading an interest: %w", err)
			}
			people[i] = append(people[i], n)
		}
		return nil
	})
	for _, all := range people {
		slices.Sort(all)
	}
	return people, err
}
