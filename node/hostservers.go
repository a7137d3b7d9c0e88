package node

import (
	"tidings/node/descriptors"
	"tidings/node/servers"
)

// serving returns what the node's servers serve, but for the store, which need not be open.
func (n *Node) serving() servers.Config {
	c, open := n.config, descriptors.Of(n.config.Polls)
	s := servers.Config{
		Data: c.Data, HTTP: c.HTTP, PasswordFile: c.PasswordFile, AllowedHosts: c.allowedHosts(), PublicURL: c.public(),
		TrustedProxies:  c.TrustedProxies,
		ProxyUserHeader: c.ProxyUserHeader,
		OpenID:          c.OpenID, OpenIDSecret: c.OpenIDSecretFile, PrivateOrigins: c.AllowPrivateOrigins ||
			c.LabOrigins,
		PlainReaders: c.AllowPlainReaders, ReaderRequests: c.ReaderRequests,
		Page: open.Page, Socket: open.Socket, AnswerMemory: c.AnswerMemory, Node: n, Network: n.others(),
		Metrics: n.metrics, Version: Version, Log: n.log,
	}
	if n.hub != nil {
		s.Hub = n.hub.Handler()
	}
	if n.subscriber != nil {
		s.Callbacks, s.CallbackPath = n.subscriber, callbackPath
	}
	return s
}
