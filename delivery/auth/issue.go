package auth

import (
	"context"

	"tidings"
)

// TokenStore keeps tokens by their hashes.
type TokenStore interface {
	// CreateToken fails with tidings.ErrInvalid where an account has too many.
	CreateToken(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, t tidings.Token) error
}

// IssueToken makes a token of account, stores it and returns its secret, which is to be shown once.
func IssueToken(ctx context.Context, s TokenStore, account tidings.AccountID, label string) (secret string, err error) {
	secret, hash := NewToken()
	return secret, s.CreateToken(ctx, hash, account, tidings.Token{Label: label})
}

// IssuePostingToken does the same with a token that posts items to the channel of a name, and does nothing else;
// tidings.ErrInvalid if no channel can have the name.
func IssuePostingToken(ctx context.Context, s TokenStore, account tidings.AccountID, label,
	channel string) (secret string, err error) {
	if channel, err = tidings.CleanPostedName(channel); err != nil {
		return "", err
	}
	secret, hash := NewToken()
	return secret, s.CreateToken(ctx, hash, account, tidings.Token{Label: label, Posts: channel})
}

// FeedStore keeps addresses of feeds by the hashes of their secrets.
type FeedStore interface {
	// AddFeedAddress fails with tidings.ErrInvalid if there can be no such feed, or if an account has too many. It
	// fails with tidings.ErrNotFollowed for a channel that the account does not follow.
	AddFeedAddress(ctx context.Context, secretHash [32]byte, account tidings.AccountID,
		f tidings.FeedAddress) (tidings.FeedAddress, error)
	// FeedAddressesOf lists those of an account, the oldest first.
	FeedAddressesOf(ctx context.Context, account tidings.AccountID) ([]tidings.FeedAddress, error)
	// RemoveFeedAddress removes one of the account; tidings.ErrNotFound if it has none such.
	RemoveFeedAddress(ctx context.Context, account tidings.AccountID, id int64) error
}

// IssueFeedAddress makes an address of a feed, stores it and returns its secret, which is to be shown once.
func IssueFeedAddress(ctx context.Context, s FeedStore, account tidings.AccountID,
	f tidings.FeedAddress) (added tidings.FeedAddress, secret string, err error) {
	secret, hash := newFeedSecret()
	added, err = s.AddFeedAddress(ctx, hash, account, f)
	return added, secret, err
}

// IssueFeverToken does the same with a token for the Fever API under a user name; tidings.ErrInvalid if people cannot
// be asked to type that.
func IssueFeverToken(ctx context.Context, s TokenStore, account tidings.AccountID, label,
	user string) (secret string, err error) {
	if err := CheckFeverUser(user); err != nil {
		return "", err
	}
	secret, hash := NewFeverToken(user)
	return secret, s.CreateToken(ctx, hash, account, tidings.Token{Label: label, FeverUser: user})
}
