package auth

import (
	"context"

	"tidings"
)

type accountKey struct{}

// WithAccount returns a context of a request that was found to come from account.
func WithAccount(ctx context.Context, account tidings.AccountID) context.Context {
	return context.WithValue(ctx, accountKey{}, account)
}

// Account returns the account that a request comes from, and false if nobody vouched for one.
func Account(ctx context.Context) (tidings.AccountID, bool) {
	account, ok := ctx.Value(accountKey{}).(tidings.AccountID)
	return account, ok
}
