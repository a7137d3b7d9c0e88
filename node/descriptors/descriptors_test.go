package descriptors

import "testing"

// No use gets what another needs, and with a low limit each has a share.
func TestDescriptorsAreDivided(t *testing.T) {
	for _, c := range []struct {
		granted, polls int
		want           Share
	}{
		{16, 256, Share{Page: 16, Socket: 16, Network: 4}},
		{300, 256, Share{Page: 68, Socket: 18, Network: 75}},
		{1024, 256, Share{Page: 384, Socket: 64, Network: 256}},
		{1024, 8, Share{Page: 624, Socket: 64, Network: 256}},
		{20_000, 256, Share{Page: 16_384, Socket: 1024, Network: 512}},
		{1 << 20, 256, Share{Page: 16_384, Socket: 1024, Network: 512}},
	} {
		d := divide(c.granted, c.polls)
		if d != c.want {
			t.Errorf("%d descriptors with %d polls: %+v, want %+v", c.granted, c.polls, d, c.want)
		}
		if sum := d.Page + d.Socket + d.Network + otherDescriptors; c.granted >= 256 && sum > c.granted {
			t.Errorf("%d descriptors: %d are given away", c.granted, sum)
		}
	}
}
