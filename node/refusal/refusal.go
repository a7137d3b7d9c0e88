// Package refusal makes the errors that tell a person, in plain words, why what he or she gave cannot be used. All are tidings.ErrInvalid.
package refusal

import (
	"fmt"
	"strings"

	"tidings"
)

type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == tidings.ErrInvalid }

// Errorf returns an error of one line, which is shown as it is: it wraps nothing.
func Errorf(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error        { return h.error }
func (h *hinted) Is(target error) bool { return target == tidings.ErrInvalid }
func (h *hinted) Hint() string         { return h.hint }

// WithHint returns err with what a person can do about it, which interfaces ask for by its method Hint() string.
func WithHint(err error, hint string) error { return &hinted{err, hint} }

// Quote shortens a text that is quoted to whoever wrote it to about 100 bytes.
func Quote(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
