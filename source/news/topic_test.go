package news

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTopicOf(t *testing.T) {
	for _, c := range [][2]string{
		{TopicOf(TopicPublisher, "Reuters.com"), "publisher:reuters.com"},
		{TopicOf(TopicSubject, "  Economy,\n business  and finance "), "subject:economy, business and finance"},
		{TopicOf(TopicGenre, " \t"), ""},
		{TopicOf(TopicPlace, "ÅLAND"), "place:åland"},
		{TopicOfCode(TopicSubject, "medtop", "15000000"), "subject:medtop:15000000"},
		{TopicOfCode(TopicPlace, "ISO3166-1a2", " DE "), "place:iso3166-1a2:de"},
		{TopicOfCode(TopicSubject, "", "15000000"), "subject:15000000"},
		{TopicOfCode(TopicSubject, "medtop", ""), ""},
		{TopicOfUrgency(3), "urgency:3"},
		{TopicOfUrgency(0), "urgency:5"},
		{strings.Join(TopicsOfLanguage("en"), " "), "language:en"},
		{strings.Join(TopicsOfLanguage("en-GB"), " "), "language:en-gb language:en"},
		{strings.Join(TopicsOfLanguage(""), " "), ""},
		{strings.Join(TopicsOfLanguage("-x"), " "), "language:-x"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// A topic is the same however its value is written, and never longer than allowed.
func TestTopicsAreNormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringN(200, 400, -1)).Draw(t, "value")
		topic := TopicOf(TopicSubject, value)
		if topic == "" {
			if strings.TrimSpace(value) != "" {
				t.Fatalf("%q has no topic", value)
			}
			return
		}
		_, normal, _ := strings.Cut(topic, ":")
		if len(normal) > MaxTopicValue || !utf8.ValidString(topic) || TopicOf(TopicSubject, normal) != topic {
			t.Fatalf("%q, and again %q", topic, TopicOf(TopicSubject, normal))
		}
		if slices.Contains(strings.Split(topic, ""), "\n") {
			t.Fatalf("%q has more than one line", topic)
		}
	})
}

func TestTopicsAreCutBetweenCharacters(t *testing.T) {
	for n := MaxTopicValue - 3; n <= MaxTopicValue+3; n++ {
		topic := TopicOf(TopicGUID, strings.Repeat("a", n-3)+"世界")
		if want := "guid:" + strings.Repeat("a", n-3) + "世界"; len(want) <= len("guid:")+MaxTopicValue &&
			topic != want || !utf8.ValidString(topic) {
			t.Errorf("%d bytes: %q", n, topic)
		}
	}
}
