// Package node puts one Tidings node together and owns its life: start, serve, stop.
//
// A node watches the channels that its accounts follow (package source), keeps what it
// finds (package store) and lets people hear of it through its interfaces (packages under
// delivery). The layers do not know one another; whatever passes between them passes
// through here. A channel's versions come from whoever found them: accept is the one
// place where a found version enters, and it does not ask who that was.
package node
