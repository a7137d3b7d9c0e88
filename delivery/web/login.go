package web

import (
	"errors"
	"net/http"
	"strconv"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/openid"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// signInPage is the form to sign in with.
type signInPage struct {
	Next       string
	Error      string
	NoPassword bool // none is set, so nobody can
	Throttled  bool // the password was not even tried
	Several    bool // people use the node, so that a name is needed
	Name       string
	Passkey    bool   // somebody can sign in by one here
	Provider   string // name of the provider that signs people in, too; "": there is none
}

func (s *site) loginPage(w http.ResponseWriter, r shell.Request) error {
	next := shell.LocalPath(r.FormValue("next"))
	if r.Account != 0 {
		return shell.SeeOther(w, r, next)
	}
	return showSignIn(s, w, r, http.StatusOK, signInPage{Next: next})
}

// showSignIn shows the form to sign in with.
func showSignIn(s *site, w http.ResponseWriter, r shell.Request, status int, p signInPage) error {
	set, err := s.guard.HasPassword(r.Context())
	if err != nil {
		return err
	}
	if p.Several, err = s.guard.Several(r.Context()); err != nil {
		return err
	}
	if p.Passkey, err = offersPasskey(s, r); err != nil {
		return err
	}
	p.NoPassword, p.Name = p.NoPassword || !set, wording.Fallback(p.Name, auth.OwnerName)
	if s.provider != nil {
		p.Provider = s.provider.Name()
	}
	s.Show(w, r, status, "login", shell.View{Title: r.Words.Text("Sign in"), Narrow: true, Body: p})
	return nil
}

func (s *site) login(w http.ResponseWriter, r shell.Request) error {
	p := signInPage{Next: shell.LocalPath(r.FormValue("next")), Name: wording.Fallback(r.Field("name"), auth.OwnerName)}
	err := s.guard.SignIn(w, r.Request, p.Name, r.FormValue("password"))
	if err == nil {
		if s.provider != nil {
			s.provider.Forget(w, r.Request)
		}
		return shell.SeeOther(w, r, p.Next)
	}
	status := http.StatusUnauthorized
	if p.Throttled = errors.Is(err, auth.ErrTooManyAttempts); p.Throttled {
		status = tooMany(w)
	}
	p.NoPassword = errors.Is(err, auth.ErrNoPassword)
	if p.Error = signInProblem(r.Words, err); p.Error == "" && !p.NoPassword {
		return err
	}
	if p.Several, err = s.guard.Several(r.Context()); err != nil {
		return err
	}
	if p.Several && status == http.StatusUnauthorized && p.Error != "" {
		p.Error = r.Words.Text("That is not a name and its password.")
	}
	return showSignIn(s, w, r, status, p)
}

// tooMany says when to try again, and returns the status that goes with it.
func tooMany(w http.ResponseWriter) int {
	w.Header().Set("Retry-After", strconv.Itoa(int(auth.RetryAfter.Seconds())))
	return http.StatusTooManyRequests
}

// goingOn is a page that leads the browser on. A redirect does not work in two cases. After a redirect from another
// site the browser does not send the session's cookie, which is SameSite=Strict. From a form the policy forbids a
// redirect to another site.
type goingOn struct{ Text, To, Link string }

func showGoingOn(s *site, w http.ResponseWriter, r shell.Request, title string, p goingOn) error {
	r.Account = 0 // the page is nobody's: it does not know the person yet, or any more
	s.Show(w, r, http.StatusOK, "going-on", shell.View{Title: title, Narrow: true, Refresh: p.To, Body: p})
	return nil
}

// offersPasskey reports whether somebody can sign in by a passkey where the request reaches the node.
func offersPasskey(s *site, r shell.Request) (bool, error) {
	if s.passkeys == nil {
		return false, nil
	}
	return s.passkeys.Offered(r.Request)
}

// beginSignIn leads to the provider.
func beginSignIn(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.provider == nil {
			return tidings.ErrNotFound
		}
		next := shell.LocalPath(r.FormValue("next"))
		location, err := s.provider.Begin(w, r.Request, next)
		if err != nil {
			return showProviderProblem(s, w, r, next, err)
		}
		http.Redirect(w, r.Request, location, http.StatusSeeOther)
		return nil
	}
}

