// Package node puts one Tidings node together and owns its life: start, serve, stop. It has the configuration and the wiring;
// what a node does is done by the packages below it, each of which says in an interface Host what it needs of the node.
//
// A node polls the channels that its accounts follow (package source), keeps what it finds (package store) and shows it by
// its interfaces (packages under delivery). These layers do not know one another; whatever passes between them passes through
// here.
//
// The protocols of the network run in one loop (network/live), made by Start in network.go. A part that has to do with them is
// told what they find by typed callbacks, which must not wait, and asks them from outside the loop by Host.Do; the tracer only
// observes.
package node
