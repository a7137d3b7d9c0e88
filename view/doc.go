// Package view holds what the page, the API and the command line show of a node: how the node is, how it stands among
// the others, by which routes updates come, what it publishes, what a query or a filter would select. A request that
// only these interfaces send to the node stands beside its answer.
//
// The node and its parts make these values, among them node/member, node/coop, node/routing, node/zones and
// node/publish. Package delivery/api has them as JSON, delivery/web and delivery/metrics show them, and the command
// line prints them. Each is a copy of a moment: to change it changes nothing of the node.
//
// Neither network nor source nor store may import this package. A type that one of them needs belongs to the root
// package, and a type that one package alone needs belongs to that package.
package view
