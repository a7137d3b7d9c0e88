package main

import (
	"tidings/cmd/console"
	"tidings/node/member"
)

type keyNetworkCmd struct {
	File string `arg:"" optional:"" default:"network.key" help:"File to make; one that is there is left alone. Default ${default}."`
}

func (c *keyNetworkCmd) Run(p *program) error {
	if err := member.WriteNetworkKey(c.File); err != nil {
		return err
	}
	p.out.Printf("A network key is in %[1]s. Give the file, by a safe way, to everyone who is to be\n"+
		"in your network, and start each node with: tidings up --network-key %[1]s\n"+
		"Nodes without it cannot speak to yours, nor yours to them.\n", console.Neutral(c.File))
	p.printOwner(c.File)
	return nil
}
