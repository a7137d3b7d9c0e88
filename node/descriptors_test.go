package node

import "testing"

// Nobody takes what another use needs, and with few descriptors each has a little.
func TestDescriptorsAreDivided(t *testing.T) {
	for _, c := range []struct {
		granted, polls int
		want           descriptors
	}{
		{16, 256, descriptors{page: 16, socket: 16, network: 4}},
		{300, 256, descriptors{page: 68, socket: 18, network: 75}},
		{1024, 256, descriptors{page: 384, socket: 64, network: 256}},
		{1024, 8, descriptors{page: 624, socket: 64, network: 256}},
		{20_000, 256, descriptors{page: 16_384, socket: 1024, network: 512}},
		{1 << 20, 256, descriptors{page: 16_384, socket: 1024, network: 512}},
	} {
		d := divide(c.granted, c.polls)
		if d != c.want {
			t.Errorf("%d descriptors with %d polls: %+v, want %+v", c.granted, c.polls, d, c.want)
		}
		if sum := d.page + d.socket + d.network + otherDescriptors; c.granted >= 256 && sum > c.granted {
			t.Errorf("%d descriptors: %d are given away", c.granted, sum)
		}
	}
}
