package member

import (
	"slices"
	"syscall"
	"testing"
)

func TestPortCandidates(t *testing.T) {
	for name, test := range map[string]struct {
		wanted, former int
		first          []int
		total          int
	}{
		"the default":               {7601, 0, []int{7601, 7602, 7603}, 1 + portsBeside + portsDrawn},
		"the default, moved before": {7601, 7603, []int{7603, 7601, 7602, 7604}, 1 + portsBeside + portsDrawn},
		"a person's choice":         {9000, 7601, []int{9000, 7601, 9001}, 2 + portsBeside + portsDrawn},
		"any":                       {0, 0, []int{0}, portsDrawn},
		"any, as before":            {0, 40000, []int{40000, 0}, 1 + portsDrawn},
		"the last":                  {MaxPort, 0, []int{MaxPort, 0}, 1 + portsDrawn},
	} {
		got := portCandidates(test.wanted, test.former)
		if len(got) != test.total || !slices.Equal(got[:len(test.first)], test.first) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFreePort(t *testing.T) {
	fail := func(where string, err error) func(network, address string) error {
		return func(network, address string) error {
			if network+" "+address == where {
				return err
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		try  func(network, address string) error
		want int
	}{
		"free":              {fail("", nil), 7700},
		"UDP is taken":      {fail("udp4 0.0.0.0:7700", syscall.EADDRINUSE), 0},
		"TCP is taken":      {fail("tcp6 [::]:7700", syscall.EADDRINUSE), 0},
		"not for everybody": {fail("tcp4 0.0.0.0:7700", syscall.EACCES), 0},
		"no IPv6":           {fail("udp6 [::]:7700", syscall.EAFNOSUPPORT), 7700},
	} {
		if got := freePort(Config{}, 7700, test.try); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := freePort(Config{}, 0, fail("", nil)); got == 0 {
		t.Error("the system has no port")
	}
}
