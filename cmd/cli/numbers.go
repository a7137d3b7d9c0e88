package cli

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"
)

// number reads every number of the command line. It replaces kong's own reading, which mistakes "-1" for another flag.
// A flag's bounds stand in its tags: least, 0 if there is none, and most.
type number struct{}

// numberKinds are what fields that hold numbers are made of.
var numberKinds = []reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64}

func numbers() (all []kong.Option) {
	for _, kind := range numberKinds {
		all = append(all, kong.KindMapper(kind, number{}))
	}
	return all
}

// Decode is part of kong.Mapper.
func (number) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := Pop(ctx)
	if err != nil {
		return err
	}
	least, most, err := boundsOf(ctx.Value.Tag)
	if err != nil {
		return err
	}
	value, err := setNumber(target, text)
	switch {
	case (errors.Is(err, strconv.ErrSyntax) || math.IsNaN(value)) && target.Kind() == reflect.Float64:
		return outside(ctx, fmt.Sprintf("must be a number, not %q", text))
	case errors.Is(err, strconv.ErrSyntax):
		return outside(ctx, fmt.Sprintf("must be a whole number, not %q", text))
	case value < least || value > most:
		return outside(ctx, fmt.Sprintf("must be %s, not %s", rangeWords(least, most), text))
	case err != nil || math.IsInf(value, 0):
		return outside(ctx, text+" is too large")
	}
	return nil
}

// setNumber sets target to what text says and returns it, too, exact as long as it is small.
func setNumber(target reflect.Value, text string) (float64, error) {
	if target.Kind() == reflect.Float64 {
		value, err := strconv.ParseFloat(text, 64)
		target.SetFloat(value)
		return value, err
	}
	if target.Kind() == reflect.Uint64 {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			target.SetUint(n)
			return float64(n), nil
		}
		n, err := strconv.ParseInt(text, 10, 64) // it may be negative
		return float64(n), err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	target.SetInt(n)
	return float64(n), err
}

// boundsOf returns the bounds in a flag's tags.
func boundsOf(tag *kong.Tag) (least, most float64, err error) {
	most = math.Inf(1)
	if tag.Has("least") {
		least, err = tag.GetFloat("least")
	}
	if err == nil && tag.Has("most") {
		most, err = tag.GetFloat("most")
	}
	return least, most, err
}

// CheckNumbers reports the first number of a command line that number does not read, or that has impossible bounds. It
// returns how many numbers there are.
func CheckNumbers(model *kong.Application) (seen int, err error) {
	return seen, kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		var value *kong.Value
		switch node := node.(type) {
		case *kong.Flag:
			value = node.Value
		case *kong.Value:
			value = node
		default:
			return next(nil)
		}
		of := value.Target.Type()
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() < reflect.Int || of.Kind() > reflect.Float64 || readsItself(of) {
			return next(nil)
		}
		seen++
		if least, most, err := boundsOf(value.Tag); err != nil || least > most ||
			!slices.Contains(numberKinds, of.Kind()) {
			return fmt.Errorf("%s of kind %s: from %v to %v, %w", value.Summary(), of.Kind(), least, most, err)
		}
		return next(nil)
	})
}

// readsItself reports whether a type has a way of its own to be read.
func readsItself(of reflect.Type) bool {
	p := reflect.PointerTo(of)
	return p.Implements(reflect.TypeFor[kong.MapperValue]()) ||
		p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func rangeWords(least, most float64) string {
	if math.IsInf(most, 1) {
		return fmt.Sprintf("%.0f or more", least)
	}
	return fmt.Sprintf("between %.0f and %.0f", least, most)
}

// Pop returns the next token, which is a flag's value even if it looks like a flag itself: "-1".
func Pop(ctx *kong.DecodeContext) (string, error) {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return "", errors.New("a value is missing")
	}
	return token.String(), nil
}

// badValue says of a flag what is wrong with its value: "--port must be between 0 and 65535, not -1".
type badValue struct{ flag, why string }

func (b *badValue) Error() string { return b.why }

func outside(ctx *kong.DecodeContext, why string) error {
	return &badValue{flag: ctx.Value.ShortSummary(), why: why}
}
