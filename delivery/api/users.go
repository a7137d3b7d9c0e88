package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/auth"
)

// People are the persons that use the node.
type People interface {
	// People lists them, the owner first.
	People(ctx context.Context) ([]tidings.Person, error)
	// Account returns an account by its person's name, in any case; [tidings.ErrNotFound] if there is none.
	Account(ctx context.Context, name string) (account tidings.AccountID, passwordHash string, err error)
	Person(ctx context.Context, account tidings.AccountID) (tidings.Person, error)
	AddPerson(ctx context.Context, name string, role tidings.Role, passwordHash string) (tidings.Person, error)
	SetRole(ctx context.Context, account tidings.AccountID, role tidings.Role) error
	// RemovePerson removes a person with all that is kept of that person, and of nobody else.
	RemovePerson(ctx context.Context, account tidings.AccountID) error

	Sessions(ctx context.Context, account tidings.AccountID) ([]tidings.Session, error)
	// EndSession ends a session of the account; [tidings.ErrNotFound] if it has none such.
	EndSession(ctx context.Context, account tidings.AccountID, id string) error

	PasskeysOf(ctx context.Context, account tidings.AccountID) ([]tidings.Passkey, error)
	// RemovePasskey removes a passkey of the account; [tidings.ErrNotFound] if it has none such.
	RemovePasskey(ctx context.Context, account tidings.AccountID, id int64) error
}

// NewPerson describes a person to add.
type NewPerson struct {
	Name     string       `json:"name"`
	Role     tidings.Role `json:"role,omitempty"` // empty: reader
	Password string       `json:"password"`
}

// PersonChange says what of a person is to become another; nil leaves it.
type PersonChange struct {
	Role     *tidings.Role `json:"role,omitempty"`
	Password *string       `json:"password,omitempty"` // it ends the person's sessions, and removes the passkeys
}

// userRoutes are those about people, and about the requester's own sessions and passkeys.
func userRoutes(h *handler) map[string]map[string]endpoint {
	routes := map[string]map[string]endpoint{
		"users":         {"GET": listUsers(h), "POST": addUser(h)},
		"users/{name}":  {"PATCH": changeUser(h), "DELETE": removeUser(h)},
		"sessions":      {"GET": listSessions(h)},
		"sessions/{id}": {"DELETE": endSession(h)},
		"passkeys":      {"GET": listPasskeys(h)},
		"passkeys/{id}": {"DELETE": removePasskey(h)},
	}
	if h.People != nil {
		return routes
	}
	for _, methods := range routes {
		for method := range methods {
			methods[method] = func(http.ResponseWriter, *http.Request, tidings.AccountID) error {
				return refuse(http.StatusServiceUnavailable, "nothing is known of people here", "")
			}
		}
	}
	return routes
}

func listUsers(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		all, err := h.People.People(r.Context())
		if err != nil {
			return err
		}
		return list(w, r, all)
	}
}

func addUser(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		var o NewPerson
		if err := decode(w, r, &o); err != nil {
			return err
		}
		if err := tidings.ValidatePersonName(o.Name); err != nil { // before a hash is computed
			return err
		}
		if o.Role == "" {
			o.Role = tidings.Reader
		}
		hash, err := hashOf(o.Password)
		if err != nil {
			return err
		}
		p, err := h.People.AddPerson(r.Context(), o.Name, o.Role, hash)
		if errors.Is(err, tidings.ErrExists) {
			return refuse(http.StatusConflict, "there is somebody of that name", "who uses the node: tidings user list")
		}
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusCreated, p)
		return nil
	}
}

func hashOf(password string) (string, error) {
	hash, err := auth.HashPassword(password)
	if err != nil {
		return "", refuse(http.StatusBadRequest, err.Error(), "")
	}
	return hash, nil
}

// userOf returns the account that the path names.
func userOf(h *handler, r *http.Request) (tidings.AccountID, error) {
	account, _, err := h.People.Account(r.Context(), strings.TrimSpace(r.PathValue("name")))
	if errors.Is(err, tidings.ErrNotFound) {
		return 0, refuse(http.StatusNotFound, "there is nobody of that name", "who uses the node: tidings user list")
	}
	return account, err
}

func changeUser(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		var c PersonChange
		if err := decode(w, r, &c); err != nil {
			return err
		}
		account, err := userOf(h, r)
		if err != nil {
			return err
		}
		if c.Password != nil {
			if account == tidings.Owner && !h.Local {
				return refuse(http.StatusForbidden, "the owner's password is the owner's to change",
					"in the settings of the page, or on the node's machine: tidings password")
			}
			hash, err := hashOf(*c.Password)
			if err != nil {
				return err
			}
			if err := h.Store.SetPasswordHash(r.Context(), account, hash); err != nil {
				return err
			}
		}
		if c.Role != nil {
			if err := h.People.SetRole(r.Context(), account, *c.Role); err != nil {
				return err
			}
		}
		p, err := h.People.Person(r.Context(), account)
		if err != nil {
			return err
		}
		return ok(w, r, p)
	}
}

func removeUser(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		account, err := userOf(h, r)
		if err != nil {
			return err
		}
		if err := h.People.RemovePerson(r.Context(), account); err != nil {
			return err
		}
		return done(w)
	}
}

func listSessions(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		all, err := h.People.Sessions(r.Context(), account)
		if err != nil {
			return err
		}
		if hash, ok := auth.ThisSession(r); ok {
			for i := range all {
				all[i].This = all[i].ID == tidings.SessionID(hash)
			}
		}
		return list(w, r, all)
	}
}

func endSession(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		err := h.People.EndSession(r.Context(), account, r.PathValue("id"))
		if errors.Is(err, tidings.ErrNotFound) {
			return refuse(http.StatusNotFound, "you have no such session", "those that there are: tidings session list")
		}
		if err != nil {
			return err
		}
		return done(w)
	}
}

// Users is the client's part about the persons of the node, and about the sessions and passkeys of its account.
type Users struct{ client *Client }

// Users returns it.
func (c *Client) Users() Users { return Users{c} }

// List lists the persons of the node.
func (u Users) List(ctx context.Context) (all []tidings.Person, err error) {
	return all, u.client.get(ctx, "users", nil, &all)
}

// Add lets a person use the node.
func (u Users) Add(ctx context.Context, o NewPerson) (p tidings.Person, err error) {
	return p, u.client.do(ctx, http.MethodPost, "users", nil, o, &p)
}

// Change gives a person, by name, another role or password.
func (u Users) Change(ctx context.Context, name string, change PersonChange) (p tidings.Person, err error) {
	return p, u.client.do(ctx, http.MethodPatch, "users/"+url.PathEscape(name), nil, change, &p)
}

// Remove removes a person with all that is kept of that person.
func (u Users) Remove(ctx context.Context, name string) error {
	return u.client.do(ctx, http.MethodDelete, "users/"+url.PathEscape(name), nil, nil, nil)
}

// Sessions lists the browsers in which the account is signed in.
func (u Users) Sessions(ctx context.Context) (all []tidings.Session, err error) {
	return all, u.client.get(ctx, "sessions", nil, &all)
}

// EndSession signs the account out of a browser.
func (u Users) EndSession(ctx context.Context, id string) error {
	return u.client.do(ctx, http.MethodDelete, "sessions/"+url.PathEscape(id), nil, nil, nil)
}
