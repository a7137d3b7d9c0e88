// Package routertest is one test for all routers: worlds in which nodes join topics and publish notes, the oracles of
// sim/check, and Conform, a suite that every router passes.
//
// A Protocol says how a node of the router is built. A package tests its router with
//
//	func TestConform(t *testing.T) {
//		routertest.Conform(t, protocol, routertest.Promises{Kept: 32, Settling: time.Minute})
//	}
//
// and writes tests of its own on World. What runs on a ring and is no router can use Nodes alone.
//
// The package's own tests have the simplest router that there is, which passes, and the same with mistakes, which does
// not. They are the suite's tutorial and its oracle.
package routertest
