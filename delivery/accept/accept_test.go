package accept

import "testing"

func TestGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "gzip, deflate, br, zstd": true, "br": false, "gzip;q=0": false,
		"gzip; q=0.0": false, "br, gzip;q=0.5": true,
		"gzip;q=x": false, "*": true, "*;q=0": false, "*;q=0, gzip": true, "*, gzip;q=0": false, "x-gzip": false,
	} {
		if got := Gzip(header); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
