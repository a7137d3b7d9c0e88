package store

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/url"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const (
	maxURL          = 8 << 10 // bytes of a channel's URL
	maxName         = 1 << 10 // bytes of a name or folder
	subscribesAtOne = 200     // subscriptions of a bulk in one operation
)

// Subscription is what Subscribe stores. What it says of the channel counts only
// where the channel is new. Where it is not, but nobody follows it, its privacy counts
// if it is narrower than the channel's.
type Subscription struct {
	URL            string // canonical, without credentials
	Kind           tidings.Kind
	Title, Site    string
	Privacy        tidings.Privacy
	Options        tidings.PageOptions
	Name, Folder   string
	User, Password string    // for the origin
	Next           time.Time // when the first poll is due
}

// validate reports what cannot be stored.
func (n Subscription) validate() error {
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
	return validateName(n.Name, n.Folder)
}

func validateName(name, folder string) error {
	if len(name) > maxName || len(folder) > maxName {
		return fmt.Errorf("%w name or folder: longer than %d bytes", tidings.ErrInvalid, maxName)
	}
	return nil
}

// Subscribe makes account follow a channel. All content of the channel that is kept
// is unread to it. A second call changes nothing, and created is false.
//
// A channel that needs credentials is watched once like any other: another account
// may follow it only with the same credentials (tidings.ErrUnauthorized), but the
// owner takes it over with new ones when nobody else follows it.
func (s *Store) Subscribe(ctx context.Context, account tidings.AccountID, n Subscription) (f tidings.Subscription, created bool, err error) {
	if err := n.validate(); err != nil {
		return f, false, &tidings.Failure{Op: "subscribing", Err: err}
	}
	err = s.write(ctx, func(t *tx) (err error) {
		if created, err = t.subscribe(account, n); err != nil {
			return err
		}
		f, err = s.followed(t.Conn, account, n.URL)
		return err
	})
	if err != nil {
		return tidings.Subscription{}, false, &tidings.Failure{Op: "subscribing to", Address: n.URL, Err: err}
	}
	return f, created, nil
}

// SubscribeAll is Subscribe for many. It returns an error (or nil) for each; those
// without are on the disk. The second error is that of the whole, after which the
// rest was not tried.
func (s *Store) SubscribeAll(ctx context.Context, account tidings.AccountID, all []Subscription) ([]error, error) {
	results := make([]error, len(all))
	for start := 0; start < len(all); start += subscribesAtOne {
		chunk := all[start:min(start+subscribesAtOne, len(all))]
		err := s.write(ctx, func(t *tx) error {
			for i, n := range chunk {
				err := n.validate()
				if err == nil {
					_, err = t.subscribe(account, n)
				}
				if err != nil && !isRefusal(err) {
					return err
				}
				if err != nil {
					results[start+i] = &tidings.Failure{Op: "subscribing to", Address: redact(n.URL), Err: err}
				}
			}
			return nil
		})
		if err != nil {
			for i := start; i < len(all); i++ {
				results[i] = err
			}
			return results, fmt.Errorf("subscribing to %d channels: %w", len(all), err)
		}
	}
	return results, nil
}

