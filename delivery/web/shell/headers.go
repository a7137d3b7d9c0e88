package shell

import "net/http"

// Policy allows the page's own parts and nothing else. Trusted Types keep even the page's own script from turning text
// into markup, with two exceptions. One named policy accepts what the server rendered, and one names the worker for
// reading offline.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types tidings tidings-offline"

// WithHeaders sets what every answer carries.
func WithHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not "no-referrer": with that, browsers hide the origin of the page's own forms
		// too, by which the guard knows them. Other hosts learn nothing either way.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-DNS-Prefetch-Control", "off")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()")
		h.Set("Cache-Control", "private, no-store")
		next.ServeHTTP(w, r)
	})
}
