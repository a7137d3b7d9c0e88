package openid

import "errors"

// Why somebody is not signed in, besides auth.ErrTooManyAttempts and auth.ErrProxySignsIn.
var (
	ErrNotBegun = errors.New("no sign-in was begun in this browser")    // or too long ago, or in a run before
	ErrDenied   = errors.New("the provider did not sign the person in") // or the person did not want to
	ErrNoAnswer = errors.New("the provider does not answer")            // in time, or as the protocol wants it
	// a token is not valid, or not for this sign-in
	ErrInvalid = errors.New("the provider's answer proves nothing")
	ErrBusy    = errors.New("too many people sign in at the moment")        // see maxSignIns
	ErrNoRole  = errors.New("the provider's user is in none of the groups") // that may use the node
	ErrUnknown = errors.New("the provider's user is nobody here")           // and the node makes no account
	ErrTaken   = errors.New("the account of that name cannot be bound")     // to the provider's user
)
