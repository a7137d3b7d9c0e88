package query_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/query"
)

var filterSeeds = []string{
	`headline REGEXP '(?i)\bgo 1\.\d+' AND NOT link LIKE 'https://example.org/%'`,
	`channel = 'The Times' OR channel NOT REGEXP '^https:'`,
	`age > 30 OR age IS NULL AND text regexp 'it''s'`,
	`byline NOT REGEXP '[a-z]{2,3}$'`,
}

// Any text is a condition of a filter, or has an error with a place inside it. The canonical form of a condition is the
// same condition and is true of the same articles. Every query is a condition of a filter.
func FuzzParseFilter(f *testing.F) {
	for _, s := range append(filterSeeds, seeds...) {
		if _, err := query.ParseFilter(s); err != nil {
			f.Fatalf("a seed is no condition: %v", err)
		}
		f.Add(s, "go 1.30", "some text")
	}
	for _, s := range []string{"headline REGEXP '('", "headline REGEXP '(a{1000}){1000}'", "headline REGEXP x",
		"age REGEXP '1'", "age = 'x'", "headline REGEXP ''''", "link REGEXP '\\C'"} {
		f.Add(s, "go", "")
	}
	f.Fuzz(func(t *testing.T, text, headline, body string) {
		article := func() *query.Item {
			return query.NewArticle(query.Article{News: tidings.News{Headline: headline}, Link: body, Channel: headline,
				Arrived: time.Unix(1e9, 0), Body: func() string { return body }})
		}
		q, err := query.ParseFilter(text)
		if err != nil {
			checkError(t, text, err)
			if _, err := query.Parse(text); err == nil {
				t.Errorf("%s is a query, and no condition of a filter", text)
			}
			return
		}
		again, err := query.ParseFilter(q.String())
		if err != nil || again.String() != q.String() {
			t.Fatalf("%s\nbecomes\n%s\n%v", text, q, err)
		}
		work, rest := int64(1<<40), int64(1<<40)
		matches, ok := q.MatchesFor(article(), &work)
		same, also := again.MatchesFor(article(), &rest)
		if matches != same || ok != also || work != rest || work > 1<<40 {
			t.Errorf("%s: %v, %v with %d left; canonical: %v, %v with %d left", text, matches, ok, work, same, also,
				rest)
		}
		none := int64(0)
		if matches, ok := q.MatchesFor(article(), &none); none < 0 || matches && !ok {
			t.Errorf("%s without work: %v, %v, %d left", text, matches, ok, none)
		}
	})
}

// What filters have is no part of queries: the network knows nothing of it.
func TestQueriesHaveNothingOfFilters(t *testing.T) {
	for _, s := range filterSeeds {
		if _, err := query.Parse(s); err == nil {
			t.Errorf("%s is a query", s)
		}
	}
	_, err := query.ParseFilter("title REGEXP 'x'")
	if err == nil || !strings.Contains(err.Error(), "did you mean headline?") {
		t.Error(err)
	}
	_, err = query.ParseFilter("url = 'x'")
	if err == nil || !strings.Contains(err.Error(), "did you mean link?") {
		t.Error(err)
	}
}

// The document lists the columns that filters have beside those of queries, and its conditions are conditions.
func TestFiltersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/filters.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range query.FilterColumns() {
		row := "| `" + c.Name + "` | " + string(c.Type) + " | " + c.Help + " | `" + c.Example + "` |"
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/filters.md lacks %s", row)
		}
		if _, err := query.ParseFilter(c.Example); err != nil {
			t.Errorf("the example of %s: %v", c.Name, err)
		}
	}
	about, _, _ := strings.Cut(string(text), "\n## What a filter does\n")
	conditions := regexp.MustCompile("(?m)^\\| `([^`]+ [^`]+)` \\|").FindAllStringSubmatch(about, -1)
	if len(conditions) < 5 {
		t.Errorf("there are %d conditions", len(conditions))
	}
	for _, c := range conditions {
		if _, err := query.ParseFilter(c[1]); err != nil {
			t.Error(err)
		}
	}
}

