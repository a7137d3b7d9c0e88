package query_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/news"
)

// What items and conditions are drawn from: few values, so that they often meet.
var (
	words = []string{"a", "A", "b", "ab", "aB", "é", "É", "Aé", "en", "en-GB", "EN-gb", "x:1", "X:1", "1", "it's",
		"a%", "a_b", "usable", "update", "-", "ba ab"}
	patterns = []string{"a", "A%", "%b", "%a%b%", "_", "__", "a_", "%é", "_é%", "É%", "en-%", "EN-%", "en%", "x:%", "%",
		"", "%%", "it's", "u%e", "%_a%", "_%b", "-%"}
	times = []string{"2026-11-24", "2026-11-24T00:00:00Z", "2026-11-24 01:00", "2026-11-24T01:00:00+01:00",
		"2026-11-25T12:30:00.5Z", "2025-01-01"}
	texts = []string{"guid", "publisher", "status", "signal", "language", "genre", "headline", "slugline", "byline",
		"note", "text"}
	instants = []string{"created", "revised", "embargo", "expires"}
	many     = []string{"subject", "place"}
)

func moment(s string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	panic(s)
}

// maybe draws one of the values or "".
func maybe(t *rapid.T, values []string, label string) string {
	if rapid.Bool().Draw(t, label+"?") {
		return ""
	}
	return rapid.SampledFrom(values).Draw(t, label)
}

func drawItem(t *rapid.T) (news tidings.News, body string) {
	for label, field := range map[string]*string{"guid": &news.GUID, "publisher": &news.Publisher,
		"language": &news.Language, "genre": &news.Genre,
		"headline": &news.Headline, "slugline": &news.Slugline, "byline": &news.Byline, "note": &news.Note,
		"body": &body} {
		*field = maybe(t, words, label)
	}
	news.Status = tidings.NewsStatus(maybe(t, []string{"usable", "canceled", "a"}, "status"))
	news.Signal = tidings.NewsSignal(maybe(t, []string{"update", "correction", "A"}, "signal"))
	news.Urgency = rapid.IntRange(-1, 11).Draw(t, "urgency")
	news.Version = rapid.IntRange(0, 3).Draw(t, "version")
	for label, field := range map[string]*time.Time{"created": &news.Created, "revised": &news.Revised,
		"embargo": &news.Embargo, "expires": &news.Expires} {
		if s := maybe(t, times, label); s != "" {
			*field = moment(s)
		}
	}
	subjects := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tidings.Subject {
		return tidings.Subject{Code: maybe(t, words, "code"), Scheme: maybe(t, []string{"x", "X", "y"}, "scheme"),
			Name: maybe(t, words, "name")}
	}), 0, 3)
	news.Subjects, news.Places = subjects.Draw(t, "subjects"), subjects.Draw(t, "places")
	return news, body
}

// condition is one in two notations: as a query, and as SQL over the tables of the oracle.
type condition struct{ query, sql string }

func drawCondition(t *rapid.T, depth int) condition {
	kind := rapid.IntRange(0, 8).Draw(t, "kind")
	if depth == 0 || kind < 4 {
		return drawComparison(t)
	}
	a := drawCondition(t, depth-1)
	switch kind {
	case 4:
		c := rapid.SampledFrom([]string{"TRUE", "FALSE"}).Draw(t, "constant")
		return condition{c, c}
	case 5, 6:
		return condition{"NOT (" + a.query + ")", "NOT (" + a.sql + ")"}
	}
	b, with := drawCondition(t, depth-1), rapid.SampledFrom([]string{"AND", "OR"}).Draw(t, "with")
	return condition{"(" + a.query + ") " + with + " (" + b.query + ")", "(" + a.sql + ") " + with + " (" + b.sql + ")"}
}

