// Package nearjson mends JSON that programs have written without a library for it: line breaks and tabs in strings,
// escapes that JSON does not have, commas behind which nothing comes. All else it leaves as it is, and says where it is
// wrong.
package nearjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Mend returns src with what can be mended, which is src itself if that is nothing. It is linear, and twice as long as
// src at most.
func Mend(src string) string {
	m := mender{src: src}
	m.run()
	if m.done == 0 {
		return src
	}
	m.out.WriteString(src[m.done:])
	return m.out.String()
}

// Wrong says where src is wrong even once it is mended: in its line and column, which count from 1 (a column is a
// byte). nil: nowhere.
func Wrong(src string) error {
	m := mender{src: src, keepLength: true}
	m.run()
	m.out.WriteString(src[m.done:])
	var value json.RawMessage
	err := json.Unmarshal([]byte(m.out.String()), &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := src[:min(max(int(syntax.Offset)-1, 0), len(src))]
	line := 1 + strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// mender is one pass over a text.
type mender struct {
	src        string
	keepLength bool // what is mended stays as long as it is, so that places in it are places in src
	out        strings.Builder
	done       int  // bytes of src that are in out, mended
	last       byte // that is no blank, outside of strings
}

func (m *mender) run() {
	for i := 0; i < len(m.src); i++ {
		switch c := m.src[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			i = m.quoted(i + 1)
			m.last = '"'
		case ',':
			if m.isIdle(i) {
				m.replace(i, 1, "", " ")
			} else {
				m.last = ','
			}
		default:
			m.last = c
		}
	}
}

// isIdle reports whether the comma at i is one too many.
func (m *mender) isIdle(i int) bool {
	rest := strings.TrimLeft(m.src[i+1:], " \t\r\n")
	return rest == "" || strings.IndexByte("]},", rest[0]) >= 0 || strings.IndexByte("[{,", m.last) >= 0
}

// quoted mends the string whose inside starts at i, and returns where it ends.
func (m *mender) quoted(i int) int {
	for ; i < len(m.src) && m.src[i] != '"'; i++ {
		switch c := m.src[i]; {
		case c == '\\':
			i += m.escape(i)
		case c == '\n':
			m.replace(i, 1, `\n`, " ")
		case c == '\r':
			m.replace(i, 1, `\r`, " ")
		case c == '\t':
			m.replace(i, 1, `\t`, " ")
		case c < ' ':
			m.replace(i, 1, "", " ")
		}
	}
	return i
}

// escape mends the escape at i, and returns how many bytes of it follow the first.
func (m *mender) escape(i int) int {
	if i+1 >= len(m.src) {
		return 0
	}
	switch c := m.src[i+1]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		return 1
	case c == 'u' && i+6 <= len(m.src) && strings.Trim(m.src[i+2:i+6], "0123456789abcdefABCDEF") == "":
		return 5
	case c == '\'':
		m.replace(i, 2, "'", "  ")
		return 1
	}
	m.replace(i, 1, `\\`, " ") // it stands for itself
	return 0
}

// replace puts with in the place of n bytes at i, or same, which is as long as they are.
func (m *mender) replace(i, n int, with, same string) {
	if m.keepLength {
		with = same
	}
	m.out.WriteString(m.src[m.done:i])
	m.out.WriteString(with)
	m.done = i + n
}
