package budget

import (
	"fmt"
	"testing"

	"tidings/network/corona/machine"
)

// onHost returns the i-th channel of the j-th host.
func onHost(i, j int) machine.Channel {
	return machine.Channel{URL: fmt.Sprintf("https://host%d.example/%d", j, i)}
}

// A node polls a host once an interval for versions that no node sends it, whatever channels of the host they are of,
// and as a witness without proof four times. Both bounds begin anew with each interval, and hold for each host.
func TestPollsWithoutProofAreBoundedInEachInterval(t *testing.T) {
	gap := func(m *member, c machine.Channel) bool { return m.ReserveGapPoll(c) }
	witness := func(m *member, c machine.Channel) bool { return m.reserve(HostKey(c.URL), unprovedLooks) }
	for what, c := range map[string]struct {
		poll func(m *member, c machine.Channel) bool
		most int
	}{"for missing versions": {gap, 1}, "as a witness": {witness, unprovedLooks}} {
		m := newMember()
		for interval := range 4 {
			for host := range 3 {
				for poll := range c.most + 2 {
					if got := c.poll(m, onHost(poll, host)); got != (poll < c.most) {
						t.Errorf("%s, interval %d, host %d: poll %d is made: %v", what, interval, host, poll, got)
					}
				}
			}
			if m.env.Advance(usual.Interval - 1); c.poll(m, onHost(9, 0)) {
				t.Errorf("%s, interval %d: one more poll is made before it ends", what, interval)
			}
			m.env.Advance(1)
		}
	}
}

// How many hosts are counted is bounded. Beyond that no host is polled, until the intervals of others have ended.
func TestHostsPolledWithoutProofAreBounded(t *testing.T) {
	m := newMember()
	for round := range 2 {
		made := 0
		for host := range maxGaps + 10 {
			if m.ReserveGapPoll(onHost(0, round*2*maxGaps+host)) {
				made++
			}
		}
		if made != maxGaps || len(m.gaps.made) != maxGaps {
			t.Errorf("round %d: %d hosts are polled, and %d remembered", round, made, len(m.gaps.made))
		}
		m.env.Advance(usual.Interval)
	}
}

// Of a large ring a few nodes may poll a host for their readers, as many as its ceiling leaves room for. They differ by
// host. Without a ceiling, or in a small ring, all may.
func TestNodesThatMayPollForTheirReaders(t *testing.T) {
	lets := func(nodes, ceiling int) (count, other, both int) {
		for i := range 2000 {
			m := newMember(func(h *around, c *Config) { h.nodes, c.HostCeiling = nodes, ceiling })
			m.env.Node.ID = numbered(i)
			one, two := m.LetsReaders(onHost(i, 1)), m.LetsReaders(onHost(i, 2))
			if one {
				count++
			}
			if two {
				other++
			}
			if one && two {
				both++
			}
		}
		return count, other, both
	}
	if one, other, both := lets(1000, 500); one < 160 || one > 240 || other < 160 || other > 240 || both > 60 {
		t.Errorf("a tenth may: %d and %d of 2000 for two hosts, %d for both", one, other, both)
	}
	for _, c := range []struct{ nodes, ceiling int }{{1000, 0}, {10, 500}, {0, 500}} {
		if one, _, _ := lets(c.nodes, c.ceiling); one != 2000 {
			t.Errorf("%d nodes, a ceiling of %d: %d of 2000 may", c.nodes, c.ceiling, one)
		}
	}
}
