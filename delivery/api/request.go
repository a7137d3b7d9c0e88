package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

// Bounds on what a client may send.
const (
	maxBody = 1 << 20 // a JSON body
	maxOPML = 8 << 20 // an OPML body
	// MaxDocument is the longest document that an order to publish or to send has with it, in bytes. How long documents
	// may be is for the node to say.
	MaxDocument = 64 << 20
	maxOrder    = MaxDocument/3*4 + maxBody // its body, with the document in base64
	maxItems    = 10_000                    // items marked in one request
)

// crossOrigin refuses what a browser sends on behalf of another site (Fetch Metadata, or
// Origin compared with Host).
var crossOrigin = http.NewCrossOriginProtection()

// bodyTypes are the media types of bodies. None of them can be sent by an HTML form, or
// by a script of another site without asking first.
var bodyTypes = []string{typeJSON, typeOPML, "application/xml", "text/xml"}

// admit refuses requests that change something and may not come from the reader's will.
func admit(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return nil
	}
	if err := crossOrigin.Check(r); err != nil {
		return refuse(http.StatusForbidden, "another site sent this request",
			"send it from the node's own page, or from a program without Origin")
	}
	if r.Method == http.MethodDelete {
		return nil
	}
	given, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !slices.Contains(bodyTypes, given) {
		return refuse(http.StatusUnsupportedMediaType, "the request does not say that it is JSON",
			"send Content-Type: "+typeJSON)
	}
	return nil
}

// decode reads a JSON body of one object into v. Fields that v does not have are refused.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	return decodeUpTo(w, r, maxBody, v)
}

// decodeUpTo is decode with another bound.
func decodeUpTo(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); more == io.EOF {
			return nil
		}
		return refuse(http.StatusBadRequest, "the body has more than one JSON value", "")
	}
	var tooBig *http.MaxBytesError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlow
	case errors.Is(err, memory.ErrFull):
		return err
	case errors.As(err, &tooBig):
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", tooBig.Limit),
			"")
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return refuse(http.StatusBadRequest, "the body is not a JSON object", "send one JSON object")
	case errors.As(err, &wrongType):
		return refuse(http.StatusBadRequest, fmt.Sprintf("field %q cannot be a %s", wrongType.Field, wrongType.Value),
			"")
	case errors.Is(err, io.EOF):
		return refuse(http.StatusBadRequest, "the body is empty", "send one JSON object")
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		text := strings.TrimPrefix(err.Error(), "json: ")
		return refuse(http.StatusBadRequest, text, namesHint(fieldsOf(reflect.TypeOf(v))))
	}
	return refuse(http.StatusBadRequest, "the body is no JSON: "+strings.TrimPrefix(err.Error(), "json: "), "")
}

// query reads parameters and keeps the first thing that is wrong with them.
type query struct {
	values url.Values
	err    error
}

func queryOf(r *http.Request) *query { return &query{values: r.URL.Query()} }

func (q *query) fail(name, want string) {
	if q.err == nil {
		q.err = refuse(http.StatusBadRequest, fmt.Sprintf("parameter %q is not %s", name, want), "")
	}
}

func (q *query) text(name string) string { return q.values.Get(name) }

// number reads a number that is not negative; absent: 0.
func (q *query) number(name string) int64 {
	text := q.values.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		q.fail(name, "a number from 0 up")
		return 0
	}
	return n
}

func (q *query) limit() int {
	n := q.number("limit")
	if n > tidings.MaxLimit {
		q.fail("limit", fmt.Sprintf("at most %d", tidings.MaxLimit))
		return 0
	}
	return int(n)
}

func (q *query) version(name string) tidings.Version { return tidings.Version(q.number(name)) }

func (q *query) time(name string) time.Time {
	text := q.values.Get(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		q.fail(name, "a time such as 2006-01-02T15:04:05Z")
	}
	return t
}

// flag reads a yes or no; present without a value is yes, absent is no.
func (q *query) flag(name string) bool {
	if !q.values.Has(name) {
		return false
	}
	switch q.values.Get(name) {
	case "", "1", "true", "yes":
		return true
	case "0", "false", "no":
		return false
	}
	q.fail(name, "true or false")
	return false
}

func (q *query) updates() tidings.UpdateQuery {
	u := tidings.UpdateQuery{
		Channel: q.text("channel"),
		Since:   q.time("since"),
		After:   q.number("after"),
		Limit:   q.limit(),
		Newest:  q.flag("newest"),
	}
	if !q.values.Has("newest") && !q.values.Has("after") && u.Since.IsZero() {
		u.Newest = true
	}
	return u
}

func (q *query) entries() tidings.EntryQuery {
	return tidings.EntryQuery{
		Channel: q.text("channel"),
		Folder:  q.text("folder"),
		Tag:     q.text("tag"),
		Unread:  q.flag("unread"),
		Starred: q.flag("starred"),
		Label:   q.text("label"),
		Search:  q.text("search"),
		Before:  q.number("before"),
		After:   q.number("after"),
		Limit:   q.limit(),
	}
}

// idOf reads the number at the end of the path.
func idOf(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, refuse(http.StatusNotFound, "there is nothing of that number", "")
	}
	return id, nil
}
