package locale

import (
	"strings"
	"testing"
	"time"
)

// texts is a file of texts for tests.
const texts = `{"name": "Testisch", "months": ["Jänner", "Feber", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"],
"weekdays": ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
"dates": {"2 Jan": "2. Jan", "Monday 2 January 2006": "Monday, 2. January 2006"},
"counted": {"item|items": {"one": "Beitrag", "other": "Beiträge"}},
"texts": {"Save": "Sichern", "%d of %d": "%[2]d, davon %[1]d", "See <a>Settings</a>, or {Name}.": "{Name}, oder siehe <a>Einstellungen</a>.",
"Close": "Schließen", "Look": "Nachsehen", "Sort by {ByDate} instead": "Stattdessen nach {ByDate} ordnen", "arrival": "Ankunft", "Star: {Title}": "Merken: {Title}",
"never": "nie", "{kbd} or {kbd2}": "{kbd} oder {kbd2}"}}`

func german(t *testing.T) *Locale {
	t.Helper()
	l, err := parse("de", []byte(texts))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTexts(t *testing.T) {
	l, at := german(t), time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC)
	for got, want := range map[string]string{
		l.Text("Save"):                              "Sichern",
		l.Text("Unknown"):                           "Unknown",
		l.Text("%d of %d", 3, 8):                    "8, davon 3",
		l.Count(1, "item", "items"):                 "1 Beitrag",
		l.Count(-1, "item", "items"):                "-1 Beitrag",
		l.Count(1234, "item", "items"):              "1.234 Beiträge",
		l.Count(1, "thing", "things"):               "1 thing",
		l.Count(2, "thing", "things"):               "2 things",
		l.Decimal(2.5, 1):                           "2,5",
		l.Date(at, "2 Jan"):                         "5. Jän",
		l.Date(at, "Monday 2 January 2006"):         "Montag, 5. Jänner 2026",
		l.Date(at, "2 January"):                     "5 Jänner",
		l.Name() + l.Tag():                          "Testischde",
		(*Locale)(nil).Name():                       "English",
		(*Locale)(nil).Count(1234, "item", "items"): "1,234 items",
		(*Locale)(nil).Date(at, "2 Jan"):            "5 Jan",
		English.Text("%d of %d", 3, 8):              "3 of 8",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A file that would show something wrong is not read.
func TestFilesAreChecked(t *testing.T) {
	for old, new := range map[string]string{
		`"Testisch"`: `""`, `"Sonntag", `: ``, `"item|items"`: `"items"`, `"other": "Beiträge"`: `"few": "Beiträge"`,
		`"one": "B`:    `"single": "B`,
		`{Name}, oder`: `{Nmae}, oder`, `Einstellungen</a>`: `Einstellungen`, `"Save"`: `Save`,
		`davon %[1]d`: `davon %[1]s`, `%[2]d, davon`: `Davon`,
	} {
		if _, err := parse("de", []byte(strings.Replace(texts, old, new, 1))); err == nil {
			t.Errorf("with %s in place of %s it is read", new, old)
		}
	}
	if _, err := parse("no language", []byte(texts)); err == nil {
		t.Error("a tag that is none is read")
	}
}

func TestAccepted(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-AT, en;q=0.5": "de", "fr, de;q=0.5": "de", "fr": "en", "en-GB, de": "en", ";;;": "en",
		"de, " + strings.Repeat("x", maxAccepted): "en",
	} {
		if got := Accepted(header).Tag(); got != want {
			t.Errorf("%.40q: %s, want %s", header, got, want)
		}
	}
}

func TestTemplates(t *testing.T) {
	l := german(t)
	for source, want := range map[string]string{
		`<p>Save</p>`:           `<p>Sichern</p>`,
		"<p>\n  Save\n</p>":     "<p>\n  Sichern\n</p>",
		`<p>Save it</p>`:        `<p>Save it</p>`,
		`<code>Save</code>`:     `<code>Save</code>`,
		`<!-- Save -->`:         `<!-- Save -->`,
		`<script>Save</script>`: `<script>Save</script>`,
		`{{/* Save */}}`:        `{{/* Save */}}`,
		`<b>Save</b>`:           `<b>Sichern</b>`, `<button class="Save">{{icon "Save"}} Save</button>`: `<button class="Save">{{icon "Save"}} Sichern</button>`,
		`<p>See <a href="/x{{if .A}}?a{{end}}">Settings</a>, or {{short .Name 60}}.</p>`: `<p>{{short .Name 60}}, oder siehe <a href="/x{{if .A}}?a{{end}}">Einstellungen</a>.</p>`,
		`<li><a href="/a">Save</a> <a href="/b">Close</a></li>`:                          `<li><a href="/a">Sichern</a> <a href="/b">Schließen</a></li>`,
		`{{define "x"}}{{if .A}}<p>Save</p>{{else}}Close{{end}}{{end}}`:                  `{{define "x"}}{{if .A}}<p>Sichern</p>{{else}}Schließen{{end}}{{end}}`,
		`<a title="Sort by {{if .ByDate}}arrival{{else}}date{{end}} instead">x</a>`:      `<a title="Stattdessen nach {{if .ByDate}}Ankunft{{else}}date{{end}} ordnen">x</a>`,
		`<button aria-label="Star: {{short .Title 60}}" name="Save">`:                    `<button aria-label="Merken: {{short .Title 60}}" name="Save">`,
		`<dt><kbd>Save</kbd> or <kbd>k</kbd></dt>`:                                       `<dt><kbd>Save</kbd> oder <kbd>k</kbd></dt>`,
		`{{$x := "}}"}}Save`: `{{$x := "}}"}}Sichern`,
		`<b>Save`:            `<b>Sichern`,
		`Save</b>`:           `Sichern</b>`,
		`{{end}}Save`:        `{{end}}Save`,
		`{{if .A}}Save`:      `{{if .A}}Sichern`,
		`a < b Save`:         `a < b Save`,
		`<p title="Save`:     `<p title="Sichern`,
	} {
		if got := l.Template(source); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestTextsOf(t *testing.T) {
	texts, counted :=
		TextsOf(`<p title="One">Two {{plural .N "item" "items"}} <b>three</b></p>{{t "Four"}}<i>{{plural (len .All) "a" "b"}}</i>`)
	if got := strings.Join(texts, ", ") + "; " +
		strings.Join(counted, ", "); got != "One, Two {N} <b>three</b>, Four; item|items, a|b" {
		t.Error(got)
	}
}

// Without texts of its own, a language leaves any template as it is, except for blanks. No source makes it fail.
func FuzzTemplate(f *testing.F) {
	for _, source := range []string{`<p>Save {{if .A}}x{{else}}y{{end}}</p>`, `<a title="{{"}}`,
		`{{define "x"}}<b>{{end}}</b>`, `<`, `{{`, `<!--`, `&amp;<kbd>`} {
		f.Add(source)
	}
	l, err := parse("de", []byte(texts))
	if err != nil {
		f.Fatal(err)
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	f.Fuzz(func(t *testing.T, source string) {
		l.Template(source)
		same := rewrite(source, func(key string) string { return key })
		if squeeze(same) != squeeze(source) {
			t.Errorf("%q became %q", source, same)
		}
	})
}