func drawComparison(t *rapid.T) condition {
	var column string
	var value func() (string, string) // in both notations
	same := func(s string) (string, string) { return s, s }
	isText := false
	switch rapid.IntRange(0, 5).Draw(t, "type") {
	case 0:
		column = rapid.SampledFrom([]string{"urgency", "version"}).Draw(t, "column")
		value = func() (string, string) { return same(fmt.Sprint(rapid.IntRange(-1, 11).Draw(t, "number"))) }
	case 1:
		column = rapid.SampledFrom(instants).Draw(t, "column")
		value = func() (string, string) {
			s := rapid.SampledFrom(times).Draw(t, "time")
			return quoted(s), quoted(stored(moment(s)))
		}
	case 2, 3:
		column, isText = rapid.SampledFrom(many).Draw(t, "column"), true
	default:
		column, isText = rapid.SampledFrom(texts).Draw(t, "column"), true
	}
	if isText {
		value = func() (string, string) { return same(quoted(rapid.SampledFrom(words).Draw(t, "text"))) }
	}
	negated := rapid.Bool().Draw(t, "negated")
	left, positive := column, ""
	if column == "subject" || column == "place" {
		left = "form"
	}
	op := rapid.IntRange(0, 9).Draw(t, "operator")
	if !isText && op >= 8 {
		op = 0
	}
	v, w := value()
	var query string
	not := map[bool]string{true: "NOT ", false: ""}[negated]
	switch op {
	case 0, 1, 2:
		sign := map[bool]string{true: "<>", false: "="}[negated]
		query, positive = column+" "+sign+" "+v, left+" = "+w
	case 3:
		sign := rapid.SampledFrom([]string{"<", "<=", ">", ">="}).Draw(t, "sign")
		query, positive, negated = column+" "+sign+" "+v, left+" "+sign+" "+w, false
	case 4:
		if left == "form" {
			return condition{column + " IS " + not + "NULL", map[bool]string{true: "", false: "NOT "}[negated] +
				"EXISTS (SELECT 1 FROM " + column + ")"}
		}
		return condition{column + " IS " + not + "NULL", column + " IS " + not + "NULL"}
	case 5:
		v2, w2 := value()
		query, positive = column+" "+not+"BETWEEN "+v+" AND "+v2, left+" BETWEEN "+w+" AND "+w2
	case 6, 7:
		v2, w2 := value()
		query, positive = column+" "+not+"IN ("+v+", "+v2+")", left+" IN ("+w+", "+w2+")"
	default:
		p := quoted(rapid.SampledFrom(patterns).Draw(t, "pattern"))
		if rapid.Bool().Draw(t, "escaped") {
			p = quoted(strings.ReplaceAll(strings.Trim(p, "'"), "a", "!a")+"!%") + " ESCAPE '!'"
		}
		query, positive = column+" "+not+"LIKE "+p, left+" LIKE "+p
	}
	return condition{query, overForms(column, left, positive, negated)}
}

// overForms returns a comparison in SQL. One with a subject or place asks about the forms of each.
func overForms(column, left, positive string, negated bool) string {
	switch {
	case left == "form" && negated:
		return "EXISTS (SELECT 1 FROM " + column + " AS s WHERE NOT EXISTS (SELECT 1 FROM " + column +
			" AS f WHERE f.id = s.id AND " + positive + "))"
	case left == "form":
		return "EXISTS (SELECT 1 FROM " + column + " WHERE " + positive + ")"
	case negated:
		return "NOT (" + positive + ")"
	}
	return positive
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// stored returns a time as the oracle keeps it, so that texts are in the order of times.
func stored(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// topicsOf returns the topics that an item carries.
func topicsOf(item tidings.News) map[string]bool {
	topics := make(map[string]bool)
	for _, t := range news.Topics(item) {
		topics[t] = true
	}
	return topics
}

func forms(s tidings.Subject) []string {
	switch {
	case s.Code == "":
		return []string{s.Name}
	case s.Scheme == "":
		return []string{s.Name, s.Code}
	}
	return []string{s.Name, s.Code, s.Scheme + ":" + s.Code}
}

type defaulted struct {
	status  string
	urgency int
}

func withDefaults(news tidings.News) defaulted {
	d := defaulted{string(news.Status), news.Urgency}
	if d.status == "" {
		d.status = "usable"
	}
	if d.urgency < 1 || d.urgency > 9 {
		d.urgency = 5
	}
	return d
}
