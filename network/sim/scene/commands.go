package scene

import (
	"maps"
	"slices"

	"tidings/network/engine"
	"tidings/network/sim"
)

// own are the harness's commands: those that suit every protocol.
var own = map[string]Command{
	"add":         addCommand,
	"run":         runCommand,
	"crash":       crashCommand,
	"restart":     restartCommand,
	"stop":        stopCommand,
	"backup":      backupCommand,
	"pause":       pauseCommand,
	"suspend":     suspendCommand,
	"clock":       clockCommand,
	"latency":     latencyCommand,
	"drop":        dropCommand,
	"delay":       delayCommand,
	"partition":   partitionCommand,
	"cut":         cutCommand,
	"heal":        healCommand,
	"private":     privateCommand,
	"punch":       punchCommand,
	"log":         logCommand,
	"show nodes":  showNodes,
	"show counts": showCounts,
}

// addCommand brings nodes in and starts them. A node's name is the start of its ID, unless
// id= gives another.
//
//	add a3 b7 latency=20ms              how long messages to or from them are under way
//	add c1 role=liar                    a node that runs one of the stage's roles
//	add a3' id=a3 disk=a3               another node with the same ID, and a copy of its disk
func addCommand(c *Call) {
	start := c.role(c.Text("role", ""))
	for _, name := range c.Plain() {
		if c.byName(name) != nil {
			c.Fatalf("there is a node %q already", name)
		}
		digits := c.Text("id", name)
		if !isDigits(digits) {
			c.Fatalf("%q is not the start of an ID in hexadecimal digits", digits)
		}
		if d := c.Duration("latency", 0); d > 0 {
			c.latency.setNode(sim.Node(c.world.Len()), d)
		}
		n := c.add(name, engine.PrefixID(digits), start)
		if c.Has("disk") {
			c.world.Restore(n.number, c.world.Disk(c.NodeOf("disk").number))
		}
		c.world.Boot(n.number)
	}
	if len(c.plain) == 0 {
		c.Fatalf("which node?")
	}
}

func (c *Call) role(name string) sim.Start {
	c.t.Helper()
	if name == "" {
		return c.stage.Start
	}
	start := c.stage.Roles[name]
	if start == nil {
		c.Fatalf("there is no role %q; there are %q", name, slices.Sorted(maps.Keys(c.stage.Roles)))
	}
	return start
}

// runCommand lets time pass:
//
//	run 30s
//	run until=1m                        to that time since the scene began
func runCommand(c *Call) {
	if !c.Has("until") {
		c.world.Run(c.duration(c.Word(0)))
		return
	}
	d := c.Duration("until", 0) - c.world.Now()
	if d < 0 {
		c.Fatalf("it is %s already", stamp(c.world.Now()))
	}
	c.world.Run(d)
}

// crashCommand ends nodes at once. Their disks stay.
func crashCommand(c *Call) {
	for _, n := range c.Nodes() {
		c.mustBeUp(n)
		c.world.Crash(n.number)
	}
}

// stopCommand ends nodes in good order: they may send farewells.
func stopCommand(c *Call) {
	for _, n := range c.Nodes() {
		c.mustBeUp(n)
		c.world.Shutdown(n.number)
	}
}

// backupCommand keeps a copy of what nodes have on their disks:
//
//	backup a3
func backupCommand(c *Call) {
	for _, n := range c.Nodes() {
		c.backups[n.name] = c.world.Disk(n.number)
	}
}

// restartCommand starts nodes that are down, or crashes and starts those that are not.
//
//	restart a3                          with what is on its disk
//	restart a3 with=nothing             with an empty disk
//	restart a3 with=backup              with what was on its disk at the last backup
//	restart a3 address=new
func restartCommand(c *Call) {
	with, address := c.Text("with", "state"), c.Text("address", "same")
	for _, n := range c.Nodes() {
		c.world.Crash(n.number)
		c.restore(n, with)
		switch address {
		case "same":
		case "new":
			c.world.Move(n.number)
			c.names.settle(n)
		default:
			c.Fatalf("address=same or address=new?")
		}
		c.world.Boot(n.number)
	}
}

func (c *Call) restore(n *Node, with string) {
	c.t.Helper()
	switch with {
	case "state":
	case "nothing":
		c.world.Restore(n.number, nil)
	case "backup":
		backup := c.backups[n.name]
		if backup == nil {
			c.Fatalf("there is no backup of %s", n.name)
		}
		c.world.Restore(n.number, backup)
	default:
		c.Fatalf("with=state, with=nothing or with=backup?")
	}
}

// latencyCommand sets how long messages between two nodes are under way, one way:
//
//	latency a3 b7 200ms
func latencyCommand(c *Call) {
	c.latency.setPair(c.Node(0).number, c.Node(1).number, c.duration(c.Word(2)))
}

func (c *Call) mustBeUp(n *Node) {
	c.t.Helper()
	if !n.Up() {
		c.Fatalf("%s is down", n.name)
	}
}
