package member

import (
	"tidings"
	"tidings/network/live"
	"tidings/node/owner"
)

// WriteNetworkKey makes a key for a private network and writes it to a new file, which its owner alone can read. Of
// what root makes that is the owner of its directory. A file that is there is left alone.
func WriteNetworkKey(file string) error {
	if err := live.WriteNetworkKey(file, live.NewNetworkKey()); err != nil {
		return err
	}
	return owner.GiveFile(file)
}

// ReadNetworkKey reads such a file. One that holds no key is [tidings.ErrInvalid].
func ReadNetworkKey(file string) ([]byte, error) {
	key, err := live.ReadNetworkKey(file)
	if err != nil {
		return nil, owner.Explain(tidings.Invalidf("%w; make one with: tidings key network", err), file)
	}
	return key, nil
}
