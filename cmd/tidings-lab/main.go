// Command tidings-lab runs experiments with Tidings' protocols and nodes, and measures them.
//
//	tidings-lab list                 name the experiments
//	tidings-lab run pastry           run one: a table beside the published figures, plots, a file
//	tidings-lab bench poll           measure whole polls on this machine
//
// The exit status is 0 if all went well. It is 1 if something failed or a figure is not as expected, and 2 if the
// command was not understood.
package main

import (
	"tidings/cmd/cli"
	"tidings/cmd/tidings-lab/commands"
)

func main() { cli.Main(commands.Run) }
