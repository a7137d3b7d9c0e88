package notify

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

var discard = log.New(io.Discard, "", 0)

// TestNoErrorHasASecret lets servers repeat everything that they were sent, in every way, with every status.
func TestNoErrorHasASecret(t *testing.T) {
	var status int
	var wrap func(string) string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		all := r.RequestURI + " " + fmt.Sprint(r.Header) + " " + bodyOf(t, r)
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); ok {
			password, _ := base64.StdEncoding.DecodeString(token)
			all += string(password)
		}
		w.Header().Set("Location", r.URL.Path)
		if r.URL.Query().Get("wrap") == "" {
			w.Header().Set("Location", "https://other.example"+r.RequestURI)
		}
		w.WriteHeader(status)
		io.WriteString(w, wrap(all))
	})
	wraps := map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"JSON": func(s string) string {
			b, _ := json.Marshal(map[string]string{"description": s})
			return string(b)
		},
		"HTML":    html.EscapeString,
		"URL":     url.QueryEscape,
		"spread":  func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
		"at last": func(s string) string { return strings.Repeat("no ", 60) + s },
	}
	n := testNotifier()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		status = rapid.IntRange(200, 599).Draw(t, "status")
		wrap = wraps[rapid.SampledFrom([]string{"as it is", "JSON", "HTML", "URL", "spread",
			"at last"}).Draw(t, "wrap")]
		target := testTarget(kind, server.URL)
		secrets := []string{target.Secret, "genericToken99", "discord-token_Abc", "slackTokenXyz", "queryToken77",
			"subscription-Xyz1"}
		switch kind {
		case tidings.Ntfy:
			if rapid.Bool().Draw(t, "password") {
				target.Secret = "me:" + rapid.StringMatching(`pass[!-~]{8,20}`).Draw(t, "password")
				secrets = append(secrets, target.Secret[3:], base64.StdEncoding.EncodeToString([]byte(target.Secret)))
			}
		case tidings.Gotify, tidings.Matrix:
			target.Secret = rapid.StringMatching(`[!-~]{8,40}`).Draw(t, "secret")
			secrets[0] = target.Secret
		case tidings.Webhook, tidings.Generic:
			target.URL = server.URL + "/hook?token=queryToken77"
			if rapid.Bool().Draw(t, "unreachable") {
				target.URL = "http://127.0.0.1:1/hook?token=queryToken77"
			}
		}
		err := n.Send(t.Context(), target, testMessages()[0])
		if err == nil {
			return
		}
		for _, secret := range secrets {
			if secret == "" {
				continue
			}
			for _, form := range []string{secret, html.EscapeString(secret), url.QueryEscape(secret),
				inJSON(secret)} {
				if strings.Contains(err.Error(), form) {
					t.Fatalf("%q is in %q", form, err)
				}
			}
		}
	})
}

// TestRedaction goes through the forms of a secret, and cuts an answer in each place of one.
func TestRedaction(t *testing.T) {
	const secret = `me:p+a"ss<&>/wo rd\`
	target := tidings.Target{Kind: tidings.Ntfy, Secret: secret}
	hidden := secretsOf(target)
	markup, _ := json.Marshal(secret)
	for _, form := range []string{secret, secret[3:], url.QueryEscape(secret), url.PathEscape(secret),
		inJSON(secret), html.EscapeString(secret),
		string(markup[1 : len(markup)-1]), base64.StdEncoding.EncodeToString([]byte(secret))} {
		if got := redact("a "+form+" b", hidden); got != "a "+dots+" b" {
			t.Errorf("%q became %q", form, got)
		}
	}
	target.Secret = "sesame-open-sesame"
	for before := range 2 * maxReason {
		a := &answer{status: 500, body: []byte(strings.Repeat("x", before) + target.Secret)}
		if err := testNotifier().judge(a, nil, secretsOf(target)); strings.Contains(err.Error(), "ses") {
			t.Fatalf("after %d characters: %v", before, err)
		}
	}
}
