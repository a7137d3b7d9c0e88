package auth

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
)

// notice is shown to a person that is refused: a heading and a paragraph.
type notice struct{ title, text string }

var (
	wrongHost = notice{"Not under this name",
		"This Tidings node does not know the host name in your address bar as its own. " +
			"Open it as localhost or by its address, or add the name to the hosts in its settings."}
	foreignRequest = notice{"Refused",
		"This request did not come from a page of this Tidings node, so it was not carried out. " +
			"Go back to the node's own page and try again there."}
	internalError = notice{"Something went wrong",
		"The node could not find out who is asking. Its log says why. Try again in a moment."}
	tooManyTokens = notice{"Too many attempts",
		"Too many wrong API tokens came from this address. Try again in a second."}
	tooManyRequests = notice{"Too many requests",
		"You send more requests than this node answers to one person. Try again in a moment."}
	signInFirst = notice{"Sign in first", "Sign in at the page, or send an API token: tidings token new makes one."}
	wrongToken  = notice{"Wrong token", "It was mistyped or revoked. Make another: tidings token new"}
)

// turnAway answers a request of nobody known.
func (g *Guard) turnAway(w http.ResponseWriter, r *http.Request) {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if wantsPage(r) {
		target := g.loginPath
		if safe && r.URL.Path != "/" {
			target += "?next=" + url.QueryEscape(r.URL.RequestURI())
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, target, http.StatusSeeOther)
		return
	}
	w.Header().Add("WWW-Authenticate", `Bearer realm="tidings"`)
	if !fromBrowser(r) && !strings.HasPrefix(r.URL.Path, "/api/") {
		// Feed readers send credentials only when asked. A browser would open a dialog.
		w.Header().Add("WWW-Authenticate", `Basic realm="tidings: any name, API token as password"`)
	}
	if _, sent := bearer(r); sent {
		refuse(w, r, http.StatusUnauthorized, "this API token is not valid", wrongToken)
		return
	}
	refuse(w, r, http.StatusUnauthorized, "a session or an API token is needed", signInFirst)
}

// refuse answers with status: a plain page for people, JSON for programs, with the notice's text as its hint.
func refuse(w http.ResponseWriter, r *http.Request, status int, reason string, n notice) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	if !wantsPage(r) {
		h.Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": reason, "hint": n.text})
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w,
		"<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"+
			"<title>%s</title><main><h1>%s</h1><p>%s</p></main></html>\n",
		html.EscapeString(n.title), html.EscapeString(n.title), html.EscapeString(n.text))
}

// wantsPage reports whether a person waits for a page to be shown.
func wantsPage(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") != "" || r.Header.Get("Origin") != "" ||
		strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/")
}

// clip bounds what a stranger gets into the log.
func clip(s string) string { return s[:min(len(s), 200)] }
