package zones

import (
	"testing"

	"tidings/network/astrolabe/attr"
)

// Numbers that people write are numbers to functions; what is none is a text.
func TestZoneValues(t *testing.T) {
	for text, want := range map[string]string{"5": "5", "-5": "-5", "0.5": "0.5", "1e3": "1000", "NaN": "NaN",
		"Inf": "Inf", "five": "five", "": ""} {
		if got := attributeText(attr.Attribute{Name: "v", Value: valueOf(text)}); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}
