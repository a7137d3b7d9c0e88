package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// maxTokens bounds an account's tokens.
const maxTokens = 100

// tokenUses notes when tokens were used last; the file learns of it with the next
// sweep of polls. It holds at most one time a token.
type tokenUses struct {
	mu sync.Mutex
	at map[int64]time.Time
}

func newTokenUses() *tokenUses { return &tokenUses{at: make(map[int64]time.Time)} }

func (u *tokenUses) note(token int64, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[token] = at
}

func (u *tokenUses) get(token int64) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[token]
}

// write brings what has been noted to the file. It stays noted, so that a failed
// transaction loses nothing and readers need not look at both.
func (u *tokenUses) write(t *tx) error {
	u.mu.Lock()
	noted := maps.Clone(u.at)
	u.mu.Unlock()
	for _, token := range slices.Sorted(maps.Keys(noted)) {
		if err := exec(t.Conn, `UPDATE token SET used = ?1 WHERE id = ?2 AND used IS NOT ?1`, noted[token], token); err != nil {
			return fmt.Errorf("noting the use of tokens: %w", err)
		}
	}
	return nil
}

func (u *tokenUses) forget(token int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, token)
}

// CreateToken stores a token under the hash of its secret. An account has at most
// 100; tidings.ErrInvalid beyond.
func (s *Store) CreateToken(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, label string) error {
	err := s.write(ctx, func(t *tx) error {
		if err := exec(t.Conn, `INSERT INTO token (hash, account, label, created)
			SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM token WHERE account = ?2) < ?5`,
			tokenHash[:], int64(account), label, t.now, maxTokens); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.Invalidf("there are %d already", maxTokens)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing a token: %w", err)
	}
	return nil
}

// Token returns the account whose token it is, and notes its use; tidings.ErrNotFound if there is none.
func (s *Store) Token(ctx context.Context, tokenHash [32]byte) (account tidings.AccountID, err error) {
	var id int64
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return must(one(conn, `SELECT account, id FROM token WHERE hash = ?`, func(r *sqlite.Stmt) {
			account, id = tidings.AccountID(r.ColumnInt64(0)), r.ColumnInt64(1)
		}, tokenHash[:]))
	})
	if err != nil {
		return 0, fmt.Errorf("token: %w", err)
	}
	s.uses.note(id, s.now())
	return account, nil
}

// Tokens lists an account's tokens, oldest first.
func (s *Store) Tokens(ctx context.Context, account tidings.AccountID) (tokens []tidings.Token, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT id, label, created, used FROM token WHERE account = ? ORDER BY id`,
			func(r *sqlite.Stmt) error {
				token := tidings.Token{ID: r.ColumnInt64(0), Label: r.ColumnText(1), Created: columnTime(r, 2), LastUsed: columnTime(r, 3)}
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
	err := s.write(ctx, func(t *tx) error {
		if err := exec(t.Conn, `DELETE FROM token WHERE id = ? AND account = ?`, id, int64(account)); err != nil {
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
