package node

import "context"

// host is the node as its parts see it: each part declares as an interface what it needs of that.
type host struct{ *Node }

// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
func (h host) InLoop(ctx context.Context, f func()) { h.sharing.inLoop(ctx, f) }

// Work has a worker run a job that others wait for. It does not wait for it. Whoever gives jobs bounds how many wait.
func (h host) Work(job func(context.Context)) { h.sharing.work(job) }
