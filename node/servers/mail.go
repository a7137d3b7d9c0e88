package servers

import (
	"net/http"

	"tidings/delivery/mail"
)

// withMail answers what recipients of mails do by the links in them, and leaves all else to next. They are known by the
// signature of the link alone, without a session or password. A mail provider sends such requests for them, from
// anywhere (RFC 8058).
func (c Config) withMail(next http.Handler) http.Handler {
	if c.Notify == nil {
		return next
	}
	pages := mail.Pages(c.Notify, c.Log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case mail.ConfirmPath, mail.StopPath:
			pages.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
