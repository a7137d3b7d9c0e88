package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/auth"
)

// People are the persons that use the node.
type People interface {
	People(ctx context.Context) ([]tidings.Person, error)
	Account(ctx context.Context, name string) (account tidings.AccountID, passwordHash string, err error)
	Person(ctx context.Context, account tidings.AccountID) (tidings.Person, error)
	AddPerson(ctx context.Context, name string, role tidings.Role, passwordHash string) (tidings.Person, error)
	SetRole(ctx context.Context, account tidings.AccountID, role tidings.Role) error
	SetPasswordHash(ctx context.Context, account tidings.AccountID, hash string) error
	RemovePerson(ctx context.Context, account tidings.AccountID) error

	Sessions(ctx context.Context, account tidings.AccountID) ([]tidings.Session, error)
	EndSession(ctx context.Context, account tidings.AccountID, id string) error
}

// peopleList lists the persons of the node, as administrators see them: nothing of what they read.
type peopleList struct {
	People      []tidings.Person
	Me          tidings.AccountID
	Lonely      bool // the owner has no password, so nobody can be added
	MinPassword int
	Problem     string // why somebody was not added, or not given a password
	Name        string // that was given
}

func peoplePage(s *site) handler {
	return func(w http.ResponseWriter, r request) error { return showPeople(s, w, r, http.StatusOK, peopleList{}) }
}

func showPeople(s *site, w http.ResponseWriter, r request, status int, p peopleList) error {
	if s.people == nil {
		return tidings.ErrNotFound
	}
	var err error
	if p.People, err = s.people.People(r.Context()); err != nil {
		return err
	}
	set, err := s.guard.HasPassword(r.Context())
	if err != nil {
		return err
	}
	p.Me, p.Lonely, p.MinPassword = r.account, !set, auth.MinPassword
	s.show(w, r, status, "people", view{Title: "People", Section: "settings", Said: said(r), Body: p})
	return nil
}

func addPerson(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		if s.people == nil {
			return tidings.ErrNotFound
		}
		name := r.field("name")
		err := tidings.ValidatePersonName(name)
		if err == nil {
			var hash string
			if hash, err = auth.HashPassword(r.FormValue("password")); err == nil {
				_, err = s.people.AddPerson(r.Context(), name, tidings.Role(r.FormValue("role")), hash)
			}
		}
		if why := personProblem(err); why != "" {
			return showPeople(s, w, r, http.StatusUnprocessableEntity, peopleList{Problem: why, Name: name})
		}
		if err != nil {
			return err
		}
		return seeOther(w, r, "/people?said=added")
	}
}

// personProblem says in a sentence what an administrator can mend, or "".
func personProblem(err error) string {
	switch {
	case errors.Is(err, tidings.ErrExists):
		return "There is somebody of that name."
	case errors.Is(err, tidings.ErrInvalid):
		return sentence(tidings.Reason(err), 300) + "."
	}
	return signInProblem(err)
}

// personOf returns the account of the person that a form is about.
func personOf(s *site, r request, name string) (tidings.AccountID, error) {
	if s.people == nil {
		return 0, tidings.ErrNotFound
	}
	account, _, err := s.people.Account(r.Context(), name)
	return account, err
}

func setRole(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		account, err := personOf(s, r, r.field("name"))
		if err != nil {
			return err
		}
		if err := s.people.SetRole(r.Context(), account, tidings.Role(r.FormValue("role"))); err != nil {
			return err
		}
		return seeOther(w, r, "/people?said=role")
	}
}

// setPersonsPassword gives another person a new password, for when the old one is lost.
func setPersonsPassword(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		account, err := personOf(s, r, r.field("name"))
		if err != nil {
			return err
		}
		if account == tidings.Owner || account == r.account {
			return errOwnPassword
		}
		hash, err := auth.HashPassword(r.FormValue("password"))
		if why := personProblem(err); why != "" {
			return showPeople(s, w, r, http.StatusUnprocessableEntity, peopleList{Problem: why})
		}
		if err != nil {
			return err
		}
		if err := s.people.SetPasswordHash(r.Context(), account, hash); err != nil {
			return err
		}
		return seeOther(w, r, "/people?said=repassword")
	}
}

var errOwnPassword = tidings.Invalidf("the owner's password, and one's own, are changed under Settings by those who know them")

// removal asks whether a person is to be removed.
type removal struct{ Name string }

func confirmRemoval(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		account, err := personOf(s, r, r.PathValue("name"))
		if err != nil {
			return err
		}
		p, err := s.people.Person(r.Context(), account)
		if err != nil {
			return err
		}
		s.show(w, r, http.StatusOK, "remove-person", view{Title: "Remove " + p.Name, Section: "settings", Narrow: true, Body: removal{p.Name}})
		return nil
	}
}

func removePerson(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		account, err := personOf(s, r, r.field("name"))
		if err != nil {
			return err
		}
		if err := s.people.RemovePerson(r.Context(), account); err != nil {
			return err
		}
		return seeOther(w, r, "/people?said=gone")
	}
}

// sessions returns the requester's sessions, and marks the present one.
func sessions(s *site, r request) ([]tidings.Session, error) {
	if s.people == nil {
		return nil, nil
	}
	all, err := s.people.Sessions(r.Context(), r.account)
	if err != nil {
		return nil, err
	}
	if hash, ok := auth.ThisSession(r.Request); ok {
		for i := range all {
			all[i].This = all[i].ID == tidings.SessionID(hash)
		}
	}
	return all, nil
}

func endSession(s *site) handler {
	return func(w http.ResponseWriter, r request) error {
		if s.people == nil {
			return tidings.ErrNotFound
		}
		if err := s.people.EndSession(r.Context(), r.account, r.field("id")); err != nil && !errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		return seeOther(w, r, "/settings?said=ended")
	}
}

// browserName makes of what a browser calls itself what a person knows it by.
func browserName(agent string) string {
	var name string
	for _, known := range []struct{ mark, name string }{ // what is a part of others' marks comes last
		{"Firefox/", "Firefox"}, {"Edg", "Edge"}, {"OPR/", "Opera"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	} {
		if strings.Contains(agent, known.mark) {
			name = known.name
			break
		}
	}
	if name == "" {
		return fallback(plain(agent, 60), "A browser")
	}
	for _, known := range []struct{ mark, name string }{
		{"Android", "Android"}, {"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Mac OS X", "macOS"}, {"Windows", "Windows"}, {"Linux", "Linux"},
	} {
		if strings.Contains(agent, known.mark) {
			return name + " on " + known.name
		}
	}
	return name
}
