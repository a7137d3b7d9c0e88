package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"time"

	"tidings/delivery/api"
	"tidings/node/member"
	"tidings/source/fetch"
	"tidings/store"
)

// Level is how bad a finding of Doctor is.
type Level string

// The levels, from the best.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning" // works, but something should be done
	LevelProblem Level = "problem" // does not work
)

// Diagnosis is one thing that Doctor found.
type Diagnosis struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`           // one line of plain words
	Hint  string `json:"hint,omitempty"` // what to do about it
}

// doctorPatience is how long Doctor waits for an answer.
const doctorPatience = 5 * time.Second

// unanswered says why there was no answer.
func unanswered(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		return fmt.Sprintf("there was no answer within %d seconds", doctorPatience/time.Second)
	}
	return err.Error()
}

// lowDisk is when a data directory's file system counts as nearly full.
const lowDisk = 256 << 20

// Doctor examines a data directory and the machine around it, whether a node runs
// or not, and says in plain words what is wrong. It changes nothing.
func Doctor(ctx context.Context, c Config) []Diagnosis {
	return examine(ctx, c, new(disk))
}

// examine leaves out what would wait for a file system that does not answer.
func examine(ctx context.Context, c Config, d *disk) []Diagnosis {
	all := checkSettings(ctx, c)
	space, err := checkDisk(ctx, c, d)
	if !errors.Is(err, errDiskSilent) {
		all = slices.Concat(all, checkStore(ctx, c), checkNode(ctx, c))
	}
	return slices.Concat(all, space, checkClock(ctx, c), checkNames(ctx, c))
}

func fine(format string, args ...any) Diagnosis {
	return Diagnosis{Level: LevelOK, Text: fmt.Sprintf(format, args...)}
}

func checkSettings(_ context.Context, c Config) []Diagnosis {
	if err := c.Validate(); err != nil {
		return []Diagnosis{{LevelProblem, err.Error(), "change the flag, the environment or the configuration file"}}
	}
	if c.Contact == "" || c.Contact == fetch.Default().Contact {
		return []Diagnosis{{LevelWarning, "Requests to origins carry no address of yours.",
			"give one with --contact, so that an origin's owner can reach you instead of blocking you"}}
	}
	return []Diagnosis{fine("The settings can be used.")}
}

func checkStore(ctx context.Context, c Config) []Diagnosis {
	found, err := store.Check(ctx, c.Data)
	if err != nil {
		return []Diagnosis{{LevelProblem, err.Error(), "see that you may read the data directory"}}
	}
	var all []Diagnosis
	for _, f := range found {
		level := LevelOK
		if !f.OK {
			level = LevelProblem
		}
		all = append(all, Diagnosis{Level: level, Text: f.Text})
	}
	return all
}

func checkNode(ctx context.Context, c Config) []Diagnosis {
	socket := api.SocketPath(c.Data)
	info, err := os.Stat(socket)
	if errors.Is(err, fs.ErrNotExist) {
		return append([]Diagnosis{{LevelWarning, "No node is running for this data directory.", "start one with: tidings up"}}, checkPorts(c)...)
	}
	if err != nil {
		return []Diagnosis{{LevelProblem, err.Error(), ""}}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return []Diagnosis{{LevelProblem, fmt.Sprintf("Others may use the node's socket (mode %04o).", mode), "chmod 600 " + socket}}
	}
	client := api.Dial(socket)
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	status, err := client.Status(ctx)
	if err != nil {
		return []Diagnosis{{LevelProblem, "The node does not answer: " + unanswered(err), "look at its log, or start it again"}}
	}
	all := []Diagnosis{fine("The node answers: version %s, up since %s, %d channels.",
		status.Version, status.Started.Local().Format("2 January 15:04"), status.Channels)}
	for _, p := range status.Problems {
		all = append(all, Diagnosis{LevelProblem, p.What, p.Hint})
	}
	return slices.Concat(all, aboutSlots(status), checkPage(status, time.Now()), connectivity(status.Network), clocks(status))
}

// checkPorts looks whether a node that does not run yet could listen for others.
func checkPorts(c Config) []Diagnosis {
	if c.NoNetwork {
		return nil
	}
	return append(aboutNetworkKey(c.NetworkKeyFile), ports(c, member.TryListening)...)
}

func checkDisk(ctx context.Context, c Config, d *disk) ([]Diagnosis, error) {
	free, err := d.left(ctx, c.Data)
	switch {
	case errors.Is(err, errDiskSilent):
		return []Diagnosis{{LevelProblem, fmt.Sprintf("The file system of %s does not answer: there was nothing within %d seconds.", c.Data, diskPatience/time.Second),
			"see that the disk is there, or the server that has it; nothing else of the data directory was checked"}}, err
	case err != nil:
		return nil, err
	case free < lowDisk:
		return []Diagnosis{{LevelWarning, fmt.Sprintf("Only %d MiB are free on the disk of %s.", free>>20, c.Data), "make room"}}, nil
	}
	return []Diagnosis{fine("%d MiB are free on the disk.", free>>20)}, nil
}

// checkClock catches machines that woke without a clock: dates of origins and sessions
// mean nothing on them.
func checkClock(context.Context, Config) []Diagnosis {
	const built = 2026
	if now := time.Now(); now.Year() < built || now.Year() > built+50 {
		return []Diagnosis{{LevelProblem, "The clock says " + now.Format("2 January 2006 15:04") + ".", "set the machine's clock"}}
	}
	if kept, known := clockKept(); known && !kept {
		return []Diagnosis{{LevelWarning, "No time service (NTP) keeps this machine's clock, as far as the system knows.",
			"switch one on, for example with: timedatectl set-ntp true"}}
	}
	return []Diagnosis{fine("The clock is plausible.")}
}

func checkNames(ctx context.Context, _ Config) []Diagnosis {
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	if _, err := net.DefaultResolver.LookupHost(ctx, "example.org"); err != nil {
		return []Diagnosis{{LevelWarning, "Names cannot be looked up: " + unanswered(err),
			"see whether this machine is connected; origins in its own network may work all the same"}}
	}
	return []Diagnosis{fine("Names can be looked up.")}
}
