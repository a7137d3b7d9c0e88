package scene

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tidings/network/engine"
)

// Bounds of what is printed of one value.
const (
	maxElements = 20 // of a slice or map
	maxText     = 40 // bytes of a string or of []byte that is text
	maxDepth    = 6  // of values within values
)

// Format writes a value as it reads in the output: IDs, peers and addresses by their names,
// structs without what is zero, slices without their middle if they are long.
func (s *Scene) Format(v any) string { return s.format(reflect.ValueOf(v), 0) }

// describe writes a message or trace event: its name, then its fields.
func (s *Scene) describe(name string, v any) string {
	r := reflect.Indirect(reflect.ValueOf(v))
	if r.Kind() != reflect.Struct {
		return name + " " + s.format(r, 0)
	}
	return strings.TrimRight(strings.TrimPrefix(name, "*")+" "+s.fields(r, 0), " ")
}

// fields writes a struct's exported fields that are not zero: "row=2 peers=[a3 b7]".
func (s *Scene) fields(v reflect.Value, depth int) string {
	var parts []string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || v.Field(i).IsZero() {
			continue
		}
		name := fieldName(f.Name)
		if f.Type.Kind() == reflect.Bool {
			parts = append(parts, name)
			continue
		}
		parts = append(parts, name+"="+s.format(v.Field(i), depth+1))
	}
	return strings.Join(parts, " ")
}

// fieldName writes Hops as hops and ID as id.
func fieldName(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func (s *Scene) format(v reflect.Value, depth int) string {
	if !v.IsValid() {
		return "nil"
	}
	if depth > maxDepth {
		return "…"
	}
	if text, ok := s.formatKnown(v.Interface()); ok {
		return text
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return s.formatPointer(v, depth)
	case reflect.Struct:
		return "{" + s.fields(v, depth) + "}"
	case reflect.Slice, reflect.Array:
		return s.formatList(v, depth)
	case reflect.Map:
		return s.formatMap(v, depth)
	case reflect.Float32, reflect.Float64:
		return fmt.Sprintf("%.4g", v.Float())
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return s.names.number(v.Uint())
	case reflect.String:
		return formatText(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// formatKnown writes values of types that the engine or a person has words for.
func (s *Scene) formatKnown(v any) (string, bool) {
	switch v := v.(type) {
	case engine.ID:
		return s.names.id(v), true
	case engine.Peer:
		return s.names.peer(v), true
	case engine.Address:
		return s.names.address(v), true
	case engine.Kind:
		return s.codec.Name(v), true
	case time.Duration:
		if v > time.Second || v < -time.Second {
			v = v.Round(time.Millisecond)
		}
		return v.String(), true
	case time.Time:
		return v.UTC().Format(time.RFC3339), true
	case *Node:
		return v.name, true
	case error:
		return formatText(v.Error()), true
	case fmt.Stringer:
		return formatText(v.String()), true
	}
	return "", false
}

func (s *Scene) formatPointer(v reflect.Value, depth int) string {
	if v.IsNil() {
		return "nil"
	}
	if m, ok := v.Interface().(engine.Message); ok {
		return "{" + s.describe(s.codec.Name(m.Kind()), m) + "}"
	}
	return s.format(v.Elem(), depth)
}

func (s *Scene) formatList(v reflect.Value, depth int) string {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return s.formatBytes(v)
	}
	var parts []string
	for i := range v.Len() {
		if v.Len() > maxElements && i == maxElements-1 {
			parts = append(parts, fmt.Sprintf("… %d in all", v.Len()))
			break
		}
		parts = append(parts, s.format(v.Index(i), depth+1))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func (s *Scene) formatMap(v reflect.Value, depth int) string {
	entries := make(map[string]string, v.Len())
	for _, k := range v.MapKeys() {
		entries[s.format(k, depth+1)] = s.format(v.MapIndex(k), depth+1)
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		if len(parts) == maxElements {
			parts = append(parts, fmt.Sprintf("… %d in all", v.Len()))
			break
		}
		parts = append(parts, k+":"+entries[k])
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// formatBytes writes an encoded message as such, text as text, an ID under another type's
// name as an ID, and otherwise how many bytes there are.
func (s *Scene) formatBytes(v reflect.Value) string {
	data := make([]byte, v.Len())
	reflect.Copy(reflect.ValueOf(data), v)
	if v.Kind() == reflect.Array && len(data) == len(engine.ID{}) {
		return s.names.id(engine.ID(data))
	}
	if m, err := s.codec.Decode(data); err == nil && m != nil {
		return "{" + s.describe(s.codec.Name(m.Kind()), m) + "}"
	}
	if len(data) <= maxText && utf8.Valid(data) && !strings.ContainsFunc(string(data), unicode.IsControl) {
		return formatText(string(data))
	}
	return fmt.Sprintf("%d bytes", len(data))
}

func formatText(text string) string {
	if len(text) > maxText {
		return fmt.Sprintf("%q… %d bytes", strings.ToValidUTF8(text[:maxText], ""), len(text))
	}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return r == '"' || r == '=' ||
			!unicode.IsGraphic(r) || unicode.IsSpace(r)
	}) {
		return fmt.Sprintf("%q", text)
	}
	return text
}
