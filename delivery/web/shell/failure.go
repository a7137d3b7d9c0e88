package shell

import (
	"errors"
	"net/http"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/web/wording"
)

// Failure is what the error page says.
type Failure struct {
	Status int
	Title  string
	Text   string
	Detail string // for 400 only: what was wrong with what was given
}

// Fail answers in plain words. What went wrong inside goes to the log, not to the page.
func (s Room) Fail(w http.ResponseWriter, r Request, err error) {
	f := explain(r.Words, err)
	// nobody listens any more, and whatever was under way may have failed of that
	if r.Context().Err() != nil && f.Status >= 500 {
		s.Log.Debug("a page was not waited for", "path", r.URL.Path, "error", err)
		return
	}
	if f.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", memory.RetryAfter)
	} else if f.Status >= 500 {
		s.Log.Error("page failed", "path", r.URL.Path, "error", err)
	}
	if Scripted(r) {
		http.Error(w, f.Title, f.Status)
		return
	}
	s.Show(w, r, f.Status, "failure", View{Title: f.Title, Body: f})
}

func explain(w wording.Words, err error) Failure {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, tidings.ErrNotFollowed):
		return Failure{Status: http.StatusNotFound, Title: w.Text("Not followed"),
			Text: w.Text("You do not follow this channel, or not any more. Add it again if you miss it.")}
	case errors.Is(err, tidings.ErrNotFound):
		return Failure{Status: http.StatusNotFound, Title: w.Text("Nothing here"),
			Text: w.Text(
				"There is no such page. The entry may have been cleared away because of its age, or the address is mistyped.")}
	case errors.Is(err, ErrAdministrators):
		return Failure{Status: http.StatusForbidden, Title: w.Text("For administrators"),
			Text: w.Text("Several people use this node, and this is for its administrators. Ask one of them.")}
	case errors.Is(err, tidings.ErrUnauthorized):
		return Failure{Status: http.StatusForbidden, Title: w.Text("Not allowed"),
			Text: w.Text("Your session does not allow this. Sign in and try again.")}
	case errors.Is(err, errSlow):
		return Failure{Status: http.StatusRequestTimeout, Title: w.Text("Too slow"),
			Text: w.Text("What you sent did not arrive in time. Try again where the connection is better.")}
	case errors.As(err, &tooLarge):
		return Failure{Status: http.StatusRequestEntityTooLarge, Title: w.Text("Too much at once"),
			Text: w.Text("What was sent is larger than %s.", w.Bytes(tooLarge.Limit))}
	case errors.Is(err, tidings.ErrInvalid):
		return Failure{Status: http.StatusBadRequest, Title: w.Text("That cannot be used"),
			Detail: wording.Plain(w.Explained(err), 500),
			Text:   w.Text("Something in what was sent makes no sense to this node. Go back, change it and try again.")}
	case errors.Is(err, tidings.ErrExists), errors.Is(err, tidings.ErrStale):
		return Failure{Status: http.StatusConflict, Title: w.Text("Already so"),
			Text: w.Text("What you wanted is so already, or has changed since you opened the page. Look at it again.")}
	case errors.Is(err, memory.ErrFull):
		return Failure{Status: http.StatusServiceUnavailable, Title: w.Text("Too much at once"),
			Text: w.Text(
				"Programs that are slow to send their requests, or to read their answers, hold the memory that the node has for both. Try again in ten seconds.")}
	default:
		return Failure{Status: http.StatusInternalServerError, Title: w.Text("Something went wrong"),
			Text: w.Text("The node could not do this. Nothing is lost; its log says why. Try again in a moment.")}
	}
}
