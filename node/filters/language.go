package filters

import (
	"cmp"
	"strings"

	"tidings"
	"tidings/source/feed"
	"tidings/source/news"
	"tidings/source/query"
	"tidings/store/reader"
)

// Language is the language of conditions. Its zero value is ready.
type Language struct{}

// Compile reads a condition.
func (Language) Compile(text string) (reader.Condition, error) {
	q, err := query.ParseFilter(text)
	if err != nil {
		return nil, err
	}
	return condition{q}, nil
}

// Prepare makes an article ready to be compared with conditions.
func (Language) Prepare(a reader.Candidate) reader.Prepared {
	article := query.Article{
		News: news.Of(a.Channel, a.Title, a.Item), Link: a.Item.URL, Channel: a.Channel, Title: a.Title,
		Arrived: a.Arrived,
	}
	if a.Delta != "" { // of a page; it says what has changed
		article.Body, article.Size = func() string { return changed(a.Delta) }, len(a.Delta)
	} else {
		html := cmp.Or(a.Item.Content, a.Item.Summary)
		article.Body, article.Size = func() string { return feed.PlainText(html) }, len(html)
	}
	return query.NewArticle(article)
}

// changed returns the lines that a delta, as POSIX diff writes it, adds and removes.
func changed(delta string) string {
	var lines []string
	for line := range strings.Lines(delta) {
		if text, is := strings.CutPrefix(line, "> "); is {
			lines = append(lines, text)
		} else if text, is := strings.CutPrefix(line, "< "); is {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "")
}

type condition struct{ *query.Query }

func (c condition) Holds(article reader.Prepared, work *int64) (holds, ok bool) {
	item, is := article.(*query.Item)
	if !is {
		return false, true
	}
	return c.MatchesFor(item, work)
}

// candidate is an entry of a channel with a title as filters would have seen it when it came.
func candidate(e *tidings.Entry, title string) reader.Candidate {
	return reader.Candidate{Channel: e.Channel, Title: title, Item: e.Content, Delta: e.Delta, Arrived: e.Received}
}
