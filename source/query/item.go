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

	// Of articles alone. Their text is made when it is first looked at: then body is set nil.
	article Article
	channel []label
	body    func() string
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
	it := &Item{news: news, subjects: labelsOf(news.Subjects), places: labelsOf(news.Places)}
	it.setText(body)
	return it
}

func (it *Item) setText(body string) {
	var parts []string
	for _, part := range []string{it.news.Headline, body, it.news.Note} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	it.text = strings.Join(parts, "\n\n")
	it.lower = lowerText(it.text)
}

// whole returns the whole text.
func (it *Item) whole() string {
	if body := it.body; body != nil {
		it.body = nil
		it.setText(body())
	}
	return it.text
}

// inLower returns the whole text with its ASCII letters in lower case.
func (it *Item) inLower() string {
	it.whole()
	return it.lower
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
