package passkeys

import (
	"net/http"
	"testing"
)

// A person adds a passkey, and signs in by it in another browser, without a name.
func TestSignInByPasskey(t *testing.T) {
	n := newNode(t)
	of := map[string]*device{"ann": n.enrolled("ann"), "bob": n.enrolled("bob")}
	for name, d := range of {
		b := n.browser(home)
		if code, text := b.signIn(d); code != http.StatusOK || b.me() != name {
			t.Errorf("%s: %d %s, and is %q", name, code, text, b.me())
		}
	}
	all, err := n.store.PasskeysOf(t.Context(), ann)
	if err != nil || len(all) != 1 || all[0].Name != "phone" || all[0].Host != "home.example" || all[0].Used.IsZero() {
		t.Fatalf("ann's passkeys: %+v, error %v", all, err)
	}
	if err := n.keys.Remove(t.Context(), bob, all[0].ID); err == nil {
		t.Error("bob removes ann's passkey")
	}
	if err := n.keys.Remove(t.Context(), ann, all[0].ID); err != nil {
		t.Fatal(err)
	}
	b := n.browser(home)
	if code, text := b.signIn(of["ann"]); code != http.StatusForbidden || b.me() != "" {
		t.Errorf("by a passkey that is removed: %d %s, and is %q", code, text, b.me())
	}
	if b := n.browser(home); b.me() != "" {
		t.Error("somebody is known without signing in")
	}
	if code, _ := b.signIn(of["bob"]); code != http.StatusOK || b.me() != "bob" {
		t.Errorf("bob, whose passkey stays: %d", code)
	}
}

// What the browser is asked for: a passkey that needs no name, of a verified person, that is not there yet.
func TestOptions(t *testing.T) {
	n := newNode(t)
	d := n.enrolled("ann")
	add := n.signedIn("ann").options("/settings/passkeys/options", map[string]string{"password": password}).PublicKey
	if add.RP.ID != "home.example" || add.User.Name != "ann" || len(untext(t, add.User.ID)) != 32 ||
		add.AuthenticatorSelection.ResidentKey != "required" ||
		add.AuthenticatorSelection.UserVerification != "required" || len(add.ExcludeCredentials) != 1 ||
		add.ExcludeCredentials[0].ID != text(d.id) ||
		add.Timeout != int(challengeLife.Milliseconds()) {
		t.Errorf("to add: %+v", add)
	}
	sign := n.browser(home).options("/login/passkey/options", nil).PublicKey
	if sign.RPID != "home.example" || sign.UserVerification != "required" || len(sign.AllowCredentials) != 0 ||
		sign.Timeout != int(challengeLife.Milliseconds()) {
		t.Errorf("to sign in: %+v", sign)
	}
}
