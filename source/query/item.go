package query

import (
	"strings"

	"tidings"
)

// Item is a news item made ready to be matched against many queries.
type Item struct {
	news             tidings.News
	text             string // headline, body and note together
	lower            string // text with its ASCII letters in lower case
	subjects, places []label
}

// label is a subject or place: the forms in which a query can name it.
type label []string

// NewItem returns an item with a body of plain text. It shares the news' slices, which must not change afterwards.
func NewItem(news tidings.News, body string) *Item {
	if news.Status == "" {
		news.Status = tidings.Usable
	}
	if news.Urgency < mostUrgent || news.Urgency > leastUrgent {
		news.Urgency = usualUrgency
	}
	var parts []string
	for _, part := range []string{news.Headline, body, news.Note} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, "\n\n")
	return &Item{
		news:     news,
		text:     text,
		lower:    lowerText(text),
		subjects: labelsOf(news.Subjects),
		places:   labelsOf(news.Places),
	}
}

// What urgencies there are.
const (
	mostUrgent   = 1
	usualUrgency = 5 // of an item that has none
	leastUrgent  = 9
)

func labelsOf(subjects []tidings.Subject) []label {
	labels := make([]label, 0, len(subjects))
	for _, s := range subjects {
		if l := labelOf(s); len(l) > 0 {
			labels = append(labels, l)
		}
	}
	return labels
}

func labelOf(s tidings.Subject) (l label) {
	if s.Name != "" {
		l = append(l, s.Name)
	}
	if s.Code != "" {
		l = append(l, s.Code)
		if s.Scheme != "" {
			l = append(l, s.Scheme+":"+s.Code)
		}
	}
	return l
}
