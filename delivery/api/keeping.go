package api

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/view"
)

func (h *handler) status(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	s, err := h.Node.Status(r.Context())
	if err != nil {
		return err
	}
	return ok(w, r, s)
}

// headerBackup carries, in JSON, the description of the copy in the answer's body.
const headerBackup = "Tidings-Backup"

func (h *handler) backup(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	var o view.BackupOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	b, made, err := h.Node.Backup(r.Context(), o)
	if err != nil {
		if statusOf(err) != 0 {
			return err
		}
		// Only the owner of the node asks: the file system's reason is theirs to see.
		return refuse(http.StatusInternalServerError, "no backup was made: "+tidings.Reason(err), tidings.HintOf(err))
	}
	defer made.Close()
	about, err := json.Marshal(b)
	if err != nil {
		return err
	}
	w.Header().Set(headerBackup, string(about))
	w.Header().Set("Content-Type", typeSQLite)
	w.Header().Set("Content-Length", strconv.FormatInt(b.Bytes, 10))
	if _, err := io.Copy(w, made); err != nil { // the client sees that bytes are missing
		h.Logger.WarnContext(r.Context(), "a backup was cut off", "error", err)
	}
	return nil
}

// setPassword sets the page's password, or removes it if it is empty. The former one is
// not asked for: this interface is open to those that can read and write the store itself.
func (h *handler) setPassword(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var set struct {
		Password string `json:"password"`
	}
	if err := decode(w, r, &set); err != nil {
		return err
	}
	hash := ""
	if set.Password != "" {
		var err error
		if hash, err = auth.HashPassword(set.Password); err != nil {
			return refuse(http.StatusBadRequest, err.Error(), "")
		}
	}
	if err := h.Store.SetPasswordHash(r.Context(), account, hash); err != nil {
		return err
	}
	return done(w)
}

func (h *handler) tokens(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	all, err := h.Store.Tokens(r.Context(), account)
	if err != nil {
		return err
	}
	return list(w, r, all)
}

func (h *handler) newToken(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var token struct {
		Label     string  `json:"label"`
		FeverUser *string `json:"fever_user"`
		Posts     *string `json:"posts"`
	}
	if err := decode(w, r, &token); err != nil {
		return err
	}
	label := strings.TrimSpace(token.Label)
	var secret string
	var err error
	switch {
	case token.FeverUser != nil && token.Posts != nil:
		return refuse(http.StatusBadRequest, `a token is for "fever_user" or "posts"`, "send one of them")
	case token.FeverUser != nil:
		secret, err = auth.IssueFeverToken(r.Context(), h.Store, account, label, *token.FeverUser)
	case token.Posts != nil:
		secret, err = auth.IssuePostingToken(r.Context(), h.Store, account, label, *token.Posts)
	default:
		secret, err = auth.IssueToken(r.Context(), h.Store, account, label)
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, map[string]string{"secret": secret})
	return nil
}

func (h *handler) deleteToken(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	if err := h.Store.DeleteToken(r.Context(), account, id); err != nil {
		return err
	}
	return done(w)
}
