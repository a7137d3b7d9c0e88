package shell

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"tidings"

	"tidings/delivery/locale"
)

// languageCookie holds the tag of the language that was chosen last in a browser. It is for pages without a signed-in
// person.
const languageCookie = "tidings_language"

// languageOf returns the language in which a request is answered. It is the requester's choice, else the last choice in
// the browser, else the one that the browser asks for.
func (s Shell) languageOf(r Request) *locale.Locale {
	if r.Account != 0 {
		chosen, err := s.Preferences(r)
		if err != nil {
			s.unanswered(r, "the language of a page", err)
		}
		if l := locale.Tagged(chosen.Of(tidings.EveryView, tidings.PreferLanguage)); l != nil {
			return l
		}
	}
	if c, err := r.Cookie(languageCookie); err == nil {
		if l := locale.Tagged(c.Value); l != nil {
			return l
		}
	}
	return locale.Accepted(r.Header.Get("Accept-Language"))
}

// KeepLanguage has the browser keep a language by its tag for pages that nobody is signed in to see. With "auto" it
// keeps none.
func KeepLanguage(w http.ResponseWriter, tag string) {
	c := &http.Cookie{Name: languageCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if l := locale.Tagged(tag); l != nil {
		c.Value, c.MaxAge = l.Tag(), 400*24*3600
	}
	http.SetCookie(w, c)
}

// Scripts call t with a text, and plural with a number and two.
var (
	scriptText   = regexp.MustCompile(`\bt\(("(?:[^"\\]|\\.)*")\)`)
	scriptPlural = regexp.MustCompile(`\bplural\([^",]+, ("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\)`)
)

// ScriptTexts returns the texts of all scripts in English, and what they count.
func ScriptTexts() (texts []string, counted [][2]string) {
	unquote := func(quoted []byte) string {
		text, err := strconv.Unquote(string(quoted))
		if err != nil {
			return ""
		}
		return text
	}
	for _, a := range Assets {
		for _, m := range scriptText.FindAllSubmatch(a.Body, -1) {
			texts = append(texts, unquote(m[1]))
		}
		for _, m := range scriptPlural.FindAllSubmatch(a.Body, -1) {
			counted = append(counted, [2]string{unquote(m[1]), unquote(m[2])})
		}
	}
	return texts, counted
}

// scriptTexts returns the texts of all scripts in a language, by those of English, as JSON; "" for English.
func scriptTexts(l *locale.Locale) string {
	if l == locale.English {
		return ""
	}
	all := make(map[string]any)
	texts, counted := ScriptTexts()
	for _, english := range texts {
		if own := l.Text(english); own != english {
			all[english] = own
		}
	}
	for _, c := range counted {
		if forms := l.Forms(c[0], c[1]); forms != nil {
			all[c[0]+"|"+c[1]] = forms
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts can be written as JSON
	}
	return string(data)
}
