package locale

import (
	"strings"
	"testing"
)

// Reasons as the layers write them, and what a page in German shows.
func TestReason(t *testing.T) {
	l := Tagged("de")
	for english, want := range map[string]string{
		"":                             "",
		"the connection was refused":   "die Verbindung wurde abgelehnt",
		"origin.example: no such host": "origin.example: diesen Host gibt es nicht",
		"checking https://origin.example/feed: no such host": "Nachsehen bei https://origin.example/feed: diesen Host gibt es nicht",
		"origin.example answered 404 (Not Found)":            "origin.example antwortet mit 404 (Not Found)",
		"origin.example answered 401 (Unauthorized): it asks for a user name and password, or does not accept those given, and asks to wait 7 days": "origin.example antwortet mit 401 (Unauthorized): " +
			"Es verlangt Benutzername und Passwort, oder nimmt die angegebenen nicht an, und bittet um eine Pause von 7 Tagen",
		"its regular check, every 5 min":                                       "regelmäßig, im Abstand von 5 min",
		"another try after 2.5 h, because it went wrong twice in a row":        "neuer Versuch nach 2,5 h, weil es zweimal hintereinander schiefging",
		"another try after 36.5 days, because it went wrong 12 times in a row": "neuer Versuch nach 36,5 Tagen, weil es 12-mal hintereinander schiefging",
		"origin.example: its certificate expired on 3 March 2026":              "origin.example: sein Zertifikat ist abgelaufen: 3. März 2026",
		"reading page: nothing on the page matches --select: it is no web page and no JSON document": "Seite lesen: nichts auf der Seite passt zu --select: " +
			"Es ist weder eine Webseite noch ein JSON-Dokument",
		"--drop \"[\": not a CSS selector: expected identifier":                              "[--drop \"[\"]: kein CSS-Selektor: [expected identifier]",
		"the URL is missing: give the address of the server, such as https://gotify.example": "die URL fehlt: Gib an: die Adresse des Servers, etwa https://gotify.example",
		"you have 20 targets, and more are not possible: remove one first":                   "du hast 20 Ziele, mehr sind nicht möglich: Entferne erst eins",
		"expected AND, OR or the end, found the text 'a'":                                    "erwartet: AND, OR oder das Ende, gefunden: der Text 'a'",
		"what nobody has translated":                                                         "[what nobody has translated]",
		"a\x00: b":                                                                           "[a\x00: b]",
		"100%: no such host":                                                                 "100%: diesen Host gibt es nicht",

		"a login page stands in place of the page": "statt der Seite kommt eine Anmeldeseite",
		strings.Repeat("x", maxReason) + ": no such host": "[" +
			strings.Repeat("x", maxReason) + ": no such host]",
	} {
		var got strings.Builder
		for _, p := range l.Reason(english) {
			if p.English {
				got.WriteString("[" + p.Text + "]")
			} else {
				got.WriteString(p.Text)
			}
		}
		if got.String() != want {
			t.Errorf("%q\n is  %q,\nnot %q", english, got.String(), want)
		}
	}
	for _, english := range []*Locale{English, nil} {
		if got := english.Reason("no such host"); len(got) != 1 || got[0] != (Part{Text: "no such host"}) {
			t.Errorf("English has %v", got)
		}
	}
}

// What an origin can do with a text of its own: as long as can be, and made to match again and again.
func BenchmarkReason(b *testing.B) {
	for name, english := range map[string]string{
		"usual":   "checking https://origin.example/feed: origin.example answered 404 (Not Found)",
		"colons":  strings.Repeat(": ", maxReason/2),
		"reasons": strings.Repeat("no such host: ", maxReason/14),
		"parens":  strings.Repeat(" (", maxReason/3) + strings.Repeat(")", maxReason/3),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Tagged("de").Reason(english)
			}
		})
	}
}

func FuzzReason(f *testing.F) {
	l := Tagged("de")
	for _, english := range l.Reasons() {
		f.Add(strings.NewReplacer("%s", "x", "%d", "3", "%w", "no such host", "%%", "%").Replace(english))
	}
	f.Fuzz(func(t *testing.T, english string) {
		parts := l.Reason(english)
		if len(parts) == 1 && parts[0].English && parts[0].Text != english {
			t.Errorf("%q became %q", english, parts[0].Text)
		}
		for i, p := range parts {
			if p.Text == "" && english != "" || i > 0 && p.English == parts[i-1].English {
				t.Errorf("%q has the parts %+v", english, parts)
			}
		}
	})
}
