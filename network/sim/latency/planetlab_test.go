package latency

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"testing"

	"tidings/lab/dataset"
)

// What planetlab.go says is what the measurements say. With TIDINGS_REWRITE=1 it is
// written anew.
func TestPlanetLabSpreadIsTheMeasuredOne(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(`package latency

// PlanetLabSpread returns how round trips between 294 PlanetLab nodes fluctuated over six
// measurements (FitSpread with six classes).
func PlanetLabSpread() Spread { return planetLab }

var planetLab = Spread{
`)
	for _, class := range FitSpread(dataset.PlanetLab(), 6) {
		fmt.Fprintf(&b, "\t{UpTo: %d, Factors: [SpreadFactors]uint16{", class.UpTo)
		for i, factor := range class.Factors {
			if i%16 == 0 {
				b.WriteString("\n\t\t")
			}
			fmt.Fprintf(&b, "%d, ", factor)
		}
		b.WriteString("\n\t}},\n")
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	const file = "planetlab.go"
	if os.Getenv("TIDINGS_REWRITE") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the measurements give; write it anew with TIDINGS_REWRITE=1", file)
	}
}
