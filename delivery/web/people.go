package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/passkeys"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
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

func peoplePage(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		return showPeople(s, w, r, http.StatusOK, peopleList{})
	}
}

func showPeople(s *site, w http.ResponseWriter, r shell.Request, status int, p peopleList) error {
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
	p.Me, p.Lonely, p.MinPassword = r.Account, !set, auth.MinPassword
	s.Show(w, r, status, "people", shell.View{Title: r.Words.Text("People"), Section: "settings", Said: said(r),
		Body: p})
	return nil
}

func addPerson(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.people == nil {
			return tidings.ErrNotFound
		}
		name := r.Field("name")
		err := tidings.ValidatePersonName(name)
		if err == nil {
			var hash string
			if hash, err = auth.HashPassword(r.FormValue("password")); err == nil {
				_, err = s.people.AddPerson(r.Context(), name, tidings.Role(r.FormValue("role")), hash)
			}
		}
		if why := personProblem(r.Words, err); why != "" {
			return showPeople(s, w, r, http.StatusUnprocessableEntity, peopleList{Problem: why, Name: name})
		}
		if err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/people?said=added")
	}
}

// personProblem says in a sentence what an administrator can mend, or "".
func personProblem(w wording.Words, err error) string {
	switch {
	case errors.Is(err, tidings.ErrExists):
		return w.Text("There is somebody of that name.")
	case errors.Is(err, tidings.ErrInvalid):
		return wording.Sentence(w.Reasoned(err), 300) + "."
	}
	return signInProblem(w, err)
}

// personOf returns the account of the person that a form is about.
func personOf(s *site, r shell.Request, name string) (tidings.AccountID, error) {
	if s.people == nil {
		return 0, tidings.ErrNotFound
	}
	account, _, err := s.people.Account(r.Context(), name)
	return account, err
}

func setRole(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		account, err := personOf(s, r, r.Field("name"))
		if err != nil {
			return err
		}
		if err := s.people.SetRole(r.Context(), account, tidings.Role(r.FormValue("role"))); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/people?said=role")
	}
}

// setPersonsPassword gives another person a new password, for when the old one is lost.
func setPersonsPassword(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		account, err := personOf(s, r, r.Field("name"))
		if err != nil {
			return err
		}
		if account == tidings.Owner || account == r.Account {
			return errOwnPassword
		}
		hash, err := auth.HashPassword(r.FormValue("password"))
		if why := personProblem(r.Words, err); why != "" {
			return showPeople(s, w, r, http.StatusUnprocessableEntity, peopleList{Problem: why})
		}
		if err != nil {
			return err
		}
		if err := s.people.SetPasswordHash(r.Context(), account, hash); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/people?said=repassword")
	}
}

var errOwnPassword = tidings.Invalidf("the owner's password, and one's own, are changed under Settings by those who know them")

// removal asks whether a person is to be removed.
type removal struct{ Name string }

func confirmRemoval(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		account, err := personOf(s, r, r.PathValue("name"))
		if err != nil {
			return err
		}
		p, err := s.people.Person(r.Context(), account)
		if err != nil {
			return err
		}
		s.Show(w, r, http.StatusOK, "remove-person",
			shell.View{Title: r.Words.Text("Remove %s", p.Name), Section: "settings", Narrow: true,
				Body: removal{p.Name}})
		return nil
	}
}

func removePerson(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		account, err := personOf(s, r, r.Field("name"))
		if err != nil {
			return err
		}
		if err := s.people.RemovePerson(r.Context(), account); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/people?said=gone")
	}
}

// sessions returns the requester's sessions, and marks the present one.
func sessions(s *site, r shell.Request) ([]tidings.Session, error) {
	if s.people == nil {
		return nil, nil
	}
	all, err := s.people.Sessions(r.Context(), r.Account)
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

func endSession(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.people == nil {
			return tidings.ErrNotFound
		}
		if err := s.people.EndSession(r.Context(), r.Account, r.Field("id")); err != nil &&
			!errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		return shell.SeeOther(w, r, "/settings?said=ended")
	}
}

// passkeyList is what Settings shows of the requester's passkeys.
type passkeyList struct {
	All         []tidings.Passkey
	Unavailable string // why none can be added here; empty: one can
	Confirms    bool   // one of them works here, so it can confirm that another is added
	Most        int
	Longest     int // bytes of a name
}

// passkeysOf returns the requester's passkeys; nil: the node has none.
func passkeysOf(s *site, r shell.Request, hasPassword bool) (*passkeyList, error) {
	if s.passkeys == nil {
		return nil, nil
	}
	all, here, err := s.passkeys.List(r.Request, r.Account)
	if err != nil {
		return nil, err
	}
	p := &passkeyList{All: all, Unavailable: r.Words.Said(passkeys.Reason(s.passkeys.Unavailable(r.Request))),
		Confirms: here > 0,
		Most:     tidings.MaxPasskeys, Longest: tidings.MaxPasskeyName}
	if p.Unavailable == "" && !hasPassword {
		p.Unavailable = r.Words.Text("Set a password first: it lets you in when a passkey is lost.")
	}
	return p, nil
}

// passkeyStep serves a step in which the page's script uses a passkey.
func passkeyStep(s *site, step func(*passkeys.Keys, http.ResponseWriter, *http.Request)) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.passkeys == nil {
			return tidings.ErrNotFound
		}
		step(s.passkeys, w, r.Request)
		return nil
	}
}

func removePasskey(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.passkeys == nil {
			return tidings.ErrNotFound
		}
		if err := s.passkeys.Remove(r.Context(), r.Account, r.Number("id")); err != nil &&
			!errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		return shell.SeeOther(w, r, "/settings?said=nopasskey")
	}
}

// browserName makes of what a browser calls itself what a person knows it by.
func browserName(agent string) string {
	var name string
	for _, known := range []struct{ mark, name string }{ // what is a part of others' marks comes last
		{"Firefox/", "Firefox"}, {"Edg", "Edge"}, {"OPR/", "Opera"}, {"Chromium/", "Chromium"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	} {
		if strings.Contains(agent, known.mark) {
			name = known.name
			break
		}
	}
	if name == "" {
		return wording.Fallback(wording.Plain(agent, 60), "A browser")
	}
	for _, known := range []struct{ mark, name string }{
		{"Android", "Android"}, {"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Mac OS X", "macOS"},
		{"Windows", "Windows"}, {"Linux", "Linux"},
	} {
		if strings.Contains(agent, known.mark) {
			return name + " on " + known.name
		}
	}
	return name
}
