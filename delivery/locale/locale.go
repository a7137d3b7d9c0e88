package locale

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed texts/*.json
var files embed.FS

// Locale is a language with its numbers and dates. It never changes, so it can be used by many goroutines. The nil
// Locale is English.
type Locale struct {
	tag     language.Tag
	name    string
	texts   map[string]string
	forms   map[string]map[plural.Form]string // of what is counted
	months  []string                          // from January
	days    []string                          // from Sunday
	layouts map[string]string                 // of dates, by those of English
	reasons func() []reason                   // why things were not done; nil for English
	printer *message.Printer

	reasonTexts map[string]string // formats of reasons, by those of English
}

// file is what a file of texts holds.
type file struct {
	Name     string                       `json:"name"` // of the language, in itself
	Months   []string                     `json:"months"`
	Weekdays []string                     `json:"weekdays"` // from Sunday
	Dates    map[string]string            `json:"dates"`    // layouts of package time, by those of English
	Counted  map[string]map[string]string `json:"counted"`  // by "one|other" in English, then by plural form
	Texts    map[string]string            `json:"texts"`
	Reasons  map[string]string            `json:"reasons"`
}

// English is the language of code and templates.
var English = &Locale{tag: language.English, name: "English", printer: message.NewPrinter(language.English)}

// All returns the languages that there are, English first, then by name.
var All = sync.OnceValue(func() []*Locale {
	all := []*Locale{English}
	entries, err := files.ReadDir("texts")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		data, err := files.ReadFile("texts/" + e.Name())
		if err != nil {
			panic(err)
		}
		l, err := parse(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), data)
		if err != nil {
			panic(err) // a test reads all
		}
		all = append(all, l)
	}
	slices.SortFunc(all[1:], func(a, b *Locale) int { return cmp.Compare(a.name, b.name) })
	return all
})

// forms are the plural forms by their names in files.
var forms = map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few,
	"many": plural.Many, "other": plural.Other}

// parse reads a file of texts.
func parse(tag string, data []byte) (*Locale, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read the texts of %s: %w", tag, err)
	}
	t, err := language.Parse(tag)
	if err != nil {
		return nil, fmt.Errorf("a file of texts is named after no language: %w", err)
	}
	if f.Name == "" || len(f.Months) != 12 || len(f.Weekdays) != 7 {
		return nil, fmt.Errorf("the texts of %s need a name, twelve months and seven weekdays", tag)
	}
	l := &Locale{tag: t, name: f.Name, texts: f.Texts, months: f.Months, days: f.Weekdays, layouts: f.Dates,
		printer: message.NewPrinter(t),
		forms:   make(map[string]map[plural.Form]string), reasonTexts: f.Reasons}
	l.reasons = sync.OnceValue(func() []reason { return reasonsOf(f.Reasons) })
	for key, texts := range f.Counted {
		one, many, ok := strings.Cut(key, "|")
		if !ok || one == "" || many == "" {
			return nil, fmt.Errorf("the texts of %s count %q, which is not of the form one|many", tag, key)
		}
		of := make(map[plural.Form]string)
		for name, text := range texts {
			form, ok := forms[name]
			if !ok {
				return nil, fmt.Errorf("the texts of %s have the plural form %q of %q, which does not exist", tag, name,
					key)
			}
			of[form] = text
		}
		if of[plural.Other] == "" {
			return nil, fmt.Errorf("the texts of %s lack the plural form \"other\" of %q", tag, key)
		}
		l.forms[key] = of
	}
	for _, texts := range []map[string]string{f.Texts, f.Reasons} {
		for key, text := range texts {
			if err := sameParts(key, text); err != nil {
				return nil, fmt.Errorf("the texts of %s: %q: %w", tag, key, err)
			}
		}
	}
	return l, nil
}

// Tag returns the language's BCP 47 tag: "en", "de".
func (l *Locale) Tag() string {
	if l == nil {
		return "en"
	}
	return l.tag.String()
}

// Keys returns the English texts that the language has, and what it counts as "one|many", both sorted.
func (l *Locale) Keys() (texts, counted []string) {
	return slices.Sorted(maps.Keys(l.texts)), slices.Sorted(maps.Keys(l.forms))
}

// Name returns the language's name in itself: "English", "Deutsch".
func (l *Locale) Name() string {
	if l == nil {
		return English.name
	}
	return l.name
}

// Text returns a text that is written in English, in this language. With arguments it is a format of package fmt.
func (l *Locale) Text(english string, args ...any) string {
	text := english
	if l != nil {
		if own, ok := l.texts[english]; ok {
			text = own
		}
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Count returns how many there are of something: "1 item", "1,234 items".
func (l *Locale) Count(n int64, one, many string) string {
	return l.Number(n) + " " + l.Form(n, one, many)
}

// Form returns the one of two texts that stands beside a number, in this language.
func (l *Locale) Form(n int64, one, many string) string {
	if l != nil {
		if of, ok := l.forms[one+"|"+many]; ok {
			form := plural.Cardinal.MatchPlural(l.tag, int(min(max(n, -n), 1<<31-1)), 0, 0, 0, 0)
			return cmp.Or(of[form], of[plural.Other])
		}
	}
	if n == 1 {
		return one
	}
	return many
}

// Forms returns the texts that stand beside numbers, by plural form; nil where there are none but those of English.
func (l *Locale) Forms(one, many string) map[string]string {
	if l == nil || l.forms[one+"|"+many] == nil {
		return nil
	}
	all := make(map[string]string)
	for name, form := range forms {
		if text, ok := l.forms[one+"|"+many][form]; ok {
			all[name] = text
		}
	}
	return all
}

// Number returns a whole number with its digits grouped: "1,234".
func (l *Locale) Number(n int64) string {
	if l == nil {
		l = English
	}
	return l.printer.Sprintf("%d", n)
}

// Decimal returns a number with so many digits after its point.
func (l *Locale) Decimal(f float64, digits int) string {
	if l == nil {
		l = English
	}
	return l.printer.Sprintf("%.*f", digits, f)
}

// Date formats a time by a layout of package time as English has it: "Monday 2 January 2006".
func (l *Locale) Date(t time.Time, layout string) string {
	if l == nil || l.months == nil {
		return t.Format(layout)
	}
	if own, ok := l.layouts[layout]; ok {
		layout = own
	}
	text := t.Format(strings.NewReplacer("January", "\x01", "Jan", "\x02", "Monday", "\x03").Replace(layout))
	month, day := l.months[t.Month()-1], l.days[t.Weekday()]
	return strings.NewReplacer("\x01", month, "\x02", short(month), "\x03", day).Replace(text)
}

// short returns the first three letters of a month.
func short(month string) string {
	letters := []rune(month)
	return string(letters[:min(3, len(letters))])
}

// key is that of a context's Locale.
type key struct{}

// With returns a context with texts in a language.
func With(ctx context.Context, l *Locale) context.Context { return context.WithValue(ctx, key{}, l) }

// Of returns the language of a context; English if it has none.
func Of(ctx context.Context) *Locale {
	if l, ok := ctx.Value(key{}).(*Locale); ok && l != nil {
		return l
	}
	return English
}

// Tagged returns the language of a tag; nil if there is none.
func Tagged(tag string) *Locale {
	for _, l := range All() {
		if l.Tag() == tag {
			return l
		}
	}
	return nil
}

// maxAccepted bounds an Accept-Language header, in bytes.
const maxAccepted = 200

// Accepted returns the language that suits an Accept-Language header best (RFC 9110, section 12.5.4); English if none
// does.
func Accepted(header string) *Locale {
	if len(header) > maxAccepted {
		return English
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(wanted) == 0 {
		return English
	}
	_, i, confidence := matcher().Match(wanted...)
	if confidence < language.High {
		return English
	}
	return All()[i]
}

var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, l := range All() {
		tags = append(tags, l.tag)
	}
	return language.NewMatcher(tags)
})
