package query_test

import (
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/query"
)

func TestForm(t *testing.T) {
	for _, test := range []struct {
		form query.Form
		want string
	}{
		{query.Form{}, "TRUE"},
		{query.Form{Publisher: " Reuters ", Subject: "medtop:15000000", MaxUrgency: 3},
			"publisher = 'Reuters' AND subject = 'medtop:15000000' AND urgency <= 3"},
		{query.Form{Words: "it's 100% sure_"},
			`headline LIKE '%it''s%' AND headline LIKE '%100\%%' ESCAPE '\' AND headline LIKE '%sure\_%' ESCAPE '\'`},
		{query.Form{Language: "en"}, "(language = 'en' OR language LIKE 'en-%')"},
		{query.Form{Publisher: "O'Hara", Language: "de"},
			"publisher = 'O''Hara' AND (language = 'de' OR language LIKE 'de-%')"},
		{query.Form{Words: `\`}, `headline LIKE '%\\%' ESCAPE '\'`},
	} {
		if got := test.form.Query(); got != test.want {
			t.Errorf("%+v:\n%s\nwant:\n%s", test.form, got, test.want)
		}
	}
}

// Whatever is typed into a form is quoted so that it is a query, and stands for itself in it.
func TestFormIsAlwaysAQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.StringN(0, 20, 80)
		f := query.Form{Publisher: any.Draw(t, "publisher"), Subject: any.Draw(t, "subject"),
			Words: any.Draw(t, "words"), Language: any.Draw(t, "language"),
			MaxUrgency: rapid.IntRange(0, 9).Draw(t, "urgency")}
		q := parse(t, f.Query())
		news := tidings.News{Publisher: query.Clean(f.Publisher), Headline: "so " + query.Clean(f.Words), Urgency: 1,
			Language: query.Clean(f.Language)}
		if name := query.Clean(f.Subject); name != "" {
			news.Subjects = []tidings.Subject{{Name: name}}
		}
		if !q.Matches(query.NewItem(news, "")) {
			t.Errorf("%s does not match what it was made from", q)
		}
		if news.Language += "-x"; len(news.Language) > 2 && !q.Matches(query.NewItem(news, "")) {
			t.Errorf("%s does not match %s", q, news.Language)
		}
	})
}
