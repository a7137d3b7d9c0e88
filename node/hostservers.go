package node

import (
	"tidings/node/descriptors"
	"tidings/node/servers"
)

// serving returns what the node's servers serve, but for the store, which need not be open.
func (n *Node) serving() servers.Config {
	c, open := n.config, descriptors.Of(n.config.Polls)
	return servers.Config{
		Data: c.Data, HTTP: c.HTTP, PasswordFile: c.PasswordFile, AllowedHosts: c.AllowedHosts, TrustedProxies: c.TrustedProxies,
		ProxyUserHeader: c.ProxyUserHeader,
		PlainReaders:    c.AllowPlainReaders, ReaderRequests: c.ReaderRequests,
		Page: open.Page, Socket: open.Socket, AnswerMemory: c.AnswerMemory, Node: n, Network: n.others(),
		Metrics: n.metrics, Version: Version, Log: n.log,
	}
}
