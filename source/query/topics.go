package query

import "strings"

// The topics that an item carries: "any"; "urgency:3"; for each text of a column with topics, its topic, as in
// "publisher:reuters"; of a language tag besides the topic of its primary subtag, "language:en" for en-GB; of a subject or
// place one for each form in which a query can name it: "subject:sport", "subject:15000000", "subject:medtop:15000000".
// An item that does not give its status or urgency carries "status:usable" or "urgency:5".
//
// Items and queries must make topics by the same functions: whatever a comparison takes to be equal must give the same
// topic, or items get lost. Equal texts of a NoCase column differ only in the case of ASCII letters, so lower case makes
// their topics the same.
const anyItem = "any"

// topicOf returns the topic of a column's value.
func topicOf(c *column, value string) string {
	if c.NoCase {
		value = strings.ToLower(value)
	}
	return c.Name + ":" + value
}

// primaryLanguage returns the primary subtag of a language tag: en of en-GB.
func primaryLanguage(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return primary
}
