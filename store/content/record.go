package content

import (
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// MaxItems bounds the items of one change.
const MaxItems = 10_000

// Record is what one poll of a channel leaves behind.
type Record struct {
	URL      string
	Poll     tidings.Poll
	Health   tidings.Health
	Failures int             // polls in a row that did not read it
	Ended    bool            // as the channel is after this poll
	Memory   []byte          // what the fetcher remembers; nil: as before
	Noise    []byte          // what has been learned to be noise; nil: as before
	Moved    *string         // where the channel is fetched from now on; nil: as before
	Privacy  tidings.Privacy // empty: as before
	Change   *tidings.Change

	planned bool // there was no poll: only Poll.Next and NextWhy are said
}

// over returns r merged over before: what r does not set is that of before.
func (r Record) over(before Record) Record {
	if r.planned {
		before.Poll.Next, before.Poll.NextWhy = r.Poll.Next, r.Poll.NextWhy
		return before
	}
	if r.Memory == nil {
		r.Memory = before.Memory
	}
	if r.Noise == nil {
		r.Noise = before.Noise
	}
	if r.Moved == nil {
		r.Moved = before.Moved
	}
	if r.Privacy == "" {
		r.Privacy = before.Privacy
	}
	return r
}

// Poll stores what a poll of a channel leaves, and its change, if p is not nil; see Add. What waits to be written of
// the channel is written with it.
func Poll(t *Tx, r *Record, p *Prepared) (*tidings.Update, error) {
	ch, err := Find(t, r.URL)
	if err != nil {
		return nil, err
	}
	if before := waiting(t, r.URL); before != nil {
		*r = r.over(*before)
	}
	if err := r.writePoll(t.Tx); err != nil {
		return nil, err
	}
	return Add(t, ch, p)
}

// writePoll writes everything but the change. A channel that is not there is no error.
func (r *Record) writePoll(t *db.Tx) error {
	l := r.Poll
	if r.planned {
		return db.Exec(t.Conn,
			`UPDATE watch SET next = ?, next_why = ? WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
			l.Next, l.NextWhy, r.URL)
	}
	if err := db.Exec(t.Conn,
		`UPDATE watch SET health = ?, failures = ?, ended = ?, at = ?, why = ?, outcome = ?, status = ?,
			bytes = ?, took = ?, error = ?, next = ?, next_why = ?, memory = coalesce(?, memory)
		WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
		string(r.Health), r.Failures, r.Ended, l.At, l.Why, string(l.Outcome), l.Status,
		l.Bytes, int64(l.Took), l.Error, l.Next, l.NextWhy, r.Memory, r.URL); err != nil {
		return err
	}
	if r.Noise != nil {
		if err := db.Exec(t.Conn, `INSERT INTO noise (channel, body) SELECT id, ? FROM channel WHERE url = ?
			ON CONFLICT (channel) DO UPDATE SET body = excluded.body`, r.Noise, r.URL); err != nil {
			return err
		}
	}
	if r.Moved != nil {
		if err := db.Exec(t.Conn, `UPDATE channel SET moved = ? WHERE url = ?`, *r.Moved, r.URL); err != nil {
			return err
		}
	}
	if r.Privacy != "" {
		return db.Exec(t.Conn, `UPDATE channel SET privacy = ? WHERE url = ?`, string(r.Privacy), r.URL)
	}
	return nil
}

// overlay puts what waits to be written over what was read.
func (r *Record) overlay(l *tidings.Poll, health *tidings.Health, failures *int) {
	if r.planned {
		l.Next, l.NextWhy = r.Poll.Next, r.Poll.NextWhy
		return
	}
	*l, *health, *failures = r.Poll, r.Health, r.Failures
}

// Row is a channel as recording needs it.
type Row struct {
	ID      int64
	url     string
	kind    tidings.Kind
	title   string
	site    string
	icon    string
	version tidings.Version
	latest  int64 // update
}

// Find returns a channel that somebody follows, here or elsewhere.
func Find(t *Tx, url string) (*Row, error) {
	ch := &Row{url: url}
	found, err := db.One(t.Conn, `SELECT id, kind, title, site, icon, version, latest FROM channel
		WHERE url = ? AND (orphaned IS NULL OR polled IS NOT NULL)`, func(r *sqlite.Stmt) {
		ch.ID = r.ColumnInt64(0)
		ch.kind = tidings.Kind(r.ColumnText(1))
		ch.title = r.ColumnText(2)
		ch.site = r.ColumnText(3)
		ch.icon = r.ColumnText(4)
		ch.version = tidings.Version(r.ColumnInt64(5))
		ch.latest = r.ColumnInt64(6)
	}, url)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	return ch, err
}

// Add stores a change; nil is none. It fails with tidings.ErrStale if the change was compared with another version than
// the latest. Nothing of the change is stored then.
func Add(t *Tx, ch *Row, p *Prepared) (*tidings.Update, error) {
	if p == nil {
		return nil, nil
	}
	if p.Notice != nil {
		return recordNotice(t, ch, p)
	}
	if !p.Past { // what it says of the channel is past as well
		if err := describe(t, ch, p.Change); err != nil {
			return nil, err
		}
	}
	if p.Kind == tidings.KindPage {
		return recordPage(t, ch, p)
	}
	return recordFeed(t, ch, p)
}

// describe applies what the change says of the channel itself.
func describe(t *Tx, ch *Row, f *tidings.Change) error {
	before := *ch
	if ch.kind.HasOrigin() {
		ch.kind = f.Kind
	}
	if f.Title != "" {
		ch.title = f.Title
	}
	if f.Site != "" {
		ch.site = f.Site
	}
	if f.Icon != "" {
		ch.icon = f.Icon
	}
	if *ch == before {
		return nil
	}
	return db.Exec(t.Conn, `UPDATE channel SET kind = ?, title = ?, site = ?, icon = ? WHERE id = ?`,
		string(ch.kind), ch.title, ch.site, ch.icon, ch.ID)
}

// addVersion gives a change its version and its place in the stream. Its revisions
// have the numbers first to last; body is what State is made of.
func addVersion(t *Tx, ch *Row, f *tidings.Change, first, last int64, delta, body []byte) (*tidings.Update, error) {
	u := &tidings.Update{
		ID:            t.Next(updateNumbers),
		Channel:       ch.url,
		Title:         ch.title,
		Version:       ch.version + 1,
		Time:          db.Stored(f.Found),
		Kind:          f.Kind,
		Delta:         f.Delta,
		BaseHash:      f.BaseHash,
		Hash:          f.Hash,
		FoundBy:       f.FoundBy,
		ConfirmedBy:   f.ConfirmedBy,
		SignedBy:      f.SignedBy,
		ThirdParty:    f.ThirdParty,
		OriginChanged: db.Stored(f.OriginChanged),
		Received:      t.Now,
	}
	if err := db.Exec(t.Conn, `INSERT INTO version (id, channel, version, kind, found, received, found_by,
		confirmed_by, signed_by, third_party, origin_changed,
			base_hash, hash, delta, first, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		u.ID, ch.ID, int64(u.Version), string(u.Kind), u.Time, u.Received, u.FoundBy, strings.Join(u.ConfirmedBy, " "),
		u.SignedBy, u.ThirdParty, u.OriginChanged,
		u.BaseHash, u.Hash, delta, first, last); err != nil {
		return nil, err
	}
	if err := db.Exec(t.Conn, `INSERT INTO content (version, body) VALUES (?, ?)`, u.ID, body); err != nil {
		return nil, err
	}
	if f.Kind == tidings.KindFeed && f.Notice == nil { // a document that is kept is that of the latest version
		if err := db.Exec(t.Conn, `DELETE FROM document WHERE channel = ?`, ch.ID); err != nil {
			return nil, err
		}
	}
	quiet := f.Kind == tidings.KindPage && last < first    // a condition says that nobody is to be notified
	if !quiet && (u.Version > 1 || !ch.kind.HasOrigin()) { // what an origin lists at first is not new
		t.Left.Versions = append(t.Left.Versions, Version{u.ID, ch.ID, first, last, f.Kind == tidings.KindPage,
			f.Notice != nil})
	}
	return u, db.Exec(t.Conn, `UPDATE channel SET version = ?, latest = ?, changed = ? WHERE id = ?`,
		int64(u.Version), u.ID, u.Received, ch.ID)
}
