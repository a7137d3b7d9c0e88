package notify

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

// Sample is what a message looks like.
type Sample struct {
	Title   string
	Text    string
	Link    string // "": there is none
	Request string // what is sent, with dots for secrets
}

// Preview returns what a target would be sent. It sends nothing.
func (n *Notifier) Preview(t tidings.Target, m outbox.Message) (Sample, error) {
	p, j, err := n.prepare(t, m)
	if err != nil {
		return Sample{}, err
	}
	hidden := secretsOf(t)
	r, err := p.build(j)
	if err != nil {
		return Sample{}, redactedError(err, hidden)
	}
	return Sample{j.note.title, j.note.text, j.note.link, redact(r.String(), hidden)}, nil
}

// String writes a request as HTTP/1.1 does.
func (r *request) String() string {
	var b strings.Builder
	path, host := r.url, ""
	if u, err := url.Parse(r.url); err == nil {
		path, host = u.RequestURI(), u.Host
	}
	b.WriteString(r.method + " " + path + "\nHost: " + host + "\n")
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		b.WriteString(name + ": " + strings.Join(r.header[name], ", ") + "\n")
	}
	switch {
	case r.shown != "":
		b.WriteString("\n" + r.shown + "\n")
	case len(r.body) > 0:
		b.WriteString("\n" + string(r.body) + "\n")
	}
	return b.String()
}
