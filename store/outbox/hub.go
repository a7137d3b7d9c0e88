package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// hubAccount finds the account that follows the topics of this node's hub.
const hubAccount = `(SELECT id FROM account WHERE name = '` + tidings.HubSubscriber + `' AND role = 'subscriber')`

// Hub are the subscriptions at this node's WebSub hub. Each is a target of tidings.HubSubscriber's account, which has
// at most one pending delivery: the newest update replaces one that has not been delivered.
type Hub struct{ *Store }

// NewHub returns the subscriptions that are kept with the targets of s.
func NewHub(s *Store) Hub { return Hub{s} }

const hubColumns = `h.target, h.topic, t.url, t.channel, h.domain, t.secret, t.expires
	FROM hub h JOIN target t ON t.id = h.target`

func readHub(r *sqlite.Stmt) tidings.HubSubscription {
	return tidings.HubSubscription{
		Target: r.ColumnInt64(0), Topic: r.ColumnText(1), Callback: r.ColumnText(2), Channel: r.ColumnText(3),
		Domain: r.ColumnText(4), Secret: r.ColumnText(5), Expires: db.ColumnTime(r, 6),
	}
}

// HubSubscription returns the subscription whose deliveries go to a target; tidings.ErrNotFound if there is none.
func (s Hub) HubSubscription(ctx context.Context, target int64) (h tidings.HubSubscription, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT `+hubColumns+` WHERE h.target = ?`, func(r *sqlite.Stmt) {
			h = readHub(r)
		}, target))
	})
	if err != nil {
		return h, fmt.Errorf("subscription %d at the hub: %w", target, err)
	}
	return h, nil
}

// HubSubscriptions returns those with larger targets than after whose channel is url, or all if that is empty: at most
// limit, by target.
func (s Hub) HubSubscriptions(
	ctx context.Context, url string, after int64, limit int,
) (all []tidings.HubSubscription, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+hubColumns+` WHERE h.target > ?1 AND (?2 = '' OR t.channel = ?2)
			ORDER BY h.target LIMIT +?3`,
			func(r *sqlite.Stmt) error {
				all = append(all, readHub(r))
				return nil
			}, after, url, limit)
	})
	if err != nil {
		return nil, fmt.Errorf("listing subscriptions at the hub: %w", err)
	}
	return all, nil
}

// PutHubSubscription stores a subscription in the place of the one of the same keys, if there is one: what is pending
// goes to it. It also begins again where the callback said that it is gone. tidings.ErrInvalid if there would be more
// than b allows; tidings.ErrNotFound if tidings.HubSubscriber has no account.
func (s Hub) PutHubSubscription(
	ctx context.Context, topicKey, callbackKey string, h tidings.HubSubscription, b tidings.HubBounds,
) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		target := int64(0)
		if _, err := db.One(t.Conn, `SELECT target FROM hub WHERE topic_key = ? AND callback_key = ?`,
			func(r *sqlite.Stmt) {
				target = r.ColumnInt64(0)
			}, topicKey, callbackKey); err != nil {
			return err
		}
		if target == 0 {
			return addHub(t, topicKey, callbackKey, h, b)
		}
		if err := db.Exec(t.Conn, `UPDATE hub SET topic = ? WHERE target = ?`, h.Topic, target); err != nil {
			return err
		}
		if err := db.Exec(t.Conn,
			`UPDATE target SET url = ?2, channel = ?3, secret = ?4, expires = ?5, suspended = 0, problem = '',
			tries = 0, due = NULL WHERE id = ?1`, target, h.Callback, h.Channel, h.Secret, h.Expires); err != nil {
			return err
		}
		return s.changed(t, target)
	})
	if err != nil {
		return &tidings.Failure{Op: "storing a subscription at the hub", Err: err}
	}
	return nil
}

// addHub adds a subscription, if there is room.
func addHub(t *db.Tx, topicKey, callbackKey string, h tidings.HubSubscription, b tidings.HubBounds) error {
	account, all, ofTopic, ofDomain := int64(0), 0, 0, 0
	if err := db.Must(
		db.One(t.Conn, `SELECT id, (SELECT count(*) FROM hub), (SELECT count(*) FROM hub WHERE topic_key = ?),
		(SELECT count(*) FROM hub WHERE domain = ?) FROM account WHERE id = `+hubAccount, func(r *sqlite.Stmt) {
			account, all, ofTopic, ofDomain = r.ColumnInt64(0), r.ColumnInt(1), r.ColumnInt(2), r.ColumnInt(3)
		}, topicKey, h.Domain)); err != nil {
		return err
	}
	switch {
	case all >= b.All:
		return tidings.Invalidf("the hub has %d subscriptions, and more are not possible", all)
	case ofTopic >= b.PerTopic:
		return tidings.Invalidf("the topic has %d subscriptions at the hub, and more are not possible", ofTopic)
	case ofDomain >= b.PerDomain:
		return tidings.Invalidf("%s has %d subscriptions at the hub, and more are not possible", h.Domain, ofDomain)
	}
	sum := sha256.Sum256([]byte(topicKey + "\n" + callbackKey))
	if err := db.Exec(t.Conn,
		`INSERT INTO target (account, name, kind, url, channel, folder, secret, title, body, created, expires)
		VALUES (?, ?, ?, ?, ?, '', ?, '', '', ?, ?)`, account, hex.EncodeToString(sum[:]), string(tidings.WebSub),
		h.Callback,
		h.Channel, h.Secret, t.Now, h.Expires); err != nil {
		return err
	}
	return db.Exec(t.Conn, `INSERT INTO hub (target, topic, topic_key, callback_key, domain) VALUES (?, ?, ?, ?, ?)`,
		t.LastInsertRowID(), h.Topic, topicKey, callbackKey, h.Domain)
}

// RemoveHubSubscription removes a subscription, if there is one, with what waits for it.
func (s Hub) RemoveHubSubscription(ctx context.Context, topicKey, callbackKey string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		_, err := removeHub(t, `SELECT target FROM hub WHERE topic_key = ? AND callback_key = ?`, topicKey, callbackKey)
		return err
	})
	if err != nil {
		return &tidings.Failure{Op: "removing a subscription at the hub", Err: err}
	}
	return nil
}

// removeHub removes the subscriptions whose targets a query selects, and returns how many they were.
func removeHub(t *db.Tx, query string, arguments ...any) (removed int, err error) {
	var targets []int64
	if err := db.Each(t.Conn, query, func(r *sqlite.Stmt) error {
		targets = append(targets, r.ColumnInt64(0))
		return nil
	}, arguments...); err != nil {
		return 0, err
	}
	for _, id := range targets {
		for _, statement := range []string{
			`DELETE FROM delivery WHERE target = ?`, `DELETE FROM target WHERE id = ?`,
			`DELETE FROM hub WHERE target = ?`,
		} {
			if err := db.Exec(t.Conn, statement, id); err != nil {
				return 0, err
			}
		}
	}
	return len(targets), nil
}

// ExpireHub removes subscriptions whose leases have ended, at most limit, and returns how many they were.
func (s Hub) ExpireHub(ctx context.Context, limit int) (removed int, err error) {
	err = s.db.Write(ctx, func(t *db.Tx) error {
		removed, err = removeHub(t, `SELECT id FROM target WHERE expires <= ? AND kind = 'websub' LIMIT +?`, t.Now,
			limit)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("removing expired subscriptions at the hub: %w", err)
	}
	return removed, nil
}

// HubChannel is a channel that the hub's account follows, or that has subscriptions.
type HubChannel struct {
	URL           string
	Since         time.Time // when the hub's account began to follow it; zero: it does not
	Subscriptions int       // to its topics
	Others        int       // people that follow it
	Ended         bool      // it is polled no more
}

// HubChannels lists the channels that the hub's account follows, and those that have subscriptions.
func (s Hub) HubChannels(ctx context.Context) (all []HubChannel, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `WITH
			followed AS (SELECT c.url, s.since FROM subscription s JOIN channel c ON c.id = s.channel
				WHERE s.account = `+hubAccount+`),
			wanted AS (SELECT channel AS url, count(*) AS subscriptions FROM target WHERE kind = 'websub' GROUP BY channel)
			SELECT coalesce(f.url, w.url), f.since, coalesce(w.subscriptions, 0),
			(SELECT count(*) FROM subscription o JOIN channel c ON c.id = o.channel JOIN account a ON a.id = o.account
				WHERE c.url = coalesce(f.url, w.url) AND a.role != 'subscriber'),
			coalesce((SELECT p.ended FROM watch p JOIN channel c ON c.id = p.channel WHERE c.url = coalesce(f.url, w.url)), 0)
			FROM followed f FULL JOIN wanted w ON w.url = f.url`, func(r *sqlite.Stmt) error {
			all = append(all, HubChannel{
				URL: r.ColumnText(0), Since: db.ColumnTime(r, 1), Subscriptions: r.ColumnInt(2), Others: r.ColumnInt(3),
				Ended: r.ColumnBool(4),
			})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listing the topics of the hub: %w", err)
	}
	return all, nil
}

// HubCounts counts topics and subscriptions, those to which the last delivery failed, and those whose callbacks are
// gone.
func (s Hub) HubCounts(ctx context.Context) (c tidings.HubStatus, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn,
			`SELECT count(DISTINCT channel), count(*), coalesce(sum(problem != '' AND suspended = 0), 0),
			coalesce(sum(suspended), 0) FROM target WHERE kind = 'websub'`, func(r *sqlite.Stmt) {
				c.Topics, c.Subscriptions, c.Failing, c.Suspended = r.ColumnInt(0), r.ColumnInt(1), r.ColumnInt(2),
					r.ColumnInt(3)
			})
		return err
	})
	if err != nil {
		return c, fmt.Errorf("counting subscriptions at the hub: %w", err)
	}
	return c, nil
}

// HubFollowers returns whether the hub's account follows a channel, and how many people do. Addresses of chat do not
// count: with them anybody could choose what the hub is for.
func (s Hub) HubFollowers(ctx context.Context, url string) (hub bool, others int, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		_, err := db.One(conn, `SELECT coalesce(sum(s.account IS `+hubAccount+
			`), 0), coalesce(sum(a.role != 'subscriber'), 0)
			FROM subscription s JOIN channel c ON c.id = s.channel JOIN account a ON a.id = s.account WHERE c.url = ?`, func(r *sqlite.Stmt) {
			hub, others = r.ColumnInt(0) > 0, r.ColumnInt(1)
		}, url)
		return err
	})
	if err != nil {
		return false, 0, fmt.Errorf("followers of %s: %w", url, err)
	}
	return hub, others, nil
}

// enqueueHub puts an update into the outbox of all subscriptions to a channel, in statements for all of them. It
// returns their targets.
func enqueueHub(t *db.Tx, v Version) (targets []int64, err error) {
	const of = `FROM target WHERE kind = 'websub' AND channel = (SELECT url FROM channel WHERE id = ?1) AND expires > ?2`
	if err := db.Each(t.Conn, `SELECT id `+of, func(r *sqlite.Stmt) error {
		targets = append(targets, r.ColumnInt64(0))
		return nil
	}, v.Channel, t.Now); err != nil || len(targets) == 0 {
		return nil, err
	}
	if err := db.Exec(t.Conn, `DELETE FROM delivery WHERE target IN (SELECT id `+of+` AND pending + failed > 0)`,
		v.Channel, t.Now); err != nil {
		return nil, err
	}
	if err := db.Exec(t.Conn, `INSERT INTO delivery (target, version, revision, made) SELECT id, ?3, 0, ?2 `+of,
		v.Channel, t.Now, v.ID); err != nil {
		return nil, err
	}
	return targets, db.Exec(t.Conn, `UPDATE target SET pending = 1, failed = 0 WHERE id IN (SELECT id `+of+`)`,
		v.Channel, t.Now)
}
