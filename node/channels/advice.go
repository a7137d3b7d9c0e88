package channels

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
)

// inBrowser is the advice for what only a look at the site explains.
const inBrowser = "open the address in a browser to see what the site says"

// advice returns what a person can do about err, the failure of the first poll of an address; "" if nothing is known.
// The command line, the API and the page all show it.
func advice(given string, err error) string {
	if errors.Is(err, tidings.ErrInvalid) {
		return "" // what is wrong with the address or an option is in the error
	}
	for _, about := range []func(string, error) string{refusalAdvice, statusAdvice, transportAdvice, documentAdvice} {
		if text := about(given, err); text != "" {
			return text
		}
	}
	return ""
}

// inAddressBar is the advice for what is not written like an address of the web.
const inAddressBar = "an address begins with https:// or http://, as in a browser's address bar"

// refusalAdvice is about what this node does not do.
func refusalAdvice(_ string, err error) string {
	limited, isLimited := errors.AsType[*fetch.LimitedError](err)
	switch {
	case errors.Is(err, fetch.ErrForbidden):
		return "if it lies in your own network, let the node connect there: tidings up --allow-private-origins"
	case errors.Is(err, fetch.ErrPort):
		return "use an address with port 80 or 443, or one above 1024"
	case errors.Is(err, fetch.ErrTooLarge):
		return "let the node read more: tidings up --body-limit SIZE"
	case isLimited && limited.Own:
		return "try again in a minute"
	case isLimited:
		return "try again after that time; the node sends no request before"
	}
	return ""
}

// statusAdvice is about what an origin answers.
func statusAdvice(_ string, err error) string {
	if errors.As(err, new(*fetch.ChallengeError)) {
		return "the site admits only browsers; look for a feed on it, which may be open to programs"
	}
	answer, ok := errors.AsType[*fetch.StatusError](err)
	if !ok {
		return ""
	}
	switch status := answer.Status; {
	case status == http.StatusUnauthorized:
		return "write them into the address: https://USER:PASSWORD@example.org/feed"
	case status == http.StatusForbidden:
		return "the site refuses the node's requests; look for another feed of it, or ask its operator"
	case status == http.StatusNotFound:
		return "check the path of the address, or give the site's start page: the node finds its feed there"
	case status == http.StatusGone:
		return "it was removed for good; look for its new address on the site"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		if answer.After > 0 {
			return "try again after that time"
		}
		return "try again in an hour"
	case status >= http.StatusInternalServerError:
		return "the fault is at the site; try again later"
	}
	return inBrowser
}

// transportAdvice is about connections and redirects.
func transportAdvice(given string, err error) string {
	if text := schemeAdvice(given, err); text != "" {
		return text
	}
	if text := certificateAdvice(err); text != "" {
		return text
	}
	if by, ok := errors.AsType[fetch.ProxyError](err); ok {
		if by == fetch.ErrProxyAddress {
			return "if the proxy lies in your own network, name it to the node: tidings up --proxy-at HOST:PORT"
		}
		return "check the address of the proxy, or remove it: --proxy none"
	}
	name, isName := errors.AsType[*net.DNSError](err)
	switch {
	case errors.As(err, new(*fetch.RedirectError)):
		return "open the address in a browser, and give the one that it ends at"
	case isName && name.IsNotFound:
		return "check the spelling of the address"
	case isName:
		return "check the spelling of the address, and this machine's connection to the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "no server listens there: check the address and its port, or try again later"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "check this machine's connection to the network"
	case fetch.IsSlow(err), errors.Is(err, errSlowCheck):
		return "the site is slow or down; try again later"
	case errors.As(err, new(*fetch.NetworkError)), errors.Is(err, fetch.ErrTruncated):
		return "the fault is at the site or on the way to it; try again later"
	}
	return ""
}

// schemeAdvice says that http was perhaps meant where https was spoken.
func schemeAdvice(given string, err error) string {
	bare := !strings.Contains(given, "://")
	noTLS := errors.As(err, new(tls.RecordHeaderError)) || errors.Is(err, http.ErrSchemeMismatch)
	switch {
	case bare && (noTLS || errors.Is(err, syscall.ECONNREFUSED)):
		return "it was read as https; put http:// before it if it is plain http"
	case noTLS:
		return "write http:// instead of https:// if it is plain http"
	}
	return ""
}

func certificateAdvice(err error) string {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return "the site's operator has to renew it; check this machine's clock, too"
	case errors.As(err, new(x509.HostnameError)):
		return "check the host in the address: with or without www., for example"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "if the server is yours, add its certificate to those that the node's machine trusts"
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(tls.AlertError)):
		return "the site's operator has to mend it"
	}
	return ""
}

// documentAdvice is about what an origin sends.
func documentAdvice(_ string, err error) string {
	switch {
	case errors.Is(err, fetch.ErrEmpty):
		return "the site sent nothing: check the address, or try again later"
	case errors.Is(err, fetch.ErrBomb), errors.Is(err, fetch.ErrCorrupt), errors.Is(err, fetch.ErrUnasked),
		errors.Is(err, feed.ErrDamaged):
		return "the fault is at the site; try again later"
	case errors.Is(err, page.ErrNotText):
		return "give the address of a feed or of an HTML page"
	case errors.Is(err, page.ErrEmpty):
		return "a script may draw the page, and the node runs none; look for a feed of the site"
	case errors.Is(err, page.ErrNoMatch):
		return "look at the page's source for what is there, or leave the selector out"
	}
	return ""
}
