// Package doctor reports in plain words what is wrong with a node or with the machine around it, and the remedy. The
// node may run or not. It changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"tidings/node/diskspace"
	"tidings/view"
)

// Level is how bad a diagnosis is.
type Level string

// The levels, from the best.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning" // works, but something should be done
	LevelProblem Level = "problem" // does not work
)

// Diagnosis is one thing that Examine found.
type Diagnosis struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`           // one line of plain words
	Hint  string `json:"hint,omitempty"` // what to do about it
}

// Config is the node that is examined, as it would be started.
type Config struct {
	Data     string // its data directory
	Settings error  // what is wrong with its settings; nil: they can be used
	Contact  string // the contact in the User-Agent

	KeyFile        string // file of the node's key, below Data
	NetworkKeyFile string // file of its network key; empty: it has none
	PasswordFile   string // holds its password; empty: none does

	OpenIDSecretFile string // holds the secret of the provider that signs people in; empty: none does

	Socket string                                         // of the running node
	Status func(ctx context.Context) (view.Status, error) // asks the running node

	Alone     bool                // it neither listens for other nodes nor looks for any: the following are not used
	Listen    []Address           // where it would listen
	Chosen    bool                // a person has chosen all of Listen: the node uses no other port
	TryListen func(Address) error // listens for a moment

	// how much is free at a directory, as diskspace.Gauge.Free
	Free func(ctx context.Context, dir string) (bytes uint64, err error)
}

// How long Examine waits for an answer. A node that is busy, on a busy machine, is not to be taken for one that hangs.
const (
	patience     = 5 * time.Second // from a name server
	nodePatience = 20 * time.Second
)

// Examine examines a data directory and the machine around it. What would wait for a file system that does not answer
// is left out.
func Examine(ctx context.Context, c Config) []Diagnosis {
	all := c.checkSettings()
	space, err := c.checkDisk(ctx)
	if !errors.Is(err, diskspace.ErrSilent) {
		all = slices.Concat(all, c.checkStore(ctx), c.checkFiles(), c.checkNode(ctx))
	}
	return slices.Concat(all, space, checkClock(), checkNames(ctx))
}

func fine(format string, args ...any) Diagnosis {
	return Diagnosis{Level: LevelOK, Text: fmt.Sprintf(format, args...)}
}

// unanswered says why there was no answer.
func unanswered(err error, within time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		return fmt.Sprintf("there was no answer within %d seconds", within/time.Second)
	}
	return err.Error()
}
