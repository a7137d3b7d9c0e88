package node

import (
	"fmt"
	"os"
)

// aboutNetworkKey says whether the file with the network key is kept from others.
func aboutNetworkKey(file string) []Diagnosis {
	if file == "" {
		return nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil // the settings' check says so
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return []Diagnosis{{LevelWarning, fmt.Sprintf("Others may read the network key (mode %04o).", mode), "chmod 600 " + file}}
	}
	return nil
}
