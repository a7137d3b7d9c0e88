package trees

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"tidings/lab/dataset"
)

// recordedInterests are what people were recorded to follow, and stand for subscriptions beside the made ones, where they are at hand.
var recordedInterests = [...]struct {
	name, words string
	of          dataset.RecordedInterests
}{
	{"deezer", "listeners and their kinds of music, recorded", dataset.DeezerTopics},
	{"lastfm", "listeners and their artists, recorded", dataset.LastFMArtists},
}

// readInterests returns what people were recorded to follow; nothing where that is not at hand.
func readInterests() (all [][][]int, err error) {
	if !interestsAtHand() {
		return nil, nil
	}
	for _, r := range recordedInterests {
		people, err := r.of.Read()
		if err != nil {
			return nil, err
		}
		all = append(all, people)
	}
	return all, nil
}

// interestsAtHand reports whether what people follow was recorded on this machine.
func interestsAtHand() bool {
	for _, r := range recordedInterests {
		if !r.of.AtHand() {
			return false
		}
	}
	return true
}

// followed returns which feeds each of some readers follows, as people were recorded to. As in section 6.1.2 readers are drawn by chance, the
// feeds are those that most people follow, and readers of others alone are left out. There are fewer readers if there are not so many people.
func followed(chance *rand.Rand, people [][]int, readers, feeds int) (subscriptions [][]int) {
	count := make(map[int]int)
	var all []int
	for _, person := range people {
		for _, n := range person {
			if count[n]++; count[n] == 1 {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(count[b]-count[a], a-b) })
	number := make(map[int]int)
	for i, n := range all[:min(feeds, len(all))] {
		number[n] = i
	}
	for _, i := range chance.Perm(len(people)) {
		var wants []int
		for _, n := range people[i] {
			if feed, is := number[n]; is {
				wants = append(wants, feed)
			}
		}
		if len(wants) > 0 && len(subscriptions) < readers {
			slices.Sort(wants)
			subscriptions = append(subscriptions, wants)
		}
	}
	return subscriptions
}
