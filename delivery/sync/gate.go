package sync

import (
	"context"
	"errors"
	"time"
)

// Gate lets people in. Their clients have an app password, which the node makes and can revoke: no client is
// given the password of the page. The client's address, by which guesses are limited, is in the context.
//
// An error is [ErrWrong], a [*TooManyTries], a [*TooManyRequests], or trouble of the node's own.
type Gate interface {
	// Enter checks a name and its app password. It is called for each request with HTTP Basic, so it must be fast.
	// Token accepts the returned token from then on. The token has letters, digits, "-" and "_" alone, since clients
	// cut it at any of `=&:#\`. It is none of the words NA, unused, none and null.
	Enter(ctx context.Context, user, password string) (p Person, token string, err error)
	// Token checks a token.
	Token(ctx context.Context, token string) (Person, error)
	// Fever checks the MD5 of "user:password" in lower-case hexadecimal digits.
	Fever(ctx context.Context, key string) (Person, error)
}

// ErrWrong says that a password or token is nobody's.
var ErrWrong = errors.New("wrong user name or app password")

// TooManyTries says that a client has guessed too often.
type TooManyTries struct{ RetryAfter time.Duration }

func (*TooManyTries) Error() string { return "too many wrong passwords" }

// TooManyRequests says that a person's clients send more than a person may.
type TooManyRequests struct{ RetryAfter time.Duration }

func (*TooManyRequests) Error() string { return "too many requests" }
