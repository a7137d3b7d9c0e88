package news

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tidings"
)

// A topic is a string of the form <field>:<value> under which a news item can be found. One piece of code names an
// item's topics, and another turns the conditions of a query into topics. Both must get the same strings, so both call
// the functions below. Two values may share a topic; a node that finds an item by its topic compares the fields
// themselves.

// TopicAny is the topic of every item.
const TopicAny = "any"

// The fields of topics.
const (
	TopicGUID      = "guid"
	TopicPublisher = "publisher"
	TopicSubject   = "subject"
	TopicPlace     = "place"
	TopicLanguage  = "language"
	TopicGenre     = "genre"
	TopicStatus    = "status"
	TopicSignal    = "signal"
	TopicUrgency   = "urgency"
	TopicZone      = "zone" // that the item was sent to; only its sender says so
)

// MaxTopicValue is the most bytes of a topic's value; the rest is cut.
const MaxTopicValue = 256

// TopicOf returns the topic of a field's value: in lower case, with single blanks, cut to MaxTopicValue. It is "" if
// the value is.
func TopicOf(field, value string) string {
	value = strings.Join(strings.Fields(strings.ToLower(strings.ToValidUTF8(value, ""))), " ")
	if value == "" {
		return ""
	}
	if len(value) > MaxTopicValue {
		cut := MaxTopicValue
		for !utf8.RuneStart(value[cut]) {
			cut--
		}
		value = strings.TrimRight(value[:cut], " ")
	}
	return field + ":" + value
}

// TopicOfCode returns the topic of a code of a scheme, such as "subject:medtop:15000000". field is TopicSubject or
// TopicPlace. It is "" if code is; without a scheme it is the topic of the code alone.
func TopicOfCode(field, scheme, code string) string {
	scheme, code = strings.TrimSpace(scheme), strings.TrimSpace(code)
	if scheme == "" || code == "" {
		return TopicOf(field, code)
	}
	return TopicOf(field, scheme+":"+code)
}

// TopicOfUrgency returns the topic of an urgency, 1 to 9. Items that say nothing of it have 5, and so do those
// that say something else.
func TopicOfUrgency(urgency int) string {
	if urgency < 1 || urgency > 9 {
		urgency = tidings.DefaultUrgency
	}
	return TopicUrgency + ":" + strconv.Itoa(urgency)
}

// TopicsOfLanguage returns the topics of a language: of the whole tag, and of its primary part, by which "en" finds
// "en-gb". It is empty if the tag is.
func TopicsOfLanguage(tag string) []string {
	whole := TopicOf(TopicLanguage, tag)
	primary, _, regional := strings.Cut(whole, "-")
	switch {
	case whole == "":
		return nil
	case regional && !strings.HasSuffix(primary, ":"):
		return []string{whole, primary}
	}
	return []string{whole}
}
