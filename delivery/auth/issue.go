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

// IssueToken makes a token of account, stores it and returns its secret, which is to be shown once. With a user name it
// is one for the Fever API alone; tidings.ErrInvalid if people cannot be asked to type that name.
func IssueToken(ctx context.Context, s TokenStore, account tidings.AccountID, label, feverUser string) (secret string, err error) {
	if feverUser == "" {
		secret, hash := NewToken()
		return secret, s.CreateToken(ctx, hash, account, label)
	}
	if err := CheckFeverUser(feverUser); err != nil {
		return "", err
	}
	secret, hash := NewFeverToken(feverUser)
	return secret, s.CreateFeverToken(ctx, hash, account, label, feverUser)
}
