package query

import (
	"cmp"
	"strings"

	"tidings/source/news"
)

// The topics that an item carries: "any"; "urgency:3"; for each text of a column with topics, its topic, as in
// "publisher:reuters"; of a language tag also the topic of its primary subtag, "language:en" for en-GB; of a subject or
// place one for each form in which a query can name it: "subject:sport", "subject:15000000", "subject:medtop:15000000".
// An item without a status or urgency carries "status:usable" or "urgency:5".
//
// Items and queries make topics by the same functions, those of package news. Texts that a comparison treats as
// equal must give the same topic, or items get lost.

// topicOf returns the topic of a column's value; one that cannot be looked for by a topic is looked for among all
// items.
func topicOf(c *column, value string) string {
	return cmp.Or(news.TopicOf(c.Name, value), news.TopicAny)
}

// primaryLanguage returns the primary subtag of a language tag: en of en-GB.
func primaryLanguage(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return primary
}
