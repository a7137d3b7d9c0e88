package published

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// maxPublications bounds what a node publishes at a time.
const maxPublications = 1000

// Publication is a channel that this node publishes with a key. The two name it.
type Publication struct {
	Channel string // canonical URL
	Key     string // name of the publisher's key; the key itself may be replaced

	Fingerprint [32]byte      // of the key in use
	Topic       [20]byte      // under which items are published with it
	Silence     time.Duration // whole seconds; 0: nothing is promised
	Watched     string        // file or URL whose items are published; empty: they come from elsewhere
	Contents    string        // directory with whole contents of items; empty: none
	ThirdParty  bool          // the channel is somebody else's

	Next    uint64    // number of the next item
	Last    time.Time // of the item before it; zero: there was none
	Started time.Time
	Stopped time.Time // zero: it goes on
	Unsent  int       // items that no other node is known to have
}

const publicationColumns = `p.channel, p.key, p.fingerprint, p.topic, p.silence, p.watched, p.contents, p.next, p.last, p.started, p.stopped,
	(SELECT count(*) FROM published i WHERE i.publication = p.id AND i.sent = 0),
	p.third_party`

func readPublication(r *sqlite.Stmt) Publication {
	p := Publication{
		Channel: r.ColumnText(0), Key: r.ColumnText(1), Silence: time.Duration(r.ColumnInt64(4)) * time.Second,
		Watched: r.ColumnText(5), Contents: r.ColumnText(6), Next: uint64(r.ColumnInt64(7)),
		Started: db.ColumnTime(r, 9), Stopped: db.ColumnTime(r, 10), Unsent: r.ColumnInt(11),
		ThirdParty: r.ColumnBool(12),
	}
	copy(p.Fingerprint[:], db.ColumnBlob(r, 2))
	copy(p.Topic[:], db.ColumnBlob(r, 3))
	if last := r.ColumnInt64(8); last > 0 {
		p.Last = time.UnixMilli(last).UTC()
	}
	return p
}

// Publish begins a publication, resumes one that was stopped, or changes the source of its items and the key under
// which they are sent. Numbers continue. Only Channel, Key, Fingerprint, Topic, Silence, Watched, Contents and
// ThirdParty are read. The error is tidings.ErrInvalid if there are too many publications.
func (s *Store) Publish(ctx context.Context, p Publication) (now Publication, err error) {
	err = s.db.Write(ctx, func(t *db.Tx) error {
		others := 0
		if _, err :=
			db.One(t.Conn, `SELECT count(*) FROM publication WHERE stopped IS NULL AND NOT (channel = ? AND key = ?)`,
				func(r *sqlite.Stmt) { others = r.ColumnInt(0) }, p.Channel, p.Key); err != nil {
			return err
		}
		if others >= maxPublications {
			return tidings.Invalidf("%d channels are published already", others)
		}
		if err := db.Exec(t.Conn, `INSERT INTO publication (channel, key, fingerprint, topic, silence, watched,
			contents, started, third_party)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (channel, key) DO UPDATE SET
			fingerprint = ?3, topic = ?4, silence = ?5, watched = ?6, contents = ?7, third_party = ?9, stopped = NULL`,
			p.Channel, p.Key, p.Fingerprint[:], p.Topic[:], int64(p.Silence/time.Second), p.Watched, p.Contents, t.Now,
			p.ThirdParty); err != nil {
			return err
		}
		now, err = publicationOf(t.Conn, p.Channel, p.Key)
		return err
	})
	if err != nil {
		return Publication{}, fmt.Errorf("publishing %s: %w", p.Channel, err)
	}
	return now, nil
}

func publicationOf(conn *sqlite.Conn, channel, key string) (p Publication, err error) {
	err = db.Must(db.One(conn, `SELECT `+publicationColumns+` FROM publication p WHERE channel = ? AND key = ?`,
		func(r *sqlite.Stmt) { p = readPublication(r) }, channel, key))
	return p, err
}

// StopPublishing ends the publications of a channel, with all keys. What it has published stays.
// tidings.ErrNotFound if it is not published.
func (s *Store) StopPublishing(ctx context.Context, channel string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `UPDATE publication SET stopped = ? WHERE channel = ? AND stopped IS NULL`, t.Now,
			channel); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ending the publication of %s: %w", channel, err)
	}
	return nil
}

// Publication returns one, stopped or not; tidings.ErrNotFound if there is none.
func (s *Store) Publication(ctx context.Context, channel, key string) (p Publication, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		p, err = publicationOf(conn, channel, key)
		return err
	})
	if err != nil {
		return Publication{}, fmt.Errorf("publication of %s: %w", channel, err)
	}
	return p, nil
}

// Publications lists what is published, and was, in the order in which it began.
func (s *Store) Publications(ctx context.Context) (all []Publication, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+publicationColumns+` FROM publication p ORDER BY id`,
			func(r *sqlite.Stmt) error {
				all = append(all, readPublication(r))
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("listing publications: %w", err)
	}
	return all, nil
}
