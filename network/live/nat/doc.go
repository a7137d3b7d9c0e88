// Package nat derives from connections where a host is: whether it is on the open internet, at which addresses others
// see it there, and how the router between translates its ports (RFC 4787).
package nat
