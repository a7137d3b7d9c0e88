package query

import (
	"context"
	"math"
	"slices"
	"strconv"

	"tidings/source/news"
)

// cover is a set of topics such that every item that matters carries one of them.
//
// Of the conditions of an AND any one is enough, and the cheapest is chosen: its topics' shares of all items, as the
// columns estimate them, have the smallest sum. So a guid comes before publishers, subjects and places, these before
// genre, signal and urgency, then language, then status. Many topics of one kind may lose to one of the next. On a tie
// the first in the text wins. The topics of an OR are those of all its conditions. NOT turns AND into OR and the other
// way round, as De Morgan's laws say. A condition without known topics needs any item.
type cover struct {
	topics []string // sorted, at most MaxTopics
	cost   int      // the shares of all topics together; coverAny has no topics and the highest
}

var coverAny = cover{cost: math.MaxInt}

func (c cover) list() []string {
	if c.cost == coverAny.cost {
		return []string{news.TopicAny}
	}
	return c.topics
}

func (n *junction) cover(want bool) cover {
	all := want == (n.kind == and) // the junction is as wanted if all its conditions are; otherwise if one is
	result := n.list[0].cover(want)
	for _, child := range n.list[1:] {
		switch c := child.cover(want); {
		case !all:
			result = union(result, c)
		case c.cost < result.cost:
			result = c
		}
	}
	return result
}

func union(a, b cover) cover {
	if a.cost == coverAny.cost || b.cost == coverAny.cost {
		return coverAny
	}
	topics := slices.Concat(a.topics, b.topics)
	slices.Sort(topics)
	if topics = slices.Compact(topics); len(topics) > MaxTopics {
		return coverAny
	}
	return cover{topics, a.cost + b.cost}
}

func (n not) cover(want bool) cover { return n.node.cover(!want) }

func (n constant) cover(want bool) cover {
	if bool(n) != want {
		return cover{} // it never is
	}
	return coverAny
}

func (c *comparison) cover(want bool) cover {
	switch {
	case c.share == 0:
		return coverAny
	case c.Name == urgency:
		if list := c.urgencies(want); len(list) < leastUrgent {
			return c.coverValues(list)
		}
		return coverAny
	case c.negated == want, c.labels != nil && !want:
		return coverAny // it is so for most values, or for items without any
	}
	var values []string
	switch c.op {
	case equal, in:
		for _, v := range c.values {
			values = append(values, v.text)
		}
	case like:
		prefix, whole := c.pattern.prefix()
		tag := primaryLanguage(prefix)
		switch {
		case c.NoCase && whole:
			values = []string{prefix}
		case c.Name == "language" && tag != prefix:
			values = []string{tag}
		default:
			return coverAny
		}
	default:
		return coverAny
	}
	return c.coverValues(values)
}

// urgencies returns those of the few urgencies for which the comparison is true, or false.
func (c *comparison) urgencies(want bool) (list []string) {
	for n := int64(mostUrgent); n <= leastUrgent; n++ {
		holds := c.op != isNull && c.holds(&evaluation{ctx: context.Background()}, &value{number: n})
		if (holds != c.negated) == want {
			list = append(list, strconv.FormatInt(n, 10))
		}
	}
	return list
}

func (c *comparison) coverValues(values []string) (result cover) {
	for _, v := range values {
		result = union(result, cover{[]string{topicOf(c.column, v)}, c.share})
	}
	return result
}
