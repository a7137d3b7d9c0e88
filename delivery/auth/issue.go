package auth

import (
	"context"

	"tidings"
)

// TokenStore keeps tokens by their hashes. Both fail with tidings.ErrInvalid where an account has too many.
type TokenStore interface {
	CreateToken(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, label string) error
	CreateFeverToken(ctx context.Context, keyHash [32]byte, account tidings.AccountID, label, user string) error
}

// IssueToken makes a token of account, stores it and returns its secret, which is to be shown once.
func IssueToken(ctx context.Context, s TokenStore, account tidings.AccountID, label string) (secret string, err error) {
	secret, hash := NewToken()
	return secret, s.CreateToken(ctx, hash, account, label)
}

// IssueFeverToken does the same with a token for the Fever API under a user name; tidings.ErrInvalid if people cannot be
// asked to type that.
func IssueFeverToken(ctx context.Context, s TokenStore, account tidings.AccountID, label, user string) (secret string, err error) {
	if err := CheckFeverUser(user); err != nil {
		return "", err
	}
	secret, hash := NewFeverToken(user)
	return secret, s.CreateFeverToken(ctx, hash, account, label, user)
}
