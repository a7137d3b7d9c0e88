package xmlrpc

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"tidings/delivery/memory"
)

// call is a method call. Its parameters are string, int64, float64, bool, time.Time, []byte, nil, []any and
// map[string]any.
type call struct {
	method string
	params []any
}

// parser reads one call.
type parser struct {
	*xml.Decoder
	values int
}

// parseCall reads a call; its error is a *fault, or that of reading.
func parseCall(r io.Reader) (call, error) {
	p := &parser{Decoder: xml.NewDecoder(r)}
	p.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") { // the only other one that the specification knows
			return in, nil
		}
		return nil, fmt.Errorf("the character set is %q: send UTF-8", charset)
	}
	c, err := p.call()
	var known *fault
	var tooBig *http.MaxBytesError
	if err == nil || errors.As(err, &known) || errors.As(err, &tooBig) || errors.Is(err, memory.ErrFull) ||
		errors.Is(err, os.ErrDeadlineExceeded) {
		return c, err // nothing is wrong with the part that has come
	}
	line, column := p.InputPos()
	return c, &fault{malformed, fmt.Sprintf("the call cannot be read, line %d, column %d: %s", line, column,
		strings.TrimPrefix(err.Error(), "XML syntax error on "))}
}

func (p *parser) call() (c call, err error) {
	if err := p.open("methodCall"); err != nil {
		return c, err
	}
	if err := p.open("methodName"); err != nil {
		return c, err
	}
	if c.method, err = p.text(); err != nil {
		return c, err
	}
	c.method = strings.TrimSpace(c.method)
	start, err := p.next()
	if err != nil || start == nil {
		return c, err // no parameters at all
	}
	if start.Name.Local != "params" {
		return c, unexpected(start, "params")
	}
	for {
		start, err := p.next()
		if err != nil || start == nil {
			return c, err
		}
		if start.Name.Local != "param" {
			return c, unexpected(start, "param")
		}
		v, err := p.only(0)
		if err != nil {
			return c, err
		}
		c.params = append(c.params, v)
	}
}

// next returns the next element in the one that is open, nil if that ends. Text between elements must be blank.
func (p *parser) next() (*xml.StartElement, error) {
	for {
		tok, err := p.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			return &tok, nil
		case xml.EndElement:
			return nil, nil
		case xml.CharData:
			if strings.TrimSpace(string(tok)) != "" {
				return nil, errors.New("there is text between elements")
			}
		}
	}
}

// open reads the start of an element of a name.
func (p *parser) open(name string) error {
	start, err := p.next()
	if err == nil && start == nil {
		err = fmt.Errorf("%s is missing", name)
	}
	if err == nil && start.Name.Local != name {
		err = unexpected(start, name)
	}
	return err
}

func unexpected(start *xml.StartElement, want string) error {
	return fmt.Errorf("there is %q where %q is expected", start.Name.Local, want)
}

// end reads the end of the element that is open.
func (p *parser) end() error {
	start, err := p.next()
	if err == nil && start != nil {
		err = fmt.Errorf("there is %q where nothing more is expected", start.Name.Local)
	}
	return err
}

// text reads the text of the element that is open, and its end.
func (p *parser) text() (string, error) {
	var b strings.Builder
	for {
		tok, err := p.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		switch tok := tok.(type) {
		case xml.CharData:
			b.Write(tok)
		case xml.EndElement:
			return b.String(), nil
		case xml.StartElement:
			return "", fmt.Errorf("there is %q in a text", tok.Name.Local)
		}
	}
}

// only reads the one value in the element that is open, and the end of that.
func (p *parser) only(depth int) (any, error) {
	if err := p.open("value"); err != nil {
		return nil, err
	}
	v, err := p.value(depth)
	if err != nil {
		return nil, err
	}
	return v, p.end()
}

// value reads what is in the value element that is open, and its end. Without a type it is a string.
func (p *parser) value(depth int) (v any, err error) {
	if p.values++; p.values > maxValues {
		return nil, &fault{tooLarge, fmt.Sprintf("the call has more than %d values", maxValues)}
	}
	if depth > maxDepth {
		return nil, &fault{tooLarge, fmt.Sprintf("the call has more than %d arrays or structs within each other",
			maxDepth)}
	}
	var bare strings.Builder
	for {
		tok, err := p.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.CharData:
			bare.Write(tok)
		case xml.EndElement:
			return bare.String(), nil
		case xml.StartElement:
			if strings.TrimSpace(bare.String()) != "" {
				return nil, errors.New("a value has a text beside its type")
			}
			if v, err = p.typed(tok.Name.Local, depth); err != nil {
				return nil, err
			}
			return v, p.end()
		}
	}
}

// typed reads the element that is open, which says the type of a value, and its end.
func (p *parser) typed(name string, depth int) (any, error) {
	switch name {
	case "array":
		return p.array(depth)
	case "struct":
		return p.structure(depth)
	}
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	read := scalars[name]
	if read == nil {
		return nil, fmt.Errorf("there is no type %q", name)
	}
	v, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("%.50q is no %s", text, name)
	}
	return v, nil
}

var scalars = map[string]func(string) (any, error){
	"string": func(s string) (any, error) { return s, nil },
	"int":    integer, "i4": integer, "i8": integer,
	"boolean": func(s string) (any, error) {
		if s = strings.TrimSpace(s); s != "0" && s != "1" {
			return nil, strconv.ErrSyntax
		}
		return s == "1", nil
	},
	"double": func(s string) (any, error) {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			err = strconv.ErrRange
		}
		return f, err
	},
	"dateTime.iso8601": func(s string) (any, error) { return moment(strings.TrimSpace(s)) },
	"base64": func(s string) (any, error) {
		return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	},
	"nil": func(string) (any, error) { return nil, nil },
}

func integer(s string) (any, error) { return strconv.ParseInt(strings.TrimSpace(s), 10, 64) }

// moment reads a date; the specification does not say in which zone it is, so that one without is in UTC.
func moment(s string) (t time.Time, err error) {
	for _, layout := range []string{"20060102T15:04:05", "20060102T15:04:05Z07:00", time.RFC3339, "2006-01-02T15:04:05",
		"20060102T150405", "20060102T150405Z07:00"} {
		if t, err = time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return t, err
}

func (p *parser) array(depth int) (list []any, err error) {
	if err := p.open("data"); err != nil {
		return nil, err
	}
	list = []any{}
	for {
		start, err := p.next()
		if err != nil {
			return nil, err
		}
		if start == nil {
			return list, p.end()
		}
		if start.Name.Local != "value" {
			return nil, unexpected(start, "value")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

func (p *parser) structure(depth int) (map[string]any, error) {
	members := make(map[string]any)
	for {
		start, err := p.next()
		if err != nil || start == nil {
			return members, err
		}
		if start.Name.Local != "member" {
			return nil, unexpected(start, "member")
		}
		if err := p.open("name"); err != nil {
			return nil, err
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if members[name], err = p.only(depth + 1); err != nil {
			return nil, err
		}
	}
}
