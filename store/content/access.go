package content

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// request is how an Access is kept beside its user name and password, as JSON.
type request struct {
	Headers []string `json:"headers,omitempty"`
	Cookies []string `json:"cookies,omitempty"`
	Proxy   string   `json:"proxy,omitempty"`
}

func requestText(a tidings.Access) (string, error) {
	if len(a.Headers)+len(a.Cookies) == 0 && a.Proxy == "" {
		return "", nil
	}
	text, err := json.Marshal(request{a.Headers, a.Cookies, a.Proxy})
	if err != nil {
		return "", fmt.Errorf("headers, cookies and proxy of a channel: %w", err)
	}
	return string(text), nil
}

// access reads the columns user, password and request, from column at on. They are NULL where nothing is kept.
func access(r *sqlite.Stmt, at int) (a tidings.Access, err error) {
	a.User, a.Password = r.ColumnText(at), r.ColumnText(at+1)
	text := r.ColumnText(at + 2)
	if text == "" {
		return a, nil
	}
	var kept request
	if json.Unmarshal([]byte(text), &kept) != nil { // its error would show a part of it
		return a, fmt.Errorf("headers, cookies and proxy of a channel cannot be read: %w", tidings.ErrInvalid)
	}
	a.Headers, a.Cookies, a.Proxy = kept.Headers, kept.Cookies, kept.Proxy
	return a, nil
}

// SetAccess sets what the origin of a channel is sent of its own, and by which proxy.
func SetAccess(t *Tx, channel int64, a tidings.Access) error {
	if a.IsZero() {
		return db.Exec(t.Conn, `DELETE FROM credential WHERE channel = ?`, channel)
	}
	text, err := requestText(a)
	if err != nil {
		return err
	}
	return db.Exec(t.Conn, `INSERT INTO credential (channel, user, password, request) VALUES (?, ?, ?, ?)
		ON CONFLICT (channel) DO UPDATE SET user = excluded.user, password = excluded.password,
		request = excluded.request`,
		channel, a.User, a.Password, text)
}

// HasAccess reports whether the origin of a channel is sent just this.
func HasAccess(t *Tx, channel int64, a tidings.Access) (bool, error) {
	kept, err := AccessOf(t.Conn, channel)
	if err != nil {
		return false, err
	}
	was, err := requestText(kept)
	if err != nil {
		return false, err
	}
	is, err := requestText(a)
	key := func(a tidings.Access, text string) []byte {
		return []byte(a.User + "\x00" + a.Password + "\x00" + text)
	}
	return subtle.ConstantTimeCompare(key(kept, was), key(a, is)) == 1, err
}

// AccessOf returns what the origin of a channel is sent. It is never to be shown or logged.
func AccessOf(conn *sqlite.Conn, channel int64) (a tidings.Access, err error) {
	err = db.Each(conn, `SELECT user, password, request FROM credential WHERE channel = ?`,
		func(r *sqlite.Stmt) (err error) {
			a, err = access(r, 0)
			return err
		}, channel)
	return a, err
}
