package content

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const maxURL = 8 << 10 // bytes of a channel's URL

// NewChannel is what a channel is when it comes to the node.
type NewChannel struct {
	URL         string // canonical, without credentials
	Kind        tidings.Kind
	Title, Site string
	Icon        string // as tidings.Channel.Icon
	Privacy     tidings.Privacy
	Options     tidings.PageOptions
	Access      tidings.Access // of the origin
	Next        time.Time      // when the first poll is due
}

// Validate reports what cannot be stored.
func (n NewChannel) Validate() error {
	u, err := url.Parse(n.URL)
	kind := tidings.KindOf(n.URL)
	switch {
	case err != nil:
		return fmt.Errorf("%w address: %w", tidings.ErrInvalid, err)
	case n.Kind != kind && !(n.Kind.HasOrigin() && kind.HasOrigin()):
		return fmt.Errorf("%w address: it is of a channel of kind %q, not %q", tidings.ErrInvalid, kind, n.Kind)
	case !kind.HasOrigin() && n.Privacy != tidings.Unlisted:
		return fmt.Errorf("%w subscription: a %s is unlisted", tidings.ErrInvalid, kind)
	case kind.HasOrigin() && u.Host == "":
		return fmt.Errorf("%w address: no host", tidings.ErrInvalid)
	case u.User != nil:
		return fmt.Errorf("%w address: it carries a user name", tidings.ErrInvalid)
	case len(n.URL) > maxURL:
		return fmt.Errorf("%w address: longer than %d bytes", tidings.ErrInvalid, maxURL)
	case n.Privacy == "":
		return fmt.Errorf("%w subscription: no privacy class", tidings.ErrInvalid)
	}
	return nil
}

// IDOf returns the row of the channel with an address.
func IDOf(conn *sqlite.Conn, url string) (id int64, found bool, err error) {
	found, err = db.One(conn, `SELECT id FROM channel WHERE url = ?`, func(r *sqlite.Stmt) { id = r.ColumnInt64(0) },
		url)
	return id, found, err
}

// AddChannel adds a channel, which there is not yet, and returns its row.
func AddChannel(t *Tx, n NewChannel) (int64, error) {
	options, err := optionsText(n.Options)
	if err != nil {
		return 0, err
	}
	if err := db.Exec(t.Conn,
		`INSERT INTO channel (url, kind, title, site, icon, privacy, options, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		n.URL, string(n.Kind), n.Title, n.Site, n.Icon, string(n.Privacy), options, t.Now); err != nil {
		return 0, err
	}
	id := t.LastInsertRowID()
	health := tidings.HealthNew
	if !n.Kind.HasOrigin() {
		health = tidings.HealthGood // it is never polled, so that nothing can be wrong with its origin
	}
	if err := db.Exec(t.Conn, `INSERT INTO watch (channel, next, health) VALUES (?, ?, ?)`, id, n.Next,
		string(health)); err != nil {
		return 0, err
	}
	return id, SetAccess(t, id, n.Access)
}

// Adopt has a channel followed that nobody follows, and reports whether there was none. Its privacy class is narrowed
// to that which its first follower wants.
func Adopt(t *Tx, channel int64, privacy tidings.Privacy) (first bool, err error) {
	if err := db.Exec(t.Conn, `UPDATE channel SET orphaned = NULL, guest = 0 WHERE id = ? AND orphaned IS NOT NULL`,
		channel); err != nil {
		return false, err
	}
	if t.Changes() == 0 {
		return false, nil
	}
	return true, narrow(t.Conn, channel, privacy)
}

// Orphan notes that nobody follows a channel any more. Its content stays for a while.
func Orphan(t *Tx, channel int64) error {
	return db.Exec(t.Conn, `UPDATE channel SET orphaned = ? WHERE id = ?`, t.Now, channel)
}

// SetPrivacy sets the privacy class of a channel.
func SetPrivacy(t *Tx, channel int64, privacy tidings.Privacy) error {
	return db.Exec(t.Conn, `UPDATE channel SET privacy = ? WHERE id = ?`, string(privacy), channel)
}

// narrow keeps from others a channel that was polled or followed as a public one, if its first follower wants that.
func narrow(c *sqlite.Conn, channel int64, to tidings.Privacy) error {
	return db.Exec(c, `UPDATE channel SET privacy = ?1 WHERE id = ?2
		AND (privacy = 'public' OR privacy = 'unlisted' AND ?1 = 'credentialed')`, string(to), channel)
}

// SetOptions sets a page's core content from now on, the memory of the next poll, and when that is due. Waiting results
// of polls are written before. What was learned to be noise is forgotten.
func SetOptions(t *Tx, channel int64, url string, options tidings.PageOptions, memory []byte, next time.Time) error {
	text, err := optionsText(options)
	if err == nil {
		err = Replan(t, channel, url, memory, next)
	}
	if err == nil {
		err = db.Exec(t.Conn, `UPDATE channel SET options = ? WHERE id = ?`, text, channel)
	}
	if err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM noise WHERE channel = ?`, channel)
}

// Replan sets what the next poll of a channel is to remember, and when that is due. What polls have left to write is
// written before.
func Replan(t *Tx, channel int64, url string, memory []byte, next time.Time) error {
	if before := waiting(t, url); before != nil {
		if err := before.writePoll(t.Tx); err != nil {
			return err
		}
	}
	return db.Exec(t.Conn, `UPDATE watch SET memory = ?, next = ? WHERE channel = ?`, memory, next, channel)
}

func optionsText(o tidings.PageOptions) (string, error) {
	if o.IsZero() {
		return "", nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("options: %w (%w)", tidings.ErrInvalid, err)
	}
	return string(text), nil
}

// Redact leaves a user name and password out of an address that was refused.
func Redact(address string) string {
	if u, err := url.Parse(address); err == nil {
		u.User = nil
		return u.String()
	}
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return address[i+1:]
	}
	return address
}