// subscribe refuses before it changes anything.
func (t *tx) subscribe(account tidings.AccountID, n Subscription) (created bool, err error) {
	id, fresh, err := t.channelFor(account, n)
	if err != nil {
		return false, err
	}
	if err := db.Exec(t.Conn, `INSERT INTO subscription (account, channel, name, folder, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, int64(account), id, n.Name, n.Folder, t.Now); err != nil {
		return false, err
	}
	if t.Changes() == 0 {
		return false, nil
	}
	if fresh {
		return true, nil
	}
	if err := db.Exec(t.Conn, `UPDATE channel SET orphaned = NULL, guest = 0 WHERE id = ? AND orphaned IS NOT NULL`, id); err != nil {
		return false, err
	}
	if t.Changes() > 0 {
		if err := narrow(t.Conn, id, n.Privacy); err != nil {
			return false, err
		}
		if err := t.search.AddChannel(t.Tx, id); err != nil {
			return false, err
		}
	}
	if err := db.Exec(t.Conn, `INSERT INTO unread (account, revision, channel)
		SELECT ?, latest, channel FROM item WHERE channel = ? AND latest != 0`, int64(account), id); err != nil {
		return false, err
	}
	return true, db.Exec(t.Conn, `UPDATE subscription SET unread = ? WHERE account = ? AND channel = ?`,
		t.Changes(), int64(account), id)
}

// narrow keeps from others a channel that was polled or followed as a public one, if its first follower wants that.
func narrow(c *sqlite.Conn, channel int64, to tidings.Privacy) error {
	return db.Exec(c, `UPDATE channel SET privacy = ?1 WHERE id = ?2
		AND (privacy = 'public' OR privacy = 'unlisted' AND ?1 = 'credentialed')`, string(to), channel)
}

// channelFor returns the channel of a subscription, and makes it where there is none.
func (t *tx) channelFor(account tidings.AccountID, n Subscription) (id int64, fresh bool, err error) {
	var user, password string
	var others int
	var follows bool
	found, err := db.One(t.Conn, `SELECT c.id, p.user, p.password,
			(SELECT count(*) FROM subscription s WHERE s.channel = c.id AND s.account != ?2),
			EXISTS (SELECT 1 FROM subscription s WHERE s.channel = c.id AND s.account = ?2)
		FROM channel c LEFT JOIN credential p ON p.channel = c.id WHERE c.url = ?1`, func(r *sqlite.Stmt) {
		id, user, password = r.ColumnInt64(0), r.ColumnText(1), r.ColumnText(2)
		others, follows = r.ColumnInt(3), r.ColumnBool(4)
	}, n.URL, int64(account))
	if err != nil {
		return 0, false, err
	}
	if !found {
		id, err := t.addChannel(n)
		return id, true, err
	}
	same := subtle.ConstantTimeCompare([]byte(user+"\x00"+password), []byte(n.User+"\x00"+n.Password)) == 1
	switch {
	case follows || same:
		return id, false, nil
	case others > 0 || account != tidings.Owner:
		return 0, false, fmt.Errorf("%w: it is followed with other credentials", tidings.ErrUnauthorized)
	}
	return id, false, t.setCredential(id, n.User, n.Password)
}

func (t *tx) addChannel(n Subscription) (int64, error) {
	options, err := optionsText(n.Options)
	if err != nil {
		return 0, err
	}
	if err := db.Exec(t.Conn, `INSERT INTO channel (url, kind, title, site, privacy, options, added) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		n.URL, string(n.Kind), n.Title, n.Site, string(n.Privacy), options, t.Now); err != nil {
		return 0, err
	}
	id := t.LastInsertRowID()
	health := tidings.HealthNew
	if !n.Kind.HasOrigin() {
		health = tidings.HealthGood // it is never polled, so that nothing can be wrong with its origin
	}
	if err := db.Exec(t.Conn, `INSERT INTO watch (channel, next, health) VALUES (?, ?, ?)`, id, n.Next, string(health)); err != nil {
		return 0, err
	}
	return id, t.setCredential(id, n.User, n.Password)
}

func (t *tx) setCredential(channel int64, user, password string) error {
	if user == "" && password == "" {
		return db.Exec(t.Conn, `DELETE FROM credential WHERE channel = ?`, channel)
	}
	return db.Exec(t.Conn, `INSERT INTO credential (channel, user, password) VALUES (?, ?, ?)
		ON CONFLICT (channel) DO UPDATE SET user = excluded.user, password = excluded.password`, channel, user, password)
}

// Unsubscribe ends what Subscribe began; tidings.ErrNotFollowed if the account does
// not follow the channel. last says that nobody does now: it is watched no more.
// Its content stays for Retention.Orphans, and is found again by who subscribes before.
func (s *Store) Unsubscribe(ctx context.Context, account tidings.AccountID, url string) (last bool, err error) {
	err = s.write(ctx, func(t *tx) error {
		sub, err := oneSubscription(t.Conn, account, url)
		if err != nil {
			return err
		}
		// The reader's place goes with the subscription; stars stay, and show again after resubscribing.
		if err := db.Exec(t.Conn, `DELETE FROM unread WHERE account = ? AND revision IN
			(SELECT latest FROM item WHERE channel = ?)`, int64(account), sub.channel); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `DELETE FROM subscription WHERE account = ? AND channel = ?`, int64(account), sub.channel); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `UPDATE channel SET orphaned = ?1 WHERE id = ?2
			AND NOT EXISTS (SELECT 1 FROM subscription WHERE channel = ?2)`, t.Now, sub.channel); err != nil {
			return err
		}
		last = t.Changes() > 0
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("unsubscribing from %s: %w", url, err)
	}
	return last, nil
}

// redact leaves a user name and password out of an address that was refused.
func redact(address string) string {
	if u, err := url.Parse(address); err == nil {
		u.User = nil
		return u.String()
	}
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return address[i+1:]
	}
	return address
}
