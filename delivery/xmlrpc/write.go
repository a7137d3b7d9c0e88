package xmlrpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func responseOf(result any) []byte {
	w := &writer{}
	w.WriteString(header + "<methodResponse><params><param>")
	w.value(result)
	w.WriteString("</param></params></methodResponse>\n")
	return w.Bytes()
}

func faultOf(f *fault) []byte {
	w := &writer{}
	w.WriteString(header + "<methodResponse><fault>")
	w.value(map[string]any{"faultCode": int64(f.code), "faultString": f.text})
	w.WriteString("</fault></methodResponse>\n")
	return w.Bytes()
}

// asValue makes a value of what the JSON API would answer.
func asValue(v any) (out any, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing an answer: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return out, d.Decode(&out)
}

// writer writes values: those that call has, and json.Number.
type writer struct{ bytes.Buffer }

func (w *writer) value(v any) {
	w.WriteString("<value>")
	switch v := v.(type) {
	case string:
		w.leaf("string", v)
	case bool:
		digit := "0"
		if v {
			digit = "1"
		}
		w.leaf("boolean", digit)
	case int64:
		w.integer(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			w.integer(n)
		} else {
			w.leaf("double", v.String())
		}
	case float64:
		w.leaf("double", strconv.FormatFloat(v, 'f', -1, 64))
	case time.Time:
		w.leaf("dateTime.iso8601", v.UTC().Format("20060102T15:04:05"))
	case []byte:
		w.leaf("base64", base64.StdEncoding.EncodeToString(v))
	case []any:
		w.WriteString("<array><data>")
		for _, e := range v {
			w.value(e)
		}
		w.WriteString("</data></array>")
	case map[string]any:
		w.WriteString("<struct>")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] == nil { // which the specification does not know
				continue
			}
			w.WriteString("<member>")
			w.leaf("name", name)
			w.value(v[name])
			w.WriteString("</member>")
		}
		w.WriteString("</struct>")
	default:
		w.leaf("string", "")
	}
	w.WriteString("</value>")
}

// integer writes a number: as a type that the specification has, if that can hold it.
func (w *writer) integer(n int64) {
	name := "int"
	if n > math.MaxInt32 || n < math.MinInt32 {
		name = "i8"
	}
	w.leaf(name, strconv.FormatInt(n, 10))
}

func (w *writer) leaf(name, text string) {
	w.WriteString("<" + name + ">")
	_ = xml.EscapeText(w, []byte(clean(text))) // a Buffer accepts everything
	w.WriteString("</" + name + ">")
}

// clean drops what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == utf8.RuneError || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
}