// finishSignIn is where the provider sends the browser back to.
func finishSignIn(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.provider == nil {
			return tidings.ErrNotFound
		}
		next, err := s.provider.Finish(w, r.Request)
		if next = shell.LocalPath(next); err != nil {
			return showProviderProblem(s, w, r, next, err)
		}
		return showGoingOn(s, w, r, r.Words.Text("Signed in"),
			goingOn{r.Words.Text("You are signed in."), next, r.Words.Text("Go on")})
	}
}

// showProviderProblem says on the form why the provider has signed nobody in.
func showProviderProblem(s *site, w http.ResponseWriter, r shell.Request, next string, err error) error {
	status, text := providerProblem(r.Words, err, s.provider.Name())
	switch {
	case errors.Is(err, auth.ErrProxySignsIn):
		return tidings.ErrNotFound // there is one way to sign in there, and it is the proxy's
	case text == "":
		return err
	case status == http.StatusTooManyRequests:
		tooMany(w)
	}
	s.Log.Warn("a provider signed nobody in", "error", err)
	r.Account = 0
	return showSignIn(s, w, r, status, signInPage{Next: next, Error: text})
}

// providerProblem says in a sentence why a provider has signed nobody in, or "" if that is the node's fault.
func providerProblem(w wording.Words, err error, name string) (status int, text string) {
	switch {
	case errors.Is(err, auth.ErrTooManyAttempts):
		return http.StatusTooManyRequests, signInProblem(w, err)
	case errors.Is(err, openid.ErrBusy):
		return http.StatusServiceUnavailable, w.Text("Many people sign in at the moment. Try again in ten seconds.")
	case errors.Is(err, openid.ErrNoAnswer):
		return http.StatusBadGateway,
			w.Text("%s does not answer as it should. Try again later, or sign in with your password.", name)
	case errors.Is(err, openid.ErrNotBegun):
		return http.StatusBadRequest,
			w.Text("This sign-in was not begun in this browser, or took more than ten minutes. Begin again.")
	case errors.Is(err, openid.ErrDenied):
		return http.StatusUnauthorized, w.Text("%s did not sign you in.", name)
	case errors.Is(err, openid.ErrInvalid):
		return http.StatusBadGateway,
			w.Text("%s sent an answer that proves nothing. Begin again; if that does not help, ask an administrator of this node.", name)
	case errors.Is(err, openid.ErrNoRole):
		return http.StatusForbidden, w.Text("%s says that you are in none of the groups that may use this node.", name)
	case errors.Is(err, openid.ErrUnknown):
		return http.StatusForbidden,
			w.Text("You are signed in at %s, but nobody of your name uses this node. An administrator of the node can add you.", name)
	case errors.Is(err, openid.ErrTaken):
		return http.StatusForbidden,
			w.Text("Somebody of your name uses this node with a password. If that is you, sign in with it.")
	case errors.Is(err, tidings.ErrInvalid):
		return http.StatusForbidden, wording.Sentence(w.Reasoned(err), 300) + "."
	}
	return 0, ""
}

func (s *site) logout(w http.ResponseWriter, r shell.Request) error {
	if err := s.guard.SignOut(w, r.Request); err != nil {
		return err
	}
	if s.provider != nil {
		if location := s.provider.End(w, r.Request); location != "" {
			name := s.provider.Name()
			return showGoingOn(s, w, r, r.Words.Text("Signed out"),
				goingOn{r.Words.Text("You are signed out here."), location, r.Words.Text("Sign out at %s, too", name)})
		}
	}
	return shell.SeeOther(w, r, "/login")
}
