package wording

import (
	"time"

	"tidings"
	"tidings/delivery/locale"
)

// Words are the words of a language. The zero value has those of English.
type Words struct{ *locale.Locale }

// Good is a state as it should be, in this language.
func (w Words) Good(text, more string) Word { return Good(w.Text(text), w.Text(more)) }

// Wait is a state that passes by itself, in this language.
func (w Words) Wait(text, more string) Word { return Wait(w.Text(text), w.Text(more)) }

// Bad is a state that somebody has to see to, in this language.
func (w Words) Bad(text, more string) Word { return Bad(w.Text(text), w.Text(more)) }

// Idle is a state in which nothing happens, and needs not, in this language.
func (w Words) Idle(text, more string) Word { return Idle(w.Text(text), w.Text(more)) }

// These have the words of English.

func Count[N int | int64](n N, one, many string) string { return Words{}.Count(int64(n), one, many) }
func Thousands(n int64) string                          { return Words{}.Number(n) }
func Bytes(n int64) string                              { return Words{}.Bytes(n) }
func Soon(d time.Duration) string                       { return Words{}.Soon(d) }
func Span(d time.Duration) string                       { return Words{}.Span(d) }
func MomentAt(t, now time.Time) Moment                  { return Words{}.MomentAt(t, now) }
func DatedAt(e tidings.Entry, now time.Time) Moment     { return Words{}.DatedAt(e, now) }
func NextAt(t, now time.Time) Moment                    { return Words{}.NextAt(t, now) }
func DayName(t, now time.Time) string                   { return Words{}.DayName(t, now) }

func HealthOf(h tidings.Health) Word     { return Words{}.Health(h) }
func OutcomeOf(o tidings.Outcome) string { return Words{}.Outcome(o) }
func PrivacyOf(p tidings.Privacy) Word   { return Words{}.Privacy(p) }
func KindOf(k tidings.Kind) string       { return Words{}.Kind(k) }
