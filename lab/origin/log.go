package origin

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Request is what the log keeps of one request.
type Request struct {
	Time            time.Time `json:"time"`
	Name            string    `json:"name"` // of the document; empty: the list
	Method          string    `json:"method"`
	Address         string    `json:"address"`
	UserAgent       string    `json:"user_agent,omitempty"`
	IfNoneMatch     string    `json:"if_none_match,omitempty"`
	IfModifiedSince string    `json:"if_modified_since,omitempty"`
	AIM             string    `json:"a_im,omitempty"`
	AcceptEncoding  string    `json:"accept_encoding,omitempty"`
	State           int       `json:"state"`
	Fault           FaultKind `json:"fault,omitempty"`
	Status          int       `json:"status"` // 0: the connection was cut before any
	Bytes           int64     `json:"bytes"`  // of the body
}

func requestOf(r *http.Request, name string, now time.Time) Request {
	return Request{
		Time:            now,
		Name:            name,
		Method:          r.Method,
		Address:         r.RemoteAddr,
		UserAgent:       r.Header.Get("User-Agent"),
		IfNoneMatch:     r.Header.Get("If-None-Match"),
		IfModifiedSince: r.Header.Get("If-Modified-Since"),
		AIM:             r.Header.Get("A-Im"),
		AcceptEncoding:  r.Header.Get("Accept-Encoding"),
	}
}

// Count sums up the requests for one document since the origin began.
type Count struct {
	Name     string        `json:"name"`
	Requests int64         `json:"requests"`
	Bytes    int64         `json:"bytes"` // of bodies
	ByStatus map[int]int64 `json:"by_status"`
}

// maxCounted bounds the names that are counted apart: documents, and what was asked
// for and is none. Others are counted together as "*".
const maxCounted = 100_000

// requestLog is a ring of requests, and counts that do not forget.
type requestLog struct {
	mu     sync.Mutex
	size   int
	ring   []Request
	next   int // of the ring, once it is full
	counts map[string]*Count
}

func newRequestLog(size int) *requestLog {
	return &requestLog{size: size, counts: make(map[string]*Count)}
}

func (l *requestLog) add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < l.size {
		l.ring = append(l.ring, r)
	} else {
		l.ring[l.next] = r
		l.next = (l.next + 1) % l.size
	}
	name := r.Name
	c := l.counts[name]
	if c == nil {
		if len(l.counts) >= maxCounted {
			name = "*"
		}
		if c = l.counts[name]; c == nil {
			c = &Count{Name: name, ByStatus: make(map[int]int64)}
			l.counts[name] = c
		}
	}
	c.Requests++
	c.Bytes += r.Bytes
	c.ByStatus[r.Status]++
}

// Requests returns the logged requests for a document (empty: for all), oldest first.
func (o *Origin) Requests(name string) []Request {
	l := o.log
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Request
	for i := range l.ring {
		if r := l.ring[(l.next+i)%len(l.ring)]; name == "" || r.Name == name {
			found = append(found, r)
		}
	}
	return found
}

// Counts returns what was asked since the origin began, by name.
func (o *Origin) Counts() []Count {
	l := o.log
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := make([]Count, 0, len(l.counts))
	for _, c := range l.counts {
		copied := *c
		copied.ByStatus = make(map[int]int64, len(c.ByStatus))
		for status, n := range c.ByStatus {
			copied.ByStatus[status] = n
		}
		counts = append(counts, copied)
	}
	slices.SortFunc(counts, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return counts
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController flush and hijack.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}
