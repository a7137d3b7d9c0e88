package node

import (
	"fmt"
	"os"

	"tidings/network/live"
)

// WriteNetworkKey makes a key for a network of one's own and writes it to a new file,
// which its owner alone can read. A file that is there is left alone.
func WriteNetworkKey(file string) error { return live.WriteNetworkKey(file, live.NewNetworkKey()) }

// readNetworkKey reads such a file.
func readNetworkKey(file string) ([]byte, error) {
	key, err := live.ReadNetworkKey(file)
	if err != nil {
		return nil, invalid("%v; make one with: tidings key network", err)
	}
	return key, nil
}

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
