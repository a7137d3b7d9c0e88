package queries

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/news"
)

// Items come by any way, in any order, repeatedly, and the node stops at any time. An item of a query is reported as
// new once. If the store has its channel, it is reported in its latest state.
func TestEachItemIsToldOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newDesk(t)
		d.channel(paper, tidings.Public)
		query := d.follow("headline LIKE 'a%'")
		latest := make(map[string]string) // title, by the ID of the paper's items
		version := uint64(0)
		drawn := func() (stories []story) {
			for _, guid := range rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 1, 4, rapid.ID).Draw(rt, "guids") {
				stories = append(stories,
					story{fmt.Sprint(guid), rapid.SampledFrom([]string{"a one", "a two", "b one"}).Draw(rt, "title"),
						"t"})
			}
			return stories
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				stories := drawn()
				d.found(paper, stories...)
				for _, s := range stories {
					latest[s[0]] = s[1]
				}
			case 1: // of a channel that the store has: nothing that it has not found itself counts
				d.q.arrived(event(t, paper, version+1, drawn(), nil))
			case 2:
				version += uint64(rapid.IntRange(0, 2).Draw(rt, "later"))
				d.q.arrived(event(t, other, version, drawn(), nil))
				d.work()
			case 3:
				d.restart()
			}
			if rapid.Bool().Draw(rt, "work") {
				d.work()
			}
		}
		d.work()
		told := make(map[string]string)
		for _, line := range d.shown(query) {
			channel, rest, _ := strings.Cut(line, " ")
			guid, rest, _ := strings.Cut(rest, " ")
			change, title, _ := strings.Cut(rest, " ")
			if id := channel + " " + guid; (change == "new") == (told[id] != "") || told[id] == title {
				rt.Fatalf("after %q of %s came %q", told[id], id, line)
			} else {
				told[id] = title
			}
		}
		for guid, title := range latest {
			if strings.HasPrefix(title, "a") && told[paper+" "+guid] != title {
				rt.Fatalf("of %s is told %q, which is %q", guid, told[paper+" "+guid], title)
			}
		}
	})
}

// Topics of a changeset are bounded, each once. Every item has its first ones among them, and all are there if they
// fit.
func TestMergedTopics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topic := rapid.StringMatching("[a-h]")
		lists := rapid.SliceOfN(rapid.SliceOfNDistinct(topic, 0, 8, rapid.ID), 0, 6).Draw(t, "lists")
		most := rapid.IntRange(0, 10).Draw(t, "most")
		merged := merge(lists, most)
		distinct := slices.Concat(lists...)
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
		if len(merged) != min(most, len(distinct)) {
			t.Fatalf("%d topics of %d, at most %d", len(merged), len(distinct), most)
		}
		for i, topic := range merged {
			if slices.Contains(merged[:i], topic) || !slices.Contains(distinct, topic) {
				t.Fatalf("%q stands there twice, or is none", topic)
			}
		}
		// A topic that is left out stands no further ahead in its list than one that is not, in any.
		for _, list := range lists {
			for rank, topic := range list {
				if slices.Contains(merged, topic) {
					continue
				}
				for _, kept := range merged {
					if !slices.ContainsFunc(lists, func(l []string) bool {
						at := slices.Index(l, kept)
						return at >= 0 && at <= rank
					}) {
						t.Fatalf("%q is left out for %q", topic, kept)
					}
				}
			}
		}
	})
}

// An event of very many items has no more topics than a router accepts, and any first.
func TestTopicsOfAParcel(t *testing.T) {
	var stories []story
	for i := range 200 {
		stories = append(stories, story{fmt.Sprint(i), fmt.Sprint("Title ", i), "t"})
	}
	e := event(t, paper, 1, stories, func(p *changeset.Set) { p.Items[0].Whole = false })
	q := &Queries{feed: feed.Default()}
	topics, err := q.Topics(paper, e.Payload, 63)
	if err != nil || len(topics) != 63 || topics[0] != news.TopicAny || slices.Contains(topics, "guid:0") ||
		!slices.Contains(topics, "guid:1") {
		t.Errorf("%d topics: %q, %v", len(topics), topics, err)
	}
	title, items, err := itemsOf(event(t, paper, 1, stories[:1], nil).Payload,
		event(t, paper, 1, stories[:1], nil).Hash, feed.Default())
	if err != nil || title != "The Paper" || len(items) != 1 {
		t.Fatalf("%q, %v, %v", title, items, err)
	}
	one, err := q.Topics(paper, event(t, paper, 1, stories[:1], nil).Payload, 63)
	if want := news.Topics(news.Of(paper, title, items[0])); err != nil || !slices.Equal(one, want) {
		t.Errorf("%q, %v, want %q", one, err, want)
	}
	if topics, err := q.Topics(paper, []byte("no changeset"), 63); err == nil || len(topics) > 0 {
		t.Errorf("what is no changeset has topics %q", topics)
	}
}
