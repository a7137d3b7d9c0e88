// Package node puts one Tidings node together and owns its life: start, serve, stop. It has the configuration and the
// wiring. What a node does is done by the packages below it; each defines what it needs of the node in an interface
// Host.
//
// A node polls the channels that its accounts follow (package source), keeps what it finds (package store) and shows it
// by its interfaces (packages under delivery). These layers do not know one another. Everything that passes between
// them passes through here.
//
// The protocols of the network run in one loop (network/live), made by Start in network.go. Typed callbacks, which must
// not wait, report the protocols' findings to other parts. Parts outside the loop ask the protocols by Host.Do. The
// tracer only observes.
package node
