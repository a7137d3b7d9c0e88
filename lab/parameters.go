package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// change returns p with some parameters changed, each by a text of the form name=value. Names are those that the struct
// has in JSON, values as in ReadParameters.
func change[P any](p P, texts []string) (P, error) {
	for _, text := range texts {
		name, value, is := strings.Cut(text, "=")
		if !is || name == "" || value == "" {
			return p, fmt.Errorf("%q is not of the form NAME=VALUE", text)
		}
		if strings.HasPrefix(value, "[") {
			value = strings.ReplaceAll(value, ",", " ")
		}
		if err := ReadParameters(&p, map[string]string{name: value}); err != nil {
			return p, err
		}
	}
	return p, nil
}

// plausible reports which changed parameter is not possible. Zero, an empty list or a name is accepted only if the
// parameter is that, or has it in its list, at one of the scales.
func plausible[P any](p P, changes []string, scales ...P) error {
	for _, text := range changes {
		name, value, _ := strings.Cut(text, "=")
		of := func(p P) []reflect.Value { return elements(fieldNamed(reflect.ValueOf(&p).Elem(), name)) }
		changed := of(p)
		if empty := func(p P) bool { return len(of(p)) == 0 }; empty(p) && !slices.ContainsFunc(scales, empty) {
			return fmt.Errorf("parameter %s: it cannot be empty", name)
		}
		var usual []reflect.Value
		for _, scale := range scales {
			usual = append(usual, of(scale)...)
		}
		for _, v := range changed {
			named := v.Kind() == reflect.String
			switch {
			case !named && !v.IsZero() || slices.ContainsFunc(usual, v.Equal):
			case named:
				return fmt.Errorf("parameter %s: there is no %q, but %s", name, v.String(),
					strings.Join(distinct(usual), ", "))
			default:
				return fmt.Errorf("parameter %s: it cannot be %s", name, value)
			}
		}
	}
	return nil
}

// elements returns a list's elements, or what is no list as the only one.
func elements(v reflect.Value) []reflect.Value {
	if v.Kind() != reflect.Slice {
		return []reflect.Value{v}
	}
	all := make([]reflect.Value, v.Len())
	for i := range all {
		all[i] = v.Index(i)
	}
	return all
}

// distinct returns how values are written, each once, in their order.
func distinct(values []reflect.Value) (texts []string) {
	for _, v := range values {
		if text := written(v); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// ChangeFlags returns the flags that change parameters so on the command line, each with a space before it.
func ChangeFlags(changes []string) (flags string) {
	for _, text := range changes {
		flags += " --with '" + text + "'"
	}
	return flags
}

// ReadParameters sets fields of a struct, given by its pointer, by their names in JSON. The values are numbers (1,024),
// times (30m) and names, or lists of these, in brackets with spaces between.
func ReadParameters(p any, texts map[string]string) error {
	known := reflect.ValueOf(p).Elem()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		field := fieldNamed(known, name)
		if !field.IsValid() {
			return fmt.Errorf("there is no parameter %q, but %s", name, strings.Join(fieldNames(known.Type()), ", "))
		}
		if err := readParameter(field, texts[name]); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

func readParameter(field reflect.Value, text string) error {
	data, err := json.Marshal(values(text))
	if err != nil {
		return err
	}
	read := reflect.New(field.Type()) // a list that a shorter one replaces leaves nothing behind
	var kind *json.UnmarshalTypeError
	err = json.Unmarshal(data, read.Interface())
	if errors.As(err, &kind) {
		return fmt.Errorf("%s cannot stand where %s does", text, written(field))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	if v := read.Elem(); v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0 {
		return fmt.Errorf("%s is below zero", text)
	}
	field.Set(read.Elem())
	return nil
}

// values reads a value, or a list of them in brackets.
func values(text string) any {
	list, is := strings.CutPrefix(text, "[")
	if !is {
		return oneValue(text)
	}
	all := []any{}
	for _, word := range strings.Fields(strings.TrimSuffix(list, "]")) {
		all = append(all, oneValue(word))
	}
	return all
}

// oneValue reads a number, a time, or else a name.
func oneValue(word string) any {
	if n, err := strconv.Atoi(strings.ReplaceAll(word, ",", "")); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(word, 64); err == nil {
		return x
	}
	if d, err := time.ParseDuration(word); err == nil {
		return d
	}
	return word
}

// written returns a value in the form that values reads.
func written(v reflect.Value) string { return fmt.Sprint(v.Interface()) }

func fieldNamed(of reflect.Value, name string) reflect.Value {
	if i := slices.Index(fieldNames(of.Type()), name); i >= 0 {
		return of.Field(i)
	}
	return reflect.Value{}
}

// fieldNames returns what the fields of a struct are called in JSON, in their order.
func fieldNames(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
