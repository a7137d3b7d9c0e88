package mail

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"log/slog"
	"net/http"

	"tidings"
	"tidings/delivery/locale"
)

// Recipients are the people that read mail at the addresses of targets. Both methods return tidings.ErrNotFound for a
// token that proves nothing, or no longer does. Called again, they do the same.
type Recipients interface {
	ConfirmByLink(ctx context.Context, token string) error
	StopByLink(ctx context.Context, token string) error
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="{{.Language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>body{font:18px/1.5 sans-serif;max-width:34em;margin:12vh auto;padding:0 20px}button{font:inherit;padding:.5em 1em}</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{- if .Button}}
<form method="post" action="?t={{.Token}}"><button>{{.Button}}</button></form>{{end}}
</main>
</body>
</html>
`))

// answerPage is a page for recipients.
type answerPage struct {
	Title, Text   string
	Button, Token string // "": there is nothing to do
	Language      string // its tag
}

// in returns the page in a language.
func (p answerPage) in(l *locale.Locale) answerPage {
	p.Title, p.Text, p.Language = l.Text(p.Title), l.Text(p.Text), l.Tag()
	if p.Button != "" {
		p.Button = l.Text(p.Button)
	}
	return p
}

// PageTexts returns the texts of Pages, as keys of files of texts.
func PageTexts() (all []string) {
	for _, p := range []answerPage{askConfirm, askStop, didConfirm, didStop, noLink, noAnswer} {
		if all = append(all, p.Title, p.Text); p.Button != "" {
			all = append(all, p.Button)
		}
	}
	return all
}

var (
	askConfirm = answerPage{Title: "Confirm your address",
		Text: "Updates will be sent to the address at which you got the link.", Button: "Confirm"}
	askStop = answerPage{Title: "Stop these mails?",
		Text: "No more mails of this kind come to the address at which you got the link.", Button: "Stop them"}
	didConfirm = answerPage{Title: "Your address is confirmed", Text: "You can close this page."}
	didStop    = answerPage{Title: "The mails are stopped", Text: "You can close this page."}
	noLink     = answerPage{Title: "This link is not valid",
		Text: "It may be of an address that was changed or removed since. " +
			"Then nothing is sent there any more."}
	noAnswer = answerPage{Title: "That did not work", Text: "Something is wrong at this node. Try again later."}
)

// Pages answers ConfirmPath and StopPath. GET shows a button, as mail programs and scanners follow links by themselves.
// POST does what the link is for: by the button, or by a mail program's own (RFC 8058, section 3.2). Its pages are in
// the language that the browser asks for.
func Pages(to Recipients, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, ask, did answerPage, do func(context.Context, string) error) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			ask := ask
			if ask.Token = r.URL.Query().Get("t"); !isToken(ask.Token) {
				show(w, r, http.StatusNotFound, noLink)
				return
			}
			show(w, r, http.StatusOK, ask)
		})
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			switch err := do(r.Context(), r.URL.Query().Get("t")); {
			case err == nil:
				show(w, r, http.StatusOK, did)
			case errors.Is(err, tidings.ErrNotFound):
				show(w, r, http.StatusNotFound, noLink)
			default:
				log.Error("a link of a mail had no effect", "error", err)
				show(w, r, http.StatusInternalServerError, noAnswer)
			}
		})
	}
	handle(ConfirmPath, askConfirm, didConfirm, to.ConfirmByLink)
	handle(StopPath, askStop, didStop, to.StopByLink)
	return mux
}

func isToken(token string) bool {
	_, _, ok := Named(token)
	return ok
}

func show(w http.ResponseWriter, r *http.Request, status int, p answerPage) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p.in(locale.Accepted(r.Header.Get("Accept-Language")))); err != nil {
		http.Error(w, noAnswer.Title, http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "+
		"base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address of the page is a secret
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // nobody waits for it otherwise
}
