package web

import (
	"testing"

	"tidings/delivery/auth"
)

const testPassword = "correct horse battery"

func newFakeWithPassword(t *testing.T) *fake {
	t.Helper()
	f := sample()
	hash, err := auth.HashPassword(testPassword)
	if err != nil {
		t.Fatal(err)
	}
	f.password = hash
	return f
}
