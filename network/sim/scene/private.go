package scene

import "tidings/network/sim"

// privateCommand puts nodes behind routers: nobody can connect to them. The stage's world needs Config.Connections.
//
//	private b7 c1
func privateCommand(c *Call) {
	for _, n := range c.Nodes() {
		sim.HomesOf(c.world).Add(n.number)
	}
}

// punchCommand lets two private nodes connect to each other:
//
//	punch b7 c1
func punchCommand(c *Call) { sim.HomesOf(c.world).Punch(c.Node(0).number, c.Node(1).number) }
