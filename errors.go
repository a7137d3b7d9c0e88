package tidings

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
)

// What callers of more than one layer distinguish. They are wrapped with what was being done.
var (
	ErrNotFound     = errors.New("not found")
	ErrNotFollowed  = errors.New("not followed")
	ErrExists       = errors.New("already there")
	ErrInvalid      = errors.New("invalid") // what a person or client gave cannot be used
	ErrStale        = errors.New("based on another version than the latest")
	ErrUnauthorized = errors.New("not allowed")
	ErrDiskFull     = errors.New("the disk is full")
	ErrDisk         = errors.New("the disk of the node fails") // in another way than by being full
)

// Failure is why something was not done, said to a person by [Reason] and [HintOf].
type Failure struct {
	Op      string // what was being done, such as "reading"; "" if Err says it
	Address string // of the URL or file that it was done with; "" if there is none
	Hint    string // what a person can do about it; "" if nobody knows
	Err     error
}

// Error returns all that is known of the failure but for the hint.
func (f *Failure) Error() string { return f.before() + f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

func (f *Failure) before() string {
	switch {
	case f.Op == "":
		return ""
	case f.Address == "":
		return f.Op + ": "
	}
	return f.Op + " " + f.Address + ": "
}

// WithHint returns err with what a person can do about it. It returns err itself if either is missing.
func WithHint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &Failure{Hint: hint, Err: err}
}

// invalid is an ErrInvalid whose text says in plain words what is wrong.
type invalid struct{ error }

func (i *invalid) Unwrap() error { return i.error }

func (i *invalid) Is(target error) bool { return target == ErrInvalid }

// Invalidf returns an [ErrInvalid] that says in plain words why what a person gave cannot be used.
// [Reason] lets nothing stand before it that was being done.
func Invalidf(format string, args ...any) error { return &invalid{fmt.Errorf(format, args...)} }

// Reason returns err in one line for people. Every layer says what it was doing before what the one below it said: of
// the failures within each other only the innermost with an address stands, or else the outermost.
func Reason(err error) string {
	var stands Failure
	cause := err
	for f := (*Failure)(nil); errors.As(err, &f); err = f.Err {
		if f.Op == "" {
			continue
		}
		if cause = f.Err; stands.Op == "" || f.Address != "" {
			stands = *f
		}
	}
	text := cause.Error()
	if !errors.As(cause, new(*invalid)) {
		text = stands.before() + text
	}
	return strings.Join(strings.Fields(text), " ")
}

// HintOf returns what a person can do about err, by the outermost failure that has a hint; "" if none has.
func HintOf(err error) string {
	var f *Failure
	if !errors.As(err, &f) {
		return ""
	}
	return cmp.Or(f.Hint, HintOf(f.Err))
}

// Explain returns the reason of err with the hint behind it, in one line for where there is one place for both.
func Explain(err error) string {
	if hint := HintOf(err); hint != "" {
		return Reason(err) + " (" + hint + ")"
	}
	return Reason(err)
}

// Quote shortens a text, to be quoted to its writer, to about 100 bytes.
func Quote(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// AppearAs names a file that is written whole; link is os.Link. Unlike a rename, a link never replaces a file that came
// meanwhile, which is ErrExists. On a file system without links the file is renamed, unless another is there.
func AppearAs(part, file string, link func(from, to string) error) error {
	err := link(part, file)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(file); errors.Is(err, os.ErrExist) || there == nil {
		return ErrExists
	}
	return os.Rename(part, file)
}
