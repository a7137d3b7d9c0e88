package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// explain turns a failure of the network into one line of plain words. What it knows
// by name stays what it is: ErrForbidden, ErrPort, and a context that the caller ended.
func explain(host string, err error) error {
	switch {
	case errors.Is(err, ErrForbidden):
		return ErrForbidden
	case errors.Is(err, ErrPort):
		return ErrPort
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !isTimeoutOfNet(err):
		return err
	}
	return &NetworkError{Words: host + ": " + inPlainWords(err), Err: err}
}

// IsSlow reports whether an error of Client.Fetch says that the origin was too slow, or did not answer at all.
func IsSlow(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return errors.As(err, new(slowError)) || ok && e.Timeout()
}

// isTimeoutOfNet distinguishes a dialer's own timeout from the end of the caller's context.
func isTimeoutOfNet(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

func inPlainWords(err error) string {
	if costly, ok := errors.AsType[costError](err); ok {
		return costly.Error()
	}
	if slow, ok := errors.AsType[slowError](err); ok {
		return slow.Error()
	}
	if by, ok := errors.AsType[ProxyError](err); ok {
		return by.Error()
	}
	if words := certificateWords(err); words != "" {
		return words
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		switch {
		case e.IsNotFound:
			return "no such host"
		case e.IsTimeout:
			return "the name servers did not answer in time"
		default:
			return "no such host, or its name servers failed"
		}
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the host cannot be reached from here"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer"
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "the connection could not be made in time"
	}
	return protocolWords(err)
}

func certificateWords(err error) string {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if e.Reason == x509.Expired && e.Cert != nil {
			if time.Now().Before(e.Cert.NotBefore) {
				return "its certificate is not valid before " + onDay(e.Cert.NotBefore)
			}
			return "its certificate expired on " + onDay(e.Cert.NotAfter)
		}
		return "its certificate is not valid"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for another name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is not signed by a known authority"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate cannot be verified"
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		if strings.HasPrefix(string(e.RecordHeader[:]), "HTTP") {
			return "it speaks plain http where https was asked for"
		}
		return "it does not speak https"
	}
	if e, ok := errors.AsType[tls.AlertError](err); ok {
		return fmt.Sprintf("it refused the secure connection (%v)", e)
	}
	return ""
}

// protocolWords sorts the errors of net/http that have no type.
func protocolWords(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "server response headers exceeded"):
		return "the header of its answer is too long"
	case strings.Contains(text, "malformed HTTP"), strings.Contains(text, "malformed MIME"),
		strings.Contains(text, "bad Content-Length"), strings.Contains(text, "Content-Length headers"),
		strings.Contains(text, "transfer encoding"), strings.Contains(text, "HTTP/0.9"):
		return "its answer is not HTTP as it should be"
	case strings.Contains(text, "remote error: tls"), strings.Contains(text, "tls:"):
		return "no secure connection could be made"
	default:
		return "the connection failed"
	}
}
