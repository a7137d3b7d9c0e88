package greader

import (
	"net/http"
	"strconv"
	"strings"

	"tidings/delivery/sync"
)

// maxLogin bounds the body of a login, in bytes.
const maxLogin = 64 << 10

// login signs a person in. Most clients send the form in the body, others in the URL.
func (h *handler) login(w http.ResponseWriter, r *http.Request) error {
	form, err := sync.ReadForm(w, r, maxLogin)
	if err != nil {
		return err
	}
	user, password := form.Get("Email"), form.Get("Passwd")
	if user == "" || password == "" {
		return sync.ErrWrong
	}
	_, token, err := h.gate.Enter(r.Context(), user, password)
	if err != nil {
		return err
	}
	if form.Get("output") == "json" {
		return sync.SendJSON(w, r, http.StatusOK, struct{ SID, LSID, Auth string }{token, token, token})
	}
	// One client reads what is behind "Auth=" to the end. So that is last, and has no end of line.
	return sync.SendText(w, r, http.StatusOK, "SID="+token+"\nLSID="+token+"\nAuth="+token)
}

// sendToken sends what clients send back as T. It is the token that they have: it proves no less.
func sendToken(c *call) error { return sync.SendText(c.w, c.r, http.StatusOK, c.token) }

func userInfo(c *call) error {
	id := strconv.FormatInt(int64(c.person.ID), 10)
	email := "" // no client needs it, but none wants null
	if strings.Contains(c.person.Name, "@") {
		email = c.person.Name
	}
	return sync.SendJSON(c.w, c.r, http.StatusOK, struct {
		ID      string `json:"userId"`
		Name    string `json:"userName"`
		Profile string `json:"userProfileId"`
		Email   string `json:"userEmail"`
	}{id, c.person.Name, id, email})
}
