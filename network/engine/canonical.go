package engine

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and maps may stand within each other in a message.
const MaxDepth = 8

// Errors of form.
var (
	errCut  = fmt.Errorf("%w: it ends too early", ErrMalformed)
	errDeep = fmt.Errorf("%w: more than %d levels deep", ErrMalformed, MaxDepth)
)

// checkItem reads one data item and returns what follows it. It allows only what the core
// deterministic encoding (RFC 8949, section 4.2.1) has one way to write, and of that only
// what messages need: map keys are integers from 0 up, floating-point numbers finite, simple
// values true and false, texts UTF-8, and tags are those of messages: a kind around a map.
// Arrays and maps stand in at most levels of each other.
//
// It passes over all bytes once and allocates nothing. After it, every declared length and
// count is known to be there: code that allocates by them allocates in proportion to the input.
func checkItem(data []byte, levels int) (rest []byte, err error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	switch m {
	case majorBytes, majorText:
		if n > uint64(len(rest)) {
			return nil, errCut
		}
		if m == majorText && !utf8.Valid(rest[:n]) {
			return nil, fmt.Errorf("%w: a text that is not UTF-8", ErrMalformed)
		}
		return rest[n:], nil
	case majorArray:
		return checkArray(rest, n, levels-1)
	case majorMap:
		return checkMap(rest, n, levels-1)
	case majorTag:
		if n > math.MaxUint16 || len(rest) > 0 && major(rest[0]>>5) != majorMap {
			return nil, fmt.Errorf("%w: a tag that is not a message's", ErrMalformed)
		}
		return checkItem(rest, levels)
	}
	return rest, nil
}

func checkArray(data []byte, n uint64, levels int) ([]byte, error) {
	if levels < 0 {
		return nil, errDeep
	}
	if n > uint64(len(data)) {
		return nil, errCut
	}
	for ; n > 0; n-- {
		var err error
		if data, err = checkItem(data, levels); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func checkMap(data []byte, n uint64, levels int) ([]byte, error) {
	if levels < 0 {
		return nil, errDeep
	}
	if n > uint64(len(data))/2 {
		return nil, errCut
	}
	var before uint64
	for i := range n {
		m, key, rest, err := readHead(data)
		if err != nil {
			return nil, err
		}
		if m != majorUint {
			return nil, fmt.Errorf("%w: a key that is not an integer from 0 up", ErrMalformed)
		}
		if i > 0 && key <= before {
			return nil, fmt.Errorf("%w: keys that repeat or do not rise", ErrMalformed)
		}
		before = key
		if data, err = checkItem(rest, levels); err != nil {
			return nil, err
		}
	}
	return data, nil
}
