// Package nat finds out of connections where a host is: whether on the open internet, as whom others see it there, and how the router
// between translates its ports (RFC 4787).
package nat
