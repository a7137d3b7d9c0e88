package reader

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// MaxTokens bounds an account's tokens.
const MaxTokens = 100

// usesDelay is how long the use of a token may wait in memory. A crash forgets it.
const usesDelay = 10 * time.Second

// tokenUses notes when tokens were used last; the file learns of it later. It holds at most one time a token.
type tokenUses struct {
	wake func() // is called when there is something to write after there was nothing

	mu      sync.Mutex
	at      map[int64]time.Time
	waiting map[int64]struct{} // of at, what is not in the file
}

func newTokenUses(wake func()) *tokenUses {
	return &tokenUses{wake: wake, at: make(map[int64]time.Time), waiting: make(map[int64]struct{})}
}

func (u *tokenUses) note(token int64, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[token] = at
	u.waiting[token] = struct{}{}
	if len(u.waiting) == 1 {
		u.wake()
	}
}

func (u *tokenUses) get(token int64) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[token]
}

func (u *tokenUses) empty() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.waiting) == 0
}

// work is what the writer does with them. All stay noted, so that readers need not look at the file as well.
func (u *tokenUses) work() db.Work {
	return db.Work{
		Waits: func() bool { return !u.empty() },
		After: func() time.Duration { return usesDelay },
		Do: func(t *db.Tx) (more bool, err error) {
			noted := u.unwritten()
			for _, token := range slices.Sorted(maps.Keys(noted)) {
				if err := db.Exec(t.Conn, `UPDATE token SET used = ?1 WHERE id = ?2 AND used IS NOT ?1`, noted[token],
					token); err != nil {
					return false, fmt.Errorf("noting the use of tokens: %w", err)
				}
			}
			t.OnCommit(func() { u.written(noted) })
			return false, nil
		},
		AtClose: true,
	}
}

func (u *tokenUses) unwritten() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	noted := make(map[int64]time.Time, len(u.waiting))
	for token := range u.waiting {
		noted[token] = u.at[token]
	}
	return noted
}

// written notes what is in the file. What was used again meanwhile waits.
func (u *tokenUses) written(noted map[int64]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for token, at := range noted {
		if u.at[token].Equal(at) {
			delete(u.waiting, token)
		}
	}
}

func (u *tokenUses) forget(token int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, token)
	delete(u.waiting, token)
}

// CreateToken stores a token under the hash of its secret, with its label and what alone it is for: the Fever API under
// a user name, where the hash is that of the key, or posting items. tidings.ErrInvalid beyond MaxTokens.
func (s *Store) CreateToken(ctx context.Context, tokenHash [32]byte, account tidings.AccountID,
	token tidings.Token) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `INSERT INTO token (hash, account, label, created, fever, posts)
			SELECT ?1, id, ?3, ?4, nullif(?6, ''), nullif(?7, '') FROM account
			WHERE id = ?2 AND (SELECT count(*) FROM token WHERE account = ?2) < ?5`,
			tokenHash[:], int64(account), token.Label, t.Now, MaxTokens, token.FeverUser, token.Posts); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.Invalidf("there are %d already", MaxTokens)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing a token: %w", err)
	}
	return nil
}

// Token returns the account whose token it is, and notes its use; tidings.ErrNotFound if there is none, or if it is one
// for the Fever API or for posting.
func (s *Store) Token(ctx context.Context, tokenHash [32]byte) (account tidings.AccountID, err error) {
	account, _, err = s.enter(ctx, `t.fever IS NULL AND t.posts IS NULL`, tokenHash)
	return account, err
}

// AppPassword is Token, and returns the name of the account as well.
func (s *Store) AppPassword(ctx context.Context,
	tokenHash [32]byte) (account tidings.AccountID, name string, err error) {
	return s.enter(ctx, `t.fever IS NULL AND t.posts IS NULL`, tokenHash)
}

// FeverKey returns the account whose key for the Fever API it is, and its name, and notes the token's use;
// tidings.ErrNotFound if there is none.
func (s *Store) FeverKey(ctx context.Context, keyHash [32]byte) (account tidings.AccountID, name string, err error) {
	return s.enter(ctx, `t.fever IS NOT NULL`, keyHash)
}

// PostingToken returns the account of a token for posting, and the name of the channel that it is for, and notes its
// use; tidings.ErrNotFound if there is none.
func (s *Store) PostingToken(ctx context.Context,
	tokenHash [32]byte) (account tidings.AccountID, channel string, err error) {
	account, _, err = s.enter(ctx, `t.posts IS NOT NULL`, tokenHash)
	if err != nil {
		return 0, "", err
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT posts FROM token WHERE hash = ?`, func(r *sqlite.Stmt) {
			channel = r.ColumnText(0)
		}, tokenHash[:]))
	})
	if err != nil {
		return 0, "", fmt.Errorf("token for posting: %w", err)
	}
	return account, channel, nil
}

// enter finds a token of a kind by its hash.
func (s *Store) enter(ctx context.Context, kind string,
	hash [32]byte) (account tidings.AccountID, name string, err error) {
	var id int64
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(
			db.One(conn,
				`SELECT a.id, a.name, t.id FROM token t JOIN account a ON a.id = t.account WHERE t.hash = ? AND `+kind,
				func(r *sqlite.Stmt) {
					account, name, id = tidings.AccountID(r.ColumnInt64(0)), r.ColumnText(1), r.ColumnInt64(2)
				}, hash[:]))
	})
	if err != nil {
		return 0, "", fmt.Errorf("token: %w", err)
	}
	s.uses.note(id, s.db.Now())
	return account, name, nil
}

// Tokens lists an account's tokens, oldest first.
func (s *Store) Tokens(ctx context.Context, account tidings.AccountID) (tokens []tidings.Token, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT id, label, created, used, fever, posts FROM token WHERE account = ? ORDER BY id`,
			func(r *sqlite.Stmt) error {
				token := tidings.Token{ID: r.ColumnInt64(0), Label: r.ColumnText(1), Created: db.ColumnTime(r, 2),
					LastUsed: db.ColumnTime(r, 3), FeverUser: r.ColumnText(4), Posts: r.ColumnText(5)}
				if used := s.uses.get(token.ID); used.After(token.LastUsed) {
					token.LastUsed = used
				}
				tokens = append(tokens, token)
				return nil
			}, int64(account))
	})
	if err != nil {
		return nil, fmt.Errorf("listing tokens: %w", err)
	}
	return tokens, nil
}

// DeleteToken removes a token of the account; tidings.ErrNotFound if it has none such.
func (s *Store) DeleteToken(ctx context.Context, account tidings.AccountID, id int64) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM token WHERE id = ? AND account = ?`, id, int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removing token %d: %w", id, err)
	}
	s.uses.forget(id)
	return nil
}
