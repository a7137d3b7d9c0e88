package auth

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPasswordRoundTrip(t *testing.T) {
	hash, err := HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") {
		t.Errorf("parameters are not written down: %s", hash)
	}
	for password, want := range map[string]bool{"correct horse": true, "correct horsf": false, "": false,
		strings.Repeat("x", MaxPassword+1): false} {
		if got, err := CheckPassword(hash, password); got != want || err != nil {
			t.Errorf("CheckPassword(%.20q) = %v, %v, want %v", password, got, err, want)
		}
	}
	again, _ := HashPassword("correct horse")
	if again == hash {
		t.Error("two hashes of one password are the same: no salt")
	}
}

func TestPasswordLength(t *testing.T) {
	for _, p := range []string{"", "1234567", strings.Repeat("x", MaxPassword+1)} {
		if _, err := HashPassword(p); !errors.Is(err, ErrPasswordLength) {
			t.Errorf("HashPassword of %d bytes: %v", len(p), err)
		}
	}
}

// A hash made elsewhere, by the reference implementation's own test:
// echo -n password | argon2 somesalt -t 2 -m 8 -p 1 -id -l 32
func TestPasswordOfReference(t *testing.T) {
	const hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if ok, err := CheckPassword(hash, "password"); !ok || err != nil {
		t.Errorf("the reference's hash: %v, %v", ok, err)
	}
}

// What a damaged store could ask for is refused before anything is computed.
func TestPasswordHashOutOfBounds(t *testing.T) {
	const salt, key = "c29tZXNhbHQ", "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	for _, hash := range []string{
		"", "plain", "$2b$12$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=256,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=256,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=4294967295,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=0$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=1,x=3$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=1$" + salt + "$" + strings.Repeat("A", 400),
		"$argon2id$v=19$m=256,t=2,p=1$!$" + key,
		"$argon2id$v=19$m=256,t=2,p=1$" + salt + "$",
	} {
		if ok, err := CheckPassword(hash, "password"); ok || err == nil {
			t.Errorf("CheckPassword(%q) = %v, %v", hash, ok, err)
		}
	}
}

func TestPHCNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"$", "argon2id", "v=19", "m=8,t=1,p=1", "c29tZXNhbHQ", "",
			"AAAAAAAAAAAAAAAAAAAAAA"}), 0, 14).Draw(t, "parts")
		h, err := parsePHC(strings.Join(parts, ""))
		if err == nil && (h.memory > maxArgonMemory || h.passes > maxArgonPasses || len(h.key) > maxKeyBytes) {
			t.Fatalf("out of bounds: %+v", h)
		}
	})
}

func TestDecoyCanBeChecked(t *testing.T) {
	if ok, err := CheckPassword(decoy, "anything"); ok || err != nil {
		t.Errorf("the decoy: %v, %v", ok, err)
	}
}