// hostile 90: an expression that would become a large program is refused before it becomes one.
func TestLargeExpressions(t *testing.T) {
	for _, large := range []string{strings.Repeat("x", 400) + "{1000}", "(" + strings.Repeat("ab|", 130) + "){900}",
		"((a{10}){10}){10}((a{10}){10}){10}((a{10}){10}){10}"} {
		taken := testing.Benchmark(func(b *testing.B) {
			for range b.N {
				if _, err := query.ParseFilter("headline REGEXP '" + large + "'"); err == nil {
					b.Fatalf("%s is an expression", large)
				}
			}
		})
		if taken.AllocedBytesPerOp() > 1<<20 {
			t.Errorf("%.20s takes %d bytes", large, taken.AllocedBytesPerOp())
		}
	}
	for _, small := range []string{`\p{L}+\d{2,3}`, "(a|b){100}", strings.Repeat("x", 500)} {
		if _, err := query.ParseFilter("headline REGEXP '" + small + "'"); err != nil {
			t.Errorf("%.20s: %v", small, err)
		}
	}
}

// An age is in whole days, and NULL without a date. A date after the arrival is none before it.
func TestAge(t *testing.T) {
	arrived := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		created   time.Time
		condition string
	}{
		{arrived.Add(-36 * time.Hour), "age = 1"}, {arrived.Add(time.Hour), "age = 0"},
		{arrived, "age IS NOT NULL AND NOT age > 0"}, {time.Time{}, "age IS NULL"},
	} {
		q, err := query.ParseFilter(test.condition)
		if err != nil {
			t.Fatal(err)
		}
		if !q.Matches(query.NewArticle(query.Article{News: tidings.News{Created: test.created}, Arrived: arrived})) {
			t.Errorf("%s is not true of %v", test.condition, test.created)
		}
	}
}

