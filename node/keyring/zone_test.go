package keyring

import (
	"errors"
	"testing"

	"tidings/network/astrolabe/zone"
)

// Authorities' keys are found by the zones that they rule, and are none to publish with.
func TestZoneKeys(t *testing.T) {
	keys := In(t.TempDir())
	if _, _, err := keys.ZoneKey("/eu"); !errors.Is(err, ErrNoZoneKey) {
		t.Errorf("without any: %v", err)
	}
	for _, p := range []zone.Path{"/", "/eu", "/eu/de"} {
		if _, err := keys.NewZone(p, ""); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[zone.Path]zone.Path{"/": "/", "/us": "/", "/eu": "/eu", "/eu/fr": "/eu",
		"/eu/de": "/eu/de", "/eu/de/berlin": "/eu/de", "/eu_de": "/"} {
		if _, over, err := keys.ZoneKey(p); err != nil || over != want {
			t.Errorf("the key for %s is that of %s, %v", p, over, err)
		}
	}
	if _, err := keys.NewZone("/eu/~ab", ""); !errors.Is(err, ErrZoneAuto) {
		t.Errorf("a zone that made itself: %v", err)
	}
	if _, err := keys.Pick(""); !errors.Is(err, ErrNoKey) {
		t.Errorf("an authority's key is picked to publish with: %v", err)
	}
	if _, err := keys.New("blog", ""); err != nil {
		t.Fatal(err)
	}
	if key, err := keys.Pick(""); err != nil || key.Name != "blog" {
		t.Errorf("to publish is picked %s, %v", key.Name, err)
	}
}
