package main

import (
	"io"

	"tidings/delivery/mcp"
	"tidings/node"
)

type mcpCmd struct {
	Private bool `help:"Show channels that are not public, too: those with a password, unlisted ones, queries and posted items."`
	Write   bool `help:"Let the assistant mark items as read, and star them."`
}

func (c *mcpCmd) Run(p *program) error {
	return mcp.Serve(p.ctx, mcp.Config{
		Node: p.client, Private: c.Private, Write: c.Write, Version: node.Version,
	}, io.NopCloser(p.in), unclosed{p.out.Out})
}

// unclosed is a stream that stays open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