// The condition of a form is true of what its tests say: a text is contained whatever the case, signs stand for
// themselves, and a test that is negated holds where there is nothing to compare.
func TestFormsOfFilters(t *testing.T) {
	values := []string{"a", "B", "äb", "ÄB", "a%", "_", "it's", "(", `\`, "a b"}
	rapid.Check(t, func(t *rapid.T) {
		article := query.Article{News: tidings.News{
			Headline: maybe(t, values, "headline"), Byline: maybe(t, values, "byline"),
			Language: maybe(t, []string{"en", "en-GB", "de"}, "language"),
		}, Link: maybe(t, values, "link"), Channel: "https://example.org/feed", Title: maybe(t, values, "title")}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(values), 0, 2).Draw(t, "subjects") {
			article.Subjects = append(article.Subjects, tidings.Subject{Name: name})
		}
		var form tidings.FilterForm
		form.Any = rapid.Bool().Draw(t, "any")
		want := !form.Any
		for range rapid.IntRange(1, 3).Draw(t, "tests") {
			test := tidings.FilterTest{
				Field: rapid.SampledFrom([]tidings.FilterField{tidings.FieldTitle, tidings.FieldAuthor,
					tidings.FieldCategory, tidings.FieldLink, tidings.FieldChannel}).Draw(t, "field"),
				Not:   rapid.Bool().Draw(t, "not"),
				How:   rapid.SampledFrom([]tidings.FilterHow{tidings.HowContains, tidings.HowIs}).Draw(t, "how"),
				Value: rapid.SampledFrom(values).Draw(t, "value"),
			}
			form.Tests = append(form.Tests, test)
			if holds := modelOf(article, test) != test.Not; form.Any {
				want = want || holds
			} else {
				want = want && holds
			}
		}
		text, err := query.FilterText(form)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.ParseFilter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := q.Matches(query.NewArticle(article)); got != want {
			t.Errorf("%s is %v of %+v, want %v", text, got, article, want)
		}
	})
}

func modelOf(a query.Article, test tidings.FilterTest) bool {
	var texts []string
	switch test.Field {
	case tidings.FieldTitle:
		texts = []string{a.Headline}
	case tidings.FieldAuthor:
		texts = []string{a.Byline}
	case tidings.FieldLink:
		texts = []string{a.Link}
	case tidings.FieldChannel:
		texts = []string{a.Channel, a.Title}
	case tidings.FieldCategory:
		for _, s := range a.Subjects {
			texts = append(texts, s.Name)
		}
	}
	value := strings.ToLower(test.Value)
	for _, text := range texts {
		text = strings.ToLower(text)
		if text != "" &&
			(test.How == tidings.HowIs && text == value || test.How == tidings.HowContains && strings.Contains(text,
				value)) {
			return true
		}
	}
	return false
}

// What a form cannot ask is refused.
func TestFormsThatCannotBe(t *testing.T) {
	for name, f := range map[string]tidings.FilterForm{
		"field":      {Tests: []tidings.FilterTest{{Field: "king", How: tidings.HowIs, Value: "x"}}},
		"comparison": {Tests: []tidings.FilterTest{{Field: tidings.FieldTitle, How: "like", Value: "x"}}},
		"age is":     {Tests: []tidings.FilterTest{{Field: tidings.FieldAge, How: tidings.HowIs, Value: "3"}}},
		"more title": {Tests: []tidings.FilterTest{{Field: tidings.FieldTitle, How: tidings.HowMoreThan, Value: "3"}}},
		"age":        {Tests: []tidings.FilterTest{{Field: tidings.FieldAge, How: tidings.HowMoreThan, Value: "-3"}}},
		"many":       {Tests: make([]tidings.FilterTest, tidings.MaxFilterTests+1)},
	} {
		if text, err := query.FilterText(f); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text, err :=
		query.FilterText(
			tidings.FilterForm{Tests: []tidings.FilterTest{{Field: tidings.FieldTitle, How: tidings.HowIs,
				Value: " "}}}); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// Work is counted down in proportion to what is compared, and what exceeds it is no answer.
func TestWorkOfFilters(t *testing.T) {
	cost := func(condition string, length int) int64 {
		q, err := query.ParseFilter(condition)
		if err != nil {
			t.Fatal(err)
		}
		body := strings.Repeat("x", length)
		work := int64(1 << 40)
		if _, ok := q.MatchesFor(query.NewArticle(query.Article{Body: func() string { return body }, Size: length}),
			&work); !ok {
			t.Fatalf("%s was too much", condition)
		}
		return 1<<40 - work
	}
	if short, long := cost("text LIKE '%y%'", 1000), cost("text LIKE '%y%'", 100_000); long < 50*short {
		t.Errorf("%d for a short text, %d for a long one", short, long)
	}
	if text, expression := cost("text LIKE '%y%'", 10_000),
		cost("text REGEXP '(a|b){50}y'", 10_000); expression < 20*text {
		t.Errorf("%d for LIKE, %d for REGEXP", text, expression)
	}
	if long, longer := cost("text REGEXP 'y'", query.MaxSearched),
		cost("text REGEXP 'y'", 10*query.MaxSearched); longer-long > 9*query.MaxSearched*8+1000 {
		t.Errorf("an expression searches beyond its bound: %d, %d", long, longer)
	}
	q, err := query.ParseFilter("headline LIKE '%x%' OR text LIKE '%x%'")
	if err != nil {
		t.Fatal(err)
	}
	work := int64(100)
	if matches, ok :=
		q.MatchesFor(query.NewArticle(query.Article{News: tidings.News{Headline: strings.Repeat("y", 90)},
			Body: func() string { return "x" }}), &work); matches || ok || work != 0 {
		t.Errorf("%v, %v with %d left", matches, ok, work)
	}
}
