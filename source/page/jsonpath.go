package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
)

// Bounds of a JSONPath in a document: an expression of a few characters can select each value hundreds of times.
const (
	maxJSONSteps = 2_000_000 // values looked at, or selected on the way
	maxJSONText  = 8 << 20   // bytes of what is selected, in JSON
	maxJSONDepth = 200       // lists and objects within each other: each of them may be selected with all that is in it
)

var (
	errJSONSteps  = errors.New("it takes too many steps in this document: write it more narrowly")
	errJSONFilter = errors.New("a condition in it may use paths of names and numbers alone, such as @.price or @['a'][0]")
)

// jsonPath is a JSONPath (RFC 9535). What is selected is in the document's order, the members of objects by their
// names. Conditions may use singular paths alone, so that each costs a bounded time.
type jsonPath struct{ segments []*spec.Segment }

// parseJSONPath reads an expression.
func parseJSONPath(s string) (jsonPath, error) {
	p, err := jsonpath.Parse(s)
	if err != nil {
		return jsonPath{}, fmt.Errorf("not a JSONPath: %s", strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	segments := p.Query().Segments()
	for _, segment := range segments {
		for _, selector := range segment.Selectors() {
			if filter, ok := selector.(*spec.FilterSelector); ok && !isSingular(filter.String()) {
				return jsonPath{}, errJSONFilter
			}
		}
	}
	return jsonPath{segments}, nil
}

// isSingular reports whether the paths in a condition lead to one value each.
func isSingular(condition string) bool {
	quote, depth := rune(0), 0
	escaped := false
	for i, r := range condition {
		switch {
		case quote != 0:
			if r == quote && !escaped {
				quote = 0
			}
			escaped = r == '\\' && !escaped
		case r == '"' || r == '\'':
			quote = r
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '*', r == '$', r == ':', r == ',' && depth > 0, r == '?' && i > 0, r == '.' &&
			strings.HasPrefix(condition[i:], ".."):
			return false
		}
	}
	return true
}

// find returns what the path selects in a document.
func (p jsonPath) find(root any) ([]any, error) {
	w := jsonWalk{root: root, left: maxJSONSteps}
	nodes := []any{root}
	for _, segment := range p.segments {
		w.found = nil
		for _, node := range nodes {
			w.segment(segment, node)
		}
		if w.left < 0 {
			return nil, errJSONSteps
		}
		nodes = w.found
	}
	return nodes, nil
}

// jsonWalk is one segment of a path on its way through a document.
type jsonWalk struct {
	root  any
	left  int // steps
	found []any
}

func (w *jsonWalk) segment(s *spec.Segment, node any) {
	if w.left--; w.left < 0 {
		return
	}
	for _, selector := range s.Selectors() {
		w.selector(selector, node)
	}
	if s.IsDescendant() {
		for child := range children(node) {
			w.segment(s, child)
		}
	}
}

func (w *jsonWalk) selector(s spec.Selector, node any) {
	switch s := s.(type) {
	case spec.Name:
		if object, ok := node.(map[string]any); ok {
			if v, ok := object[string(s)]; ok {
				w.add(v)
			}
		}
	case spec.Index:
		list, _ := node.([]any)
		at := int(s)
		if at < 0 {
			at += len(list)
		}
		if at >= 0 && at < len(list) {
			w.add(list[at])
		}
	case spec.SliceSelector:
		list, _ := node.([]any)
		lower, upper := s.Bounds(len(list))
		switch step := s.Step(); {
		case step > 0:
			for i := lower; i < upper; i += step {
				w.add(list[i])
			}
		case step < 0:
			for i := upper; i > lower; i += step {
				w.add(list[i])
			}
		}
	case *spec.FilterSelector:
		for child := range children(node) {
			if w.left--; w.left < 0 {
				return
			}
			if s.Eval(child, w.root) {
				w.add(child)
			}
		}
	default: // the wildcard
		for child := range children(node) {
			w.add(child)
		}
	}
}

func (w *jsonWalk) add(v any) {
	if w.left--; w.left >= 0 {
		w.found = append(w.found, v)
	}
}

// children yields the values in a list, or in an object by their names.
func children(node any) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		switch v := node.(type) {
		case []any:
			for _, child := range v {
				if !yield(child) {
					return
				}
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !yield(v[name]) {
					return
				}
			}
		}
	}
}

// isShallow reports whether a value has at most a number of levels.
func isShallow(v any, levels int) bool {
	for child := range children(v) {
		if levels == 0 || !isShallow(child, levels-1) {
			return false
		}
	}
	return true
}

// selectJSON returns the lines of what paths select in a JSON document, in the order of the paths.
func (s selection) selectJSON(text string) ([]line, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("%w: the document is no JSON that can be read", ErrNoMatch)
	}
	if !isShallow(root, maxJSONDepth) {
		return nil, fmt.Errorf("%w: the document nests deeper than %d levels", ErrNoMatch, maxJSONDepth)
	}
	var lines []line
	size := 0
	for i, path := range s.json {
		found, err := path.find(root)
		if err != nil {
			return nil, invalid("select", s.paths[i], err)
		}
		for _, v := range found {
			b, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("writing what --select finds: %w", err)
			}
			if size += len(b); size > maxJSONText || len(lines) >= maxGathered {
				return lines, nil
			}
			if text, ok := v.(string); ok { // as people write it
				for _, l := range splitLines(text, maxGathered) {
					if l = collapse(l); l != "" {
						lines = append(lines, line{text: l})
					}
				}
				continue
			}
			lines = append(lines, jsonLines(string(b))...)
		}
	}
	if len(lines) == 0 {
		return nil, s.noMatch()
	}
	return lines, nil
}
