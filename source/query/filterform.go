package query

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tidings"
)

// columnsOfFields are the columns that the fields of a form stand for.
var columnsOfFields = map[tidings.FilterField]string{
	tidings.FieldTitle: "headline", tidings.FieldText: wholeText, tidings.FieldAuthor: "byline",
	tidings.FieldCategory: "subject",
	tidings.FieldLink:     "link", tidings.FieldChannel: "channel", tidings.FieldLanguage: "language",
	tidings.FieldAge: "age",
}

// FilterText returns the condition that a form stands for, as text; "" if nothing is filled in. What a form cannot ask
// is tidings.ErrInvalid. A form that is too long gives a text that ParseFilter refuses.
func FilterText(f tidings.FilterForm) (string, error) {
	if len(f.Tests) > tidings.MaxFilterTests {
		return "", tidings.Invalidf("a form has %d tests, and at most %d are possible", len(f.Tests),
			tidings.MaxFilterTests)
	}
	var list []string
	for _, test := range f.Tests {
		text, err := testText(test)
		if err != nil {
			return "", err
		}
		if text != "" {
			list = append(list, text)
		}
	}
	with := " AND "
	if f.Any {
		with = " OR "
	}
	return strings.Join(list, with), nil
}

func testText(t tidings.FilterTest) (string, error) {
	column, known := columnsOfFields[t.Field]
	value := clean(t.Value)
	switch {
	case !known:
		return "", tidings.Invalidf("there is no field %s", tidings.Quote(string(t.Field)))
	case value == "":
		return "", nil
	case (t.Field == tidings.FieldAge) != (t.How == tidings.HowMoreThan):
		return "", tidings.Invalidf("%s cannot be compared by %s", t.Field, tidings.Quote(string(t.How)))
	}
	text, err := comparisonText(column, t.How, value)
	if err != nil || !t.Not {
		return text, err
	}
	if slices.Contains([]tidings.FilterField{tidings.FieldCategory, tidings.FieldChannel}, t.Field) { // never NULL
		return "NOT (" + text + ")", nil
	}
	return "(" + column + " IS NULL OR NOT (" + text + "))", nil
}

func comparisonText(column string, how tidings.FilterHow, value string) (string, error) {
	switch how {
	case tidings.HowContains, tidings.HowIs:
		if how == tidings.HowIs && isASCII(value) && dialect(true).column(column).NoCase {
			return column + " = " + quote(value), nil
		}
		before, after := "%", "%"
		if how == tidings.HowIs {
			before, after = "", ""
		}
		if column == "language" && how == tidings.HowIs { // en includes en-GB
			return "(language = " + quote(value) + " OR language LIKE " + likePattern("", value, "-%") + ")", nil
		}
		if !isASCII(value) { // LIKE knows the case of ASCII letters alone
			pattern := regexp.QuoteMeta(value)
			if how == tidings.HowIs {
				pattern = `\A` + pattern + `\z`
			}
			return column + " REGEXP " + quote("(?i)"+pattern), nil
		}
		return column + " LIKE " + likePattern(before, value, after), nil
	case tidings.HowMatches:
		return column + " REGEXP " + quote(value), nil
	case tidings.HowMoreThan:
		days, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return "", tidings.Invalidf("the age is %s, and must be a number of days", tidings.Quote(value))
		}
		return column + " > " + strconv.FormatUint(days, 10), nil
	}
	return "", tidings.Invalidf("there is no comparison %s", tidings.Quote(string(how)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
