package web

import (
	"net/url"

	"golang.org/x/net/idna"
)

// hostText returns an address's host as it is shown: in ASCII, without "www.".
func hostText(u *url.URL) string {
	host, err := idna.Punycode.ToASCII(u.Hostname())
	if err != nil {
		host = u.Hostname()
	}
	if len(host) > 4 && host[:4] == "www." {
		host = host[4:]
	}
	return plain(host, 100)
}
