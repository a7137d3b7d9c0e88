package pushed

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// maxFiles is how many files of a channel are known; the oldest go first.
const maxFiles = 200

// File is a file that items of a channel carry, with the larger content that its publisher has signed for it.
type File struct {
	tidings.File
	Channel string // canonical URL
	Since   time.Time
	GivenUp bool // it is looked for no longer
}

const fileColumns = `c.url, f.url, f.ref, f.type, f.length, f.since, f.given_up IS NOT NULL`

func readFile(r *sqlite.Stmt) File {
	f := File{Channel: r.ColumnText(0), Since: db.ColumnTime(r, 5), GivenUp: r.ColumnBool(6)}
	f.File = tidings.File{URL: r.ColumnText(1), Type: r.ColumnText(3), Length: r.ColumnInt64(4)}
	copy(f.Ref[:], db.ColumnBlob(r, 2))
	return f
}

// addFiles notes files of a channel. A file that replaces another content under the same URL is searched for anew.
// Files that are known already stay as they are.
func addFiles(t *db.Tx, channel int64, files []tidings.File) error {
	if len(files) == 0 {
		return nil
	}
	for _, f := range files {
		if err := db.Exec(t.Conn,
			`INSERT INTO item_file (channel, url, ref, type, length, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (channel, url) DO UPDATE SET ref = ?3, type = ?4, length = ?5, since = ?6, given_up = NULL
			WHERE ref != ?3`,
			channel, f.URL, f.Ref[:], f.Type, f.Length, t.Now); err != nil {
			return err
		}
	}
	return db.Exec(t.Conn,
		`DELETE FROM item_file WHERE channel = ?1 AND url IN (SELECT url FROM item_file WHERE channel = ?1
		ORDER BY since DESC, url LIMIT -1 OFFSET ?2)`, channel, maxFiles)
}

// ForgetFile removes a file of a channel, if there is one.
func ForgetFile(t *db.Tx, channel int64, url string) error {
	return db.Exec(t.Conn, `DELETE FROM item_file WHERE channel = ? AND url = ?`, channel, url)
}

// Files returns the files of all channels that somebody here follows, the oldest first.
func (s *Store) Files(ctx context.Context) (all []File, err error) {
	return s.files(ctx, `SELECT `+fileColumns+` FROM item_file f JOIN channel c ON c.id = f.channel
		WHERE c.orphaned IS NULL ORDER BY f.since, c.id, f.url`)
}

// FilesFor returns the files with a content, of the channels that an account follows.
func (s *Store) FilesFor(ctx context.Context, account tidings.AccountID, ref [32]byte) ([]File, error) {
	return s.files(ctx, `SELECT `+fileColumns+` FROM item_file f JOIN channel c ON c.id = f.channel
		JOIN subscription s ON s.channel = c.id AND s.account = ? WHERE f.ref = ? ORDER BY f.since, c.id, f.url`, int64(account), ref[:])
}

// FilesAt returns the files with an address at their origin, of the channels that an account follows.
func (s *Store) FilesAt(ctx context.Context, account tidings.AccountID, url string) ([]File, error) {
	return s.files(ctx, `SELECT `+fileColumns+` FROM item_file f JOIN channel c ON c.id = f.channel
		JOIN subscription s ON s.channel = c.id AND s.account = ? WHERE f.url = ? ORDER BY f.since, c.id`, int64(account), url)
}

func (s *Store) files(ctx context.Context, sql string, args ...any) (files []File, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, sql, func(r *sqlite.Stmt) error {
			files = append(files, readFile(r))
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("listing files that items carry: %w", err)
	}
	return files, nil
}

// SearchAgain has a content be looked for again, under whatever URL, as if it had come just now.
func (s *Store) SearchAgain(ctx context.Context, ref [32]byte) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `UPDATE item_file SET given_up = NULL, since = ? WHERE ref = ?`, t.Now, ref[:])
	})
	if err != nil {
		return fmt.Errorf("looking for a content again: %w", err)
	}
	return nil
}

// GiveUp has a content be looked for no longer, under whatever URL.
func (s *Store) GiveUp(ctx context.Context, ref [32]byte) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `UPDATE item_file SET given_up = ? WHERE ref = ? AND given_up IS NULL`, t.Now, ref[:])
	})
	if err != nil {
		return fmt.Errorf("giving up a content: %w", err)
	}
	return nil
}
