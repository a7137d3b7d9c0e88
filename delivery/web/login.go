package web

import (
	"errors"
	"net/http"
	"strconv"

	"tidings/delivery/auth"
)

// signInPage is the form to sign in with.
type signInPage struct {
	Next       string
	Error      string
	NoPassword bool // none is set, so nobody can
	Throttled  bool // the password was not even tried
	Several    bool // people use the node, so that a name is needed
	Name       string
}

func (s *site) loginPage(w http.ResponseWriter, r request) error {
	next := localPath(r.FormValue("next"))
	if r.account != 0 {
		return seeOther(w, r, next)
	}
	set, err := s.guard.HasPassword(r.Context())
	if err != nil {
		return err
	}
	several, err := s.guard.Several(r.Context())
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "login", view{Title: "Sign in", Narrow: true, Body: signInPage{Next: next, NoPassword: !set, Several: several, Name: auth.OwnerName}})
	return nil
}

func (s *site) login(w http.ResponseWriter, r request) error {
	p := signInPage{Next: localPath(r.FormValue("next")), Name: fallback(r.field("name"), auth.OwnerName)}
	err := s.guard.SignIn(w, r.Request, p.Name, r.FormValue("password"))
	if err == nil {
		return seeOther(w, r, p.Next)
	}
	status := http.StatusUnauthorized
	if p.Throttled = errors.Is(err, auth.ErrTooManyAttempts); p.Throttled {
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", strconv.Itoa(int(auth.RetryAfter.Seconds())))
	}
	p.NoPassword = errors.Is(err, auth.ErrNoPassword)
	if p.Error = signInProblem(err); p.Error == "" && !p.NoPassword {
		return err
	}
	if p.Several, err = s.guard.Several(r.Context()); err != nil {
		return err
	}
	if p.Several && status == http.StatusUnauthorized && p.Error != "" {
		p.Error = "That is not a name and its password."
	}
	s.show(w, r, status, "login", view{Title: "Sign in", Narrow: true, Body: p})
	return nil
}

func (s *site) logout(w http.ResponseWriter, r request) error {
	if err := s.guard.SignOut(w, r.Request); err != nil {
		return err
	}
	return seeOther(w, r, "/login")
}
