package web

import (
	"errors"
	"fmt"
	"net/http"

	"tidings"
	"tidings/delivery/memory"
)

// failure is what the error page says.
type failure struct {
	Status int
	Title  string
	Text   string
	Detail string // for 400 only: what was wrong with what was given
}

// fail answers in plain words. What went wrong inside goes to the log, not to the page.
func (s *site) fail(w http.ResponseWriter, r request, err error) {
	f := explain(err)
	if r.Context().Err() != nil && f.Status >= 500 { // nobody listens any more, and whatever was under way may have failed of that
		s.log.Debug("a page was not waited for", "path", r.URL.Path, "error", err)
		return
	}
	if f.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", memory.RetryAfter)
	} else if f.Status >= 500 {
		s.log.Error("page failed", "path", r.URL.Path, "error", err)
	}
	if detached(r) {
		http.Error(w, f.Title, f.Status)
		return
	}
	s.show(w, r, f.Status, "failure", view{Title: f.Title, Body: f})
}

func explain(err error) failure {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, tidings.ErrNotFollowed):
		return failure{Status: http.StatusNotFound, Title: "Not followed",
			Text: "You do not follow this channel, or not any more. Add it again if you miss it."}
	case errors.Is(err, tidings.ErrNotFound):
		return failure{Status: http.StatusNotFound, Title: "Nothing here",
			Text: "There is no such page. The entry may have been cleared away because of its age, or the address has a slip in it."}
	case errors.Is(err, errAdministrators):
		return failure{Status: http.StatusForbidden, Title: "For administrators",
			Text: "Several people use this node, and this is for its administrators. Ask one of them."}
	case errors.Is(err, tidings.ErrUnauthorized):
		return failure{Status: http.StatusForbidden, Title: "Not allowed",
			Text: "Your session does not allow this. Sign in and try again."}
	case errors.Is(err, errSlow):
		return failure{Status: http.StatusRequestTimeout, Title: "Too slow",
			Text: "What you sent did not arrive in time. Try again where the connection is better."}
	case errors.As(err, &tooLarge):
		return failure{Status: http.StatusRequestEntityTooLarge, Title: "Too much at once",
			Text: fmt.Sprintf("What was sent is larger than %s.", bytesText(tooLarge.Limit))}
	case errors.Is(err, tidings.ErrInvalid):
		return failure{Status: http.StatusBadRequest, Title: "That cannot be used", Detail: plain(tidings.Explain(err), 500),
			Text: "Something in what was sent makes no sense to this node. Go back, change it and try again."}
	case errors.Is(err, tidings.ErrExists), errors.Is(err, tidings.ErrStale):
		return failure{Status: http.StatusConflict, Title: "Already so",
			Text: "What you wanted is so already, or has changed since you opened the page. Look at it again."}
	case errors.Is(err, memory.ErrFull):
		return failure{Status: http.StatusServiceUnavailable, Title: "Too much at once",
			Text: "Programs that are slow to send their requests, or to read their answers, hold the memory that the node has for both. Try again in ten seconds."}
	default:
		return failure{Status: http.StatusInternalServerError, Title: "Something went wrong",
			Text: "The node could not do this. Nothing is lost; its log says why. Try again in a moment."}
	}
}

func (s *site) nothingHere(http.ResponseWriter, request) error { return tidings.ErrNotFound }
