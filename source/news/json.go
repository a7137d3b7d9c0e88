package news

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// decodeJSON decodes a document whose depth and number of values are within the limits.
func decodeJSON(text string, cfg Config) (any, error) {
	if err := boundJSON(text, cfg); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	err := dec.Decode(&value)
	fail := func(offset int, problem string) error {
		return (&SyntaxError{Format: Ninjs, Problem: problem, Err: ErrMalformed}).at(text, offset)
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, fail(len(text), "breaks off: the document ends before its objects and lists do")
	case errors.As(err, &syntax):
		return nil, fail(int(syntax.Offset)-1, "is not well-formed JSON: "+syntax.Error())
	case err != nil:
		return nil, fail(int(dec.InputOffset()), "is not well-formed JSON: "+err.Error())
	}
	if rest := strings.TrimLeft(text[dec.InputOffset():], " \t\r\n"); rest != "" {
		return nil, fail(len(text)-len(rest), "goes on after the end of its object or list")
	}
	return value, nil
}

// boundJSON refuses JSON that is nested too deep or has too many values, before anything is built of it.
func boundJSON(text string, cfg Config) error {
	depth, values := 0, 1
	fail := func(at int, problem string, limit int) error {
		return (&SyntaxError{Format: Ninjs, Problem: fmt.Sprintf(problem, limit), Err: ErrLimit}).at(text, at)
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			depth++
			values++
		case ']', '}':
			depth--
		case ',':
			values++
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
		if depth > cfg.MaxDepth {
			return fail(i, "is nested deeper than %d objects and lists", cfg.MaxDepth)
		}
		if values > cfg.MaxNodes {
			return fail(i, "has more than %d values", cfg.MaxNodes)
		}
	}
	return nil
}

// object is a JSON object, and where it stands in the document.
type object struct {
	*parser
	fields map[string]any
	path   string
}

// field returns the first of keys that is there and not null, and its path.
func (o object) field(keys ...string) (any, string) {
	for _, key := range keys {
		if v := o.fields[key]; v != nil {
			return v, o.path + "." + key
		}
	}
	return nil, o.path
}

// where returns the path of a field.
func (o object) where(keys ...string) string {
	_, path := o.field(keys...)
	return path
}

// text returns a field that is a string or number. Anything else is left out with a note.
func (o object) text(keys ...string) string {
	v, path := o.field(keys...)
	s, ok := scalar(v)
	if !ok {
		o.note("%s: want a string, found %s: left out", path, kindOf(v))
	}
	return s
}

// must returns a field that decides whether the item may be shown. So anything but a string or number is an error.
func (o object) must(keys ...string) (string, error) {
	v, path := o.field(keys...)
	s, ok := scalar(v)
	if !ok {
		return "", &SyntaxError{Format: Ninjs, Path: path, Problem: "want a string, found " + kindOf(v),
			Err: ErrMalformed}
	}
	return s, nil
}

// scalar returns a string or number as text, "" for nothing.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// list returns the objects of a list field. Strings in it, or in its place, stand for their names.
func (o object) list(keys ...string) (out []object) {
	v, path := o.field(keys...)
	list, isList := v.([]any)
	if !isList && v != nil {
		list = []any{v}
	}
	for i, v := range list {
		at := path
		if isList {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		switch v := v.(type) {
		case map[string]any:
			out = append(out, object{o.parser, v, at})
		case string:
			out = append(out, object{o.parser, map[string]any{"name": v, "value": v}, at})
		default:
			o.note("%s: want an object, found %s: left out", at, kindOf(v))
		}
	}
	return out
}

// keys returns the keys with a prefix, in order.
func (o object) keys(prefix string) (out []string) {
	for key := range o.fields {
		if strings.HasPrefix(key, prefix) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return "a string or number"
}
