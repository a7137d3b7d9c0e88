package stream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// StanzaError is the answer to a stanza that was not accepted (RFC 6120, section 8.3).
type StanzaError struct {
	From      string // by which it was sent, bare
	Type      string // auth, cancel, continue, modify or wait
	Condition string // such as item-not-found
	Text      string // of at most 200 bytes; "": none
}

func (e *StanzaError) Error() string {
	text := e.From + " did not accept the message: " + e.Condition
	if e.Text != "" {
		text += " (" + e.Text + ")"
	}
	return text
}

// ErrorOf returns what a stanza of type error says.
func ErrorOf(stanza *Element) *StanzaError {
	from, err := Bare(stanza.Get("from"))
	if err != nil {
		from = "the server"
	}
	e := &StanzaError{From: from, Type: "cancel", Condition: "undefined-condition"}
	part := stanza.Child("", "error")
	if part == nil {
		return e
	}
	if kind := part.Get("type"); kind != "" {
		e.Type = cut(kind, 20)
	}
	for _, c := range part.Children {
		switch {
		case c.Space == Stanzas && c.Local == "text":
			e.Text = cut(c.Text, 200)
		case c.Space == Stanzas:
			e.Condition = cut(c.Local, 60)
		}
	}
	return e
}

// refused is why the server does not let this node in. Trying again soon is no use.
type refused struct{ error }

func (r *refused) Unwrap() error { return r.error }

// streamError returns what an error of the stream says (RFC 6120, section 4.9).
func streamError(e *Element) error {
	condition := "undefined-condition"
	text := ""
	for _, c := range e.Children {
		switch {
		case c.Space == nsStreams && c.Local == "text":
			text = ": " + cut(c.Text, 200)
		case c.Space == nsStreams:
			condition = cut(c.Local, 60)
		}
	}
	switch condition {
	case "conflict":
		return &refused{errors.New("another program has connected with the same address")}
	case "not-authorized":
		return &refused{errors.New("the server did not accept the secret")}
	case "host-unknown":
		return &refused{errors.New("the server does not know this domain")}
	}
	return fmt.Errorf("the server ended the stream: %s%s", condition, text)
}

// words returns in plain words why there is no connection to a server, or no more.
func words(server string, err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		if e.IsNotFound {
			return errors.New("no such host: " + server)
		}
		return errors.New("the name servers did not say where " + server + " is")
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Errorf("the certificate of %s is for another name: %w", server, e)
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Errorf("the certificate of %s is signed by nobody known here: %w", server, e)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New(server + " refused the connection")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, net.ErrClosed):
		return errors.New(server + " closed the connection")
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New(server + " did not answer in time")
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errors.New(server + " did not answer in time")
	}
	return fmt.Errorf("%s: %w", server, err)
}

// cut shortens a text to so many bytes, between characters and without what cannot be printed.
func cut(text string, most int) string {
	out := make([]rune, 0, min(len(text), most))
	size := 0
	for _, r := range text {
		if size += len(string(r)); size > most {
			break
		}
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}

// within returns the earlier of a context's deadline and a time from now.
func within(ctx context.Context, patience time.Duration) time.Time {
	end := time.Now().Add(patience)
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		return d
	}
	return end
}
