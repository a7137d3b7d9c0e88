package auth

import (
	"context"
	"crypto/md5" //nolint:gosec // what keys of the Fever API are made of
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"tidings"
	"tidings/delivery/sync"
)

// Apps keeps the tokens by which feed readers enter, which are app passwords, and the secrets of feed addresses.
type Apps interface {
	// AppPassword returns the account of a token, and its name; tidings.ErrNotFound if there is none.
	AppPassword(ctx context.Context, tokenHash [32]byte) (account tidings.AccountID, name string, err error)
	// FeverKey returns the account of a key of the Fever API, see NewFeverToken.
	FeverKey(ctx context.Context, keyHash [32]byte) (account tidings.AccountID, name string, err error)
	// FeedAddress returns the feed with a secret, and its account; tidings.ErrNotFound if there is none.
	FeedAddress(ctx context.Context, secretHash [32]byte) (account tidings.AccountID, f tidings.FeedAddress, err error)
}

// Gate lets feed readers in, each with a token as its app password. It is safe for concurrent use.
//
// The token alone identifies its owner, and the user name is ignored. Feed readers always ask for a name, and a token
// has 256 random bits. For the same reason its SHA-256 is looked up, which is fast. Nothing is compared with a secret:
// how long the search for a hash takes says nothing about the token.
//
// Wrong tokens are counted with those of the API, by the address of the client (see guesses). Attempts to sign in have
// limits of their own, because those are low. A phone with a revoked token would use them up for everybody at its
// address.
type Gate struct {
	guard *Guard
	apps  Apps
}

// Gate returns the gate for the paths of Config.Readers.
func (g *Guard) Gate(apps Apps) *Gate { return &Gate{g, apps} }

var _ sync.Gate = (*Gate)(nil)

// Enter implements [sync.Gate].
func (g *Gate) Enter(ctx context.Context, _, password string) (sync.Person, string, error) {
	p, err := g.Token(ctx, password)
	return p, password, err
}

// Token implements [sync.Gate].
func (g *Gate) Token(ctx context.Context, token string) (sync.Person, error) {
	hash, ok := tokenHash(token)
	return g.check(ctx, hash, ok, g.apps.AppPassword)
}

// Fever implements [sync.Gate].
func (g *Gate) Fever(ctx context.Context, key string) (sync.Person, error) {
	return g.check(ctx, sha256.Sum256([]byte(key)), true, g.apps.FeverKey)
}

// Feed returns the feed that a secret opens, and its account. Errors are those of the other methods.
func (g *Gate) Feed(ctx context.Context, secret string) (account tidings.AccountID, f tidings.FeedAddress, err error) {
	hash, ok := feedHash(secret)
	_, err = g.check(ctx, hash, ok, func(ctx context.Context, hash [32]byte) (tidings.AccountID, string, error) {
		account, f, err = g.apps.FeedAddress(ctx, hash)
		return account, "", err
	})
	if err != nil {
		return 0, tidings.FeedAddress{}, err
	}
	return account, f, nil
}

// check finds the owner of a hash, and counts the request with that person's. possible: the hash may be somebody's.
func (g *Gate) check(ctx context.Context, hash [32]byte, possible bool,
	find func(context.Context, [32]byte) (tidings.AccountID, string, error)) (sync.Person, error) {
	guesses, addr := g.guard.guesses, clientOf(ctx)
	if !guesses.mayAsk(addr, hash) {
		return sync.Person{}, &sync.TooManyTries{RetryAfter: tokensEvery}
	}
	if !possible {
		guesses.wrong(addr, hash)
		return sync.Person{}, sync.ErrWrong
	}
	account, name, err := find(ctx, hash)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		guesses.wrong(addr, hash)
		return sync.Person{}, sync.ErrWrong
	case err != nil:
		return sync.Person{}, err
	}
	person, err := g.guard.store.Person(ctx, account)
	switch {
	case errors.Is(err, tidings.ErrNotFound): // removed meanwhile
		return sync.Person{}, sync.ErrWrong
	case err != nil:
		return sync.Person{}, err
	}
	guesses.right(hash)
	if wait := g.guard.pace.admit(person, time.Now()); wait > 0 {
		return sync.Person{}, &sync.TooManyRequests{RetryAfter: wait}
	}
	return sync.Person{ID: account, Name: name, Admin: person.Role == tidings.Administrator}, nil
}

// NewFeverToken makes a token for the Fever API: the secret, to be shown once, and the hash that the store keeps.
// Readers send the MD5 of "user:secret" alone, and the hash is that of its hexadecimal digits. So the token is good for
// that user name and that API, and for nothing else.
func NewFeverToken(user string) (secret string, hash [32]byte) {
	secret, _ = NewToken()
	sum := md5.Sum([]byte(user + ":" + secret)) //nolint:gosec // as above
	return secret, sha256.Sum256([]byte(hex.EncodeToString(sum[:])))
}

// MaxFeverUser bounds the user name of a token for the Fever API, in bytes.
const MaxFeverUser = 64

// CheckFeverUser reports what is wrong with a user name for the Fever API: people have to type it exactly.
func CheckFeverUser(user string) error {
	if user == "" || len(user) > MaxFeverUser {
		return tidings.Invalidf("a user name has 1 to %d bytes", MaxFeverUser)
	}
	for _, r := range user {
		if r <= ' ' || r >= 0x7f || r == ':' {
			return tidings.Invalidf("a user name for Fever has printable ASCII characters, no blanks and no colon")
		}
	}
	return nil
}
