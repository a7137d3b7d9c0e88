package fetch

import (
	"bytes"
	"net/http"
	"strings"
)

// headerMarks are headers by which the usual guards of web sites say that they stepped
// in. An empty value matches any.
var headerMarks = []struct{ name, value string }{
	{"Cf-Mitigated", "challenge"},
	{"X-Amzn-Waf-Action", ""},
	{"X-Vercel-Mitigated", "challenge"},
	{"X-Datadome", ""},
	{"X-Dd-B", ""},
	{"X-Sucuri-Block", ""},
}

// bodyMarks are words of their pages, in lower case.
var bodyMarks = []struct{ words, mark string }{
	{"<title>just a moment...</title>", "Cloudflare"},
	{"/cdn-cgi/challenge-platform/", "Cloudflare"},
	{"captcha-delivery.com", "DataDome"},
	{"_incapsula_resource", "Imperva"},
	{"px-captcha", "PerimeterX"},
	{"errors.edgesuite.net", "Akamai"},
	{"making sure you&#39;re not a bot", "Anubis"},
	{"making sure you're not a bot", "Anubis"},
	{"ddos-guard", "DDoS-Guard"},
	{"checking your browser before accessing", "a browser check"},
	{"awswafcookiedomainlist", "AWS WAF"},
}

// mayChallenge reports whether an answer of this status can be a challenge at all.
func mayChallenge(status int) bool {
	switch status {
	case 202, 401, 403, 405, 429, 503:
		return true
	}
	return false
}

// challengeMark names what gives an answer away as a challenge; empty if nothing does.
// The start of the body is looked at too.
func challengeMark(status int, h http.Header, start []byte) string {
	// This one is sent with any status, and never with a document.
	if strings.EqualFold(h.Get("Cf-Mitigated"), "challenge") {
		return "cf-mitigated"
	}
	if !mayChallenge(status) {
		return softChallenge(h, start)
	}
	for _, m := range headerMarks {
		if v := h.Get(m.name); v != "" && (m.value == "" || strings.EqualFold(v, m.value)) {
			return strings.ToLower(m.name)
		}
	}
	low := bytes.ToLower(start)
	for _, m := range bodyMarks {
		if bytes.Contains(low, []byte(m.words)) {
			return m.mark
		}
	}
	return ""
}

// softChallenge knows the guard that answers 200: it sets its cookie, and its page has
// its title at the top.
func softChallenge(h http.Header, start []byte) string {
	for _, cookie := range h["Set-Cookie"] {
		if strings.Contains(cookie, "anubis") && bytes.Contains(start[:min(len(start), 4<<10)], []byte("not a bot")) {
			return "Anubis"
		}
	}
	return ""
}
