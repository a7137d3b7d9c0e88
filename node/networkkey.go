package node

import "tidings/network/live"

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
