package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tidings"
	"tidings/node/keyring"
	"tidings/node/owner"
	"tidings/source/fetch"
	"tidings/store"
	"tidings/store/db"
)

func (c Config) checkSettings() []Diagnosis {
	if c.Settings != nil {
		return []Diagnosis{{LevelProblem, c.Settings.Error(),
			"change the flag, the environment or the configuration file"}}
	}
	if c.Contact == "" || c.Contact == fetch.Default().Contact {
		return []Diagnosis{{LevelWarning, "Requests to origins carry no address of yours.",
			"give one with --contact, so that an origin's owner can reach you instead of blocking you"}}
	}
	return []Diagnosis{fine("The settings can be used.")}
}

func (c Config) checkStore(ctx context.Context) []Diagnosis {
	all := c.aboutSecrets()
	if err := db.Emptied(c.Data, c.KeyFile); err != nil {
		return append(all, Diagnosis{LevelProblem, "A start would begin anew: " + sentence(tidings.Reason(err)) + ".",
			tidings.HintOf(err)})
	}
	found, err := store.Check(ctx, c.Data)
	if err != nil {
		return append(all,
			Diagnosis{LevelProblem, err.Error(),
				cmp.Or(tidings.HintOf(owner.WithOwner(err)), "see that you may read the data directory")})
	}
	for _, f := range found {
		level := LevelOK
		if !f.OK {
			level = LevelProblem
		}
		all = append(all, Diagnosis{Level: level, Text: f.Text})
	}
	return all
}

// aboutSecrets says which of a node's keys others may read.
func (c Config) aboutSecrets() []Diagnosis {
	files := []string{filepath.Join(c.Data, c.KeyFile), filepath.Join(c.Data, c.KeyFile+".former")}
	for _, given := range []string{c.PasswordFile, c.OpenIDSecretFile} {
		if given != "" {
			files = append(files, given)
		}
	}
	files = append(files, keyring.In(c.Data).Files()...)
	var all []Diagnosis
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || os.PathSeparator != '/' {
			continue // the start says so, where the file is needed
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			all = append(all,
				Diagnosis{LevelWarning, fmt.Sprintf("Others may read or write the secret in %s (mode %04o).", file,
					mode), "chmod 600 " + file})
		}
	}
	return all
}

// checkNode asks the running node how it is; where none runs, it says what would keep one from listening.
func (c Config) checkNode(ctx context.Context) []Diagnosis {
	info, err := os.Stat(c.Socket)
	if errors.Is(err, fs.ErrNotExist) {
		return append([]Diagnosis{{LevelWarning, "No node is running for this data directory.",
			"start one with: tidings up"}}, c.checkNetwork()...)
	}
	if err != nil {
		return []Diagnosis{{LevelProblem, err.Error(), ""}}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return []Diagnosis{{LevelProblem, fmt.Sprintf("Others may use the node's socket (mode %04o).", mode),
			"chmod 600 " + c.Socket}}
	}
	ctx, cancel := context.WithTimeout(ctx, nodePatience)
	defer cancel()
	status, err := c.Status(ctx)
	if err != nil {
		return []Diagnosis{{LevelProblem, "The node does not answer: " + unanswered(err, nodePatience),
			"look at its log, or start it again"}}
	}
	all := []Diagnosis{fine("The node answers: version %s, up since %s, %d channels.",
		status.Version, status.Started.Local().Format("2 January 15:04"), status.Channels)}
	for _, p := range status.Problems {
		all = append(all, Diagnosis{LevelProblem, p.What, p.Hint})
	}
	return slices.Concat(all, aboutSlots(status), aboutPage(status, time.Now()), c.connectivity(status.Network),
		clocks(status))
}

// checkNetwork checks whether a node that does not run yet could listen for others.
func (c Config) checkNetwork() []Diagnosis {
	if c.Alone {
		return nil
	}
	return append(c.aboutNetworkKey(), c.ports()...)
}
