package tidings

import "errors"

// What callers in more than one layer tell apart. They are wrapped with what was being done.
var (
	ErrNotFound     = errors.New("not found")
	ErrNotFollowed  = errors.New("not followed")
	ErrExists       = errors.New("already there")
	ErrInvalid      = errors.New("invalid") // what a person or client gave cannot be used
	ErrStale        = errors.New("based on another version than the latest")
	ErrUnauthorized = errors.New("not allowed")
)
