package dataset

import (
	"path/filepath"
	"slices"
	"testing"
)

// The subscriptions that the project carries are the recorded ones.
func TestSubscriptionsAreTheRecordedOnes(t *testing.T) {
	all := readSubscriptions(t, filepath.Join(NeedDir(t), "subscriptions", "feedlists"))
	var columns [3][]int
	for _, s := range all {
		for i, value := range []int{s.User, s.Feed, slices.Index(hosts[:], s.Host)} {
			columns[i] = append(columns[i], value)
		}
	}
	if slices.Contains(columns[2], -1) {
		t.Fatal("a feed is at an unknown kind of host")
	}
	if !rewrite(t, "feedlists", differences(columns[0]), columns[1], columns[2]) && !slices.Equal(Subscriptions(), all) {
		t.Errorf("not what was recorded; %s", rewriteHint)
	}
}

func readSubscriptions(t *testing.T, file string) (all []Subscription) {
	t.Helper()
	host := make(map[int]string)
	err := readTable(file+"-feeds.csv.gz", []string{"feed", "class", "subscribers"}, func(fields []string) error {
		n, err := numbers(fields[:1])
		if err == nil {
			host[n[0]] = string([]byte(fields[1])) // the reader's own goes with the line
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = readTable(file+"-pairs.csv.gz", []string{"user", "feed"}, func(fields []string) error {
		n, err := numbers(fields)
		if err == nil {
			all = append(all, Subscription{User: n[0], Feed: n[1], Host: host[n[1]]})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
