package sync

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"tidings"
)

// Bounds of a request's body, in bytes.
const (
	MaxBody      = 8 << 20
	MaxGuestBody = 1 << 20 // of a client that is not identified before the body is read
)

// maxValues bounds how many parameters a request has: as many numbers as it may name, and 100 more.
const maxValues = MaxNumbers + 100

// bodyTime is the time in which a body must arrive. A server with a shorter deadline keeps its own.
var bodyTime = time.Minute

// ReadBody reads a body of up to limit bytes. It fails with [*http.MaxBytesError] or
// [os.ErrDeadlineExceeded].
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // where that fails the server has deadlines of its own
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil { // the deadline stays: net/http reads on before it answers
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	_ = control.SetReadDeadline(time.Time{})
	return body, nil
}

// Form has the parameters of a request, those of its URL before those of its body. Clients put them into
// either.
type Form struct {
	values map[string][]value
	size   int
}

// value is one parameter.
type value struct {
	text string
	raw  string // as it came, not decoded
	// beyond is what came behind it up to the next parameter with "=". A client that does not encode "Q&A"
	// sends such.
	beyond string
}

// ReadForm reads the parameters of a request with a body of up to limit bytes, encoded like a URL or as
// multipart/form-data. A body of another type is no form, and is not read.
//
// A malformed part is read as far as that makes sense, and is never an error: a wrong escape stands for itself. The
// parser of net/http ignores parameters with wrong escapes, or with ";", which two clients send.
func ReadForm(w http.ResponseWriter, r *http.Request, limit int64) (*Form, error) {
	f := &Form{values: make(map[string][]value)}
	if err := f.parse(r.URL.RawQuery); err != nil {
		return nil, err
	}
	if r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return f, nil
	}
	given, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(given, "multipart/"):
		return f, f.readParts(w, r, limit, params["boundary"])
	case err == nil && given != "application/x-www-form-urlencoded" && given != "text/plain":
		return f, nil
	}
	body, err := ReadBody(w, r, limit)
	if err != nil {
		return nil, err
	}
	return f, f.parse(string(body))
}

// parse adds the parameters of a text of the form a=b&c=d.
func (f *Form) parse(s string) error {
	s = strings.TrimSpace(s)
	last, end := "", 0 // the last key with a value, and where that ends in s
	at := 0            // where the piece ends
	for piece := range strings.SplitSeq(s, "&") {
		at += len(piece)
		key, raw, assigned := strings.Cut(piece, "=")
		if !assigned && last != "" {
			list := f.values[last]
			list[len(list)-1].beyond = s[end:at]
		}
		if piece != "" {
			if key = unescape(key); assigned {
				last, end = key, at
			}
			if err := f.add(key, value{text: unescape(raw), raw: raw}); err != nil {
				return err
			}
		}
		at++ // the "&"
	}
	return nil
}

func (f *Form) readParts(w http.ResponseWriter, r *http.Request, limit int64, boundary string) error {
	body, err := ReadBody(w, r, limit)
	if err != nil {
		return err
	}
	if boundary == "" {
		return tidings.Invalidf("the form has no boundary")
	}
	parts := multipart.NewReader(strings.NewReader(string(body)), boundary)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tidings.Invalidf("the form cannot be read: %w", err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return tidings.Invalidf("the form cannot be read: %w", err)
		}
		if err := f.add(part.FormName(), value{text: string(text), raw: string(text)}); err != nil {
			return err
		}
	}
}

func (f *Form) add(key string, v value) error {
	if f.size++; f.size > maxValues {
		return tidings.Invalidf("the request has more than %d parameters", maxValues)
	}
	v.text = strings.ToValidUTF8(v.text, "\uFFFD")
	f.values[key] = append(f.values[key], v)
	return nil
}

// Has reports whether there is such a parameter, with a value or without.
func (f *Form) Has(key string) bool { return len(f.values[key]) > 0 }

// Get returns the first parameter of that name, without blanks around it; empty if there is none.
func (f *Form) Get(key string) string {
	if list := f.values[key]; len(list) > 0 {
		return strings.TrimSpace(list[0].text)
	}
	return ""
}

// All returns all parameters of that name.
func (f *Form) All(key string) []string {
	var all []string
	for _, v := range f.values[key] {
		all = append(all, strings.TrimSpace(v.text))
	}
	return all
}

// Readings returns what the first parameter of that name can mean, the likeliest first. It is for names that
// people choose: one client sends these without encoding them, so that "C++" would be read as "C  ", and
// "Q&A" as "Q".
func (f *Form) Readings(key string) []string {
	list := f.values[key]
	if len(list) == 0 {
		return nil
	}
	v := list[0]
	if v.beyond != "" { // the part before it may be a name as well, of something else
		return []string{v.raw + v.beyond, unescape(v.raw + v.beyond)}
	}
	return []string{v.text, v.raw}
}

// unescape decodes what is well-formed of a parameter, and leaves the rest.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			b.WriteByte(' ')
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte(fromHex(s[i+1])<<4 | fromHex(s[i+2]))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
