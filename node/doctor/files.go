package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tidings/node/owner"
)

// maxUnreadable is how many files that the node cannot read are named.
const maxUnreadable = 10

// checkFiles names the files that the node has to read and cannot. It runs as the owner of its data directory.
func (c Config) checkFiles() []Diagnosis {
	node, known := owner.Of(c.Data)
	if !known {
		return nil
	}
	keys := filepath.Join(c.Data, "keys")
	files := []string{filepath.Join(c.Data, c.KeyFile), keys}
	for _, given := range []string{c.NetworkKeyFile, c.PasswordFile, c.OpenIDSecretFile} {
		if given != "" {
			files = append(files, given)
		}
	}
	found, err := filepath.Glob(filepath.Join(keys, "*.key"))
	files = slices.Concat(files, found)
	var all []Diagnosis
	if _, listed := os.ReadDir(keys); err != nil || errors.Is(listed, fs.ErrPermission) {
		all = append(all, Diagnosis{LevelWarning, "You may not see the keys in " + keys + ", so they were not checked.",
			"run doctor as " + node.String() + ", or as root"})
	}
	for _, file := range files {
		can, err := node.CanRead(file)
		if err != nil || can || len(all) == maxUnreadable {
			continue
		}
		of, _ := owner.Of(file)
		all = append(all,
			Diagnosis{LevelProblem, fmt.Sprintf("The node cannot read %s: it belongs to %s, and the node runs as %s.",
				file, of, node),
				"as root: " + owner.Command(node, file)})
	}
	return all
}
