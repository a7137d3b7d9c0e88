package corona

import (
	"slices"
	"testing"
	"time"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// An assignment is followed for a certificate that is just large enough, and each field of each grant counts (hostile
// 44).
func TestEachFieldOfACertificateCounts(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 40, quick)
		c := channel(0)
		owners := v.owners(Channel{ID: budgets.HostKey(c.URL)}, 9)
		until := v.at(owners[0]).corona.Env.Wall().Add(30 * time.Minute)
		assigned := func(from int, until time.Time) *plan.Assignment {
			list := v.grantsBy(owners[from:from+6], c, machine.Size{}, until)
			for i := range list {
				list[i].Channel = engine.ID{}
			}
			return &plan.Assignment{Channel: c.ID, URL: c.URL, Width: 1, Certificate: list}
		}
		rest := v.nodes[20:]
		rest = slices.DeleteFunc(slices.Clone(rest), func(n sim.Node) bool { return slices.Contains(owners, n) })
		type certificate struct{ Grants []machine.Grant }
		ours := assigned(0, until)
		enginetest.CheckProof(t, &certificate{ours.Certificate},
			&certificate{assigned(3, until.Add(time.Minute)).Certificate[:6]}, map[string]string{
				"Grants.Owner.Address":       "the ID names the key",
				"Grants.Channel":             "a certificate leaves it out: the signature is of the assignment's",
				"Grants turned round":        "each owner signs for itself",
				"Grants longer":              "one more than are needed",
				"Grants with its last twice": "one more than are needed",
				"Grants another message's":   "it is one of a quorum, too",
			}, func(m *certificate) bool {
				a := *ours
				a.Certificate = m.Grants
				n := rest[0]
				v.Do(n, func(engine.Protocol) {
					v.at(n).corona.Receive(v.Peer(owners[0]), &plan.Maintenance{Assignments: []plan.Assignment{a}})
				})
				v.Run(time.Millisecond)
				if !v.at(n).corona.follows(c.ID) {
					return false
				}
				v.Do(n, func(engine.Protocol) {
					stop := []plan.Assignment{{Channel: c.ID, Stop: true}}
					v.at(n).corona.Receive(v.Peer(owners[0]), &plan.Maintenance{Assignments: stop})
				})
				if v.at(n).corona.follows(c.ID) {
					t.Fatal("it cannot be stopped")
				}
				return true
			})
	})
}
