package notify

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"tidings"
)

// names are the placeholders, without their braces.
var names = []string{"title", "link", "text", "channel", "channel_url", "id", "time"}

// placeholder matches what is a placeholder or was meant to be one. Other braces stand for themselves, as in JSON.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

var errTooLarge = errors.New("the request has more than 256 KiB: shorten the template")

// expand replaces each placeholder by its value, in one pass. Values are not looked at again. escape is given the
// template before the placeholder.
func expand(template string, values map[string]string, escape func(before, value string) string) (string, error) {
	var b strings.Builder
	done := 0
	for _, at := range placeholder.FindAllStringIndex(template, -1) {
		value, known := values[template[at[0]+1:at[1]-1]]
		if !known {
			continue
		}
		b.WriteString(template[done:at[0]])
		b.WriteString(escape(template[:at[0]], value))
		if done = at[1]; b.Len() > MaxBody {
			return "", errTooLarge
		}
	}
	b.WriteString(template[done:])
	if b.Len() > MaxBody {
		return "", errTooLarge
	}
	return b.String(), nil
}

// fill replaces every placeholder by the same value.
func fill(template, value string) string { return placeholder.ReplaceAllLiteralString(template, value) }

// checkNames refuses placeholders that stand for nothing.
func checkNames(where, template string) error {
	for _, p := range placeholder.FindAllString(template, -1) {
		if !slices.Contains(names, strings.Trim(p, "{}")) {
			return tidings.Invalidf("%s: there is no %s: use {%s}", where, tidings.Quote(p),
				strings.Join(names, "}, {"))
		}
	}
	return nil
}

func asIs(_, value string) string { return value }
