package mail

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/outbox"
)

// An address gets nothing until its code has been typed, in any spelling of it.
func TestConfirming(t *testing.T) {
	secret := NewKey()
	if Confirmed(secret) || NewKey() == secret {
		t.Errorf("a new key: %q", secret)
	}
	typed := code(secret)
	if len(typed) != 14 {
		t.Errorf("code %q", typed)
	}
	for _, wrong := range []string{"", "-", typed[:13], typed + "A", "AAAA-AAAA-AAAA", keyOf(secret), secret} {
		if got, ok := Confirm(secret, wrong); ok || got != secret || Confirmed(got) {
			t.Errorf("%q confirms", wrong)
		}
	}
	for _, right := range []string{typed, " " + strings.ToLower(typed) + " ", strings.ReplaceAll(typed, "-", " "),
		strings.ReplaceAll(typed, "-", "")} {
		got, ok := Confirm(secret, right)
		if !ok || !Confirmed(got) || keyOf(got) != keyOf(secret) {
			t.Errorf("%q does not confirm", right)
		}
	}
	for _, none := range []string{"", confirmed, unconfirmed, "confirmed", "x", confirmed + "short"} {
		if Confirmed(none) {
			t.Errorf("%q is confirmed", none)
		}
		if _, ok := Confirm(none, ""); ok {
			t.Errorf("an empty code confirms %q", none)
		}
	}

	f := &fake{replies: usual}
	s := localSender(t, f.start(t), 0)
	to := testTarget("ada@example.org")
	to.Secret = secret
	err := s.Send(t.Context(), to, testMessage(testItem()))
	if r, ok := errors.AsType[*outbox.Refusal](err); !ok || !r.Gone || err.Error() != Problem() ||
		f.messages.Load() != 0 {
		t.Errorf("to an address that is not confirmed: %v, %d messages", err, f.messages.Load())
	}
	if err := s.Ask(t.Context(), to, "Ada"); err != nil || f.messages.Load() != 1 {
		t.Error(err)
	}
	to.Secret, _ = Confirm(secret, typed)
	if err := s.Send(t.Context(), to, testMessage(testItem())); err != nil || f.messages.Load() != 2 {
		t.Error(err)
	}
}

// A token names its target, and proves nothing of another one, for another purpose, or with another key.
func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		to := testTarget("ada@example.org")
		to.Account = tidings.AccountID(rapid.Int64Range(1, 1<<62).Draw(t, "account"))
		to.ID = rapid.Int64Range(1, 1<<62).Draw(t, "id")
		to.Secret = NewKey()
		token := Token(ToStop, to)
		account, id, ok := Named(token)
		if !ok || account != to.Account || id != to.ID || len(token) > maxToken || !Proves(token, ToStop, to) {
			t.Fatalf("%q names %d of %d, %v", token, id, account, ok)
		}
		if Proves(token, ToConfirm, to) {
			t.Fatal("it proves another purpose")
		}
		other := to
		other.ID++
		if Proves(token, ToStop, other) {
			t.Fatal("it proves another target")
		}
		other = to
		other.Account--
		if Proves(token, ToStop, other) {
			t.Fatal("it proves another account")
		}
		other = to
		other.Secret = NewKey()
		if Proves(token, ToStop, other) {
			t.Fatal("it proves another key")
		}
		other = to
		other.Kind = tidings.Webhook
		if Proves(token, ToStop, other) {
			t.Fatal("it proves another kind")
		}
		at := rapid.IntRange(0, len(token)-2).Draw(t, "at") // the last character has bits that do not count
		damaged := token[:at] + string('A'+(token[at]+1)%26) + token[at+1:]
		if damaged != token && Proves(damaged, ToStop, to) {
			t.Fatalf("%q proves, too", damaged)
		}
	})
	for _, none := range []string{"", "A", "!!!", strings.Repeat("A", 22), strings.Repeat("A", 65),
		"gICAgICAgICAgICAgICAgICAgICA"} {
		if _, _, ok := Named(none); ok && len(none) != 22 {
			t.Errorf("%q names a target", none)
		}
		if Proves(none, ToStop, testTarget("ada@example.org")) || Proves(none, ToStop, tidings.Target{Kind: kind}) {
			t.Errorf("%q proves", none)
		}
	}
	if Proves(Token(ToStop, tidings.Target{Kind: kind}), ToStop, tidings.Target{Kind: kind}) {
		t.Error("a target without a key is proven")
	}
}

// FuzzNamed: any text names a target at most, and does no harm.
func FuzzNamed(f *testing.F) {
	f.Add(Token(ToStop, testTarget("ada@example.org")))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if account, id, ok := Named(token); ok && (account < 0 || id < 0) {
			t.Errorf("%d, %d", account, id)
		}
	})
}

// What is no mail address is refused with a hint, and what is one keeps its local part.
func TestAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"mailto:ada@example.org": "ada@example.org", "MAILTO:Ada.L+feeds@Example.ORG": "Ada.L+feeds@example.org",
		"mailto:ada%2Bx@example.org": "ada+x@example.org", "mailto:ada@büro.example": "ada@xn--bro-hoa.example",
		"mailto:o'neil@example.org": "o'neil@example.org", "mailto:a@b.c.example": "a@b.c.example",
	} {
		if got, err := Address(url); err != nil || got != want {
			t.Errorf("%s is %q, %v", url, got, err)
		}
	}
	long := strings.Repeat("x", 64)
	for _, url := range []string{
		"", "ada@example.org", "https://example.org", "mailto:", "mailto:ada", "mailto:@example.org", "mailto:ada@",
		"mailto:ada@localhost",
		"mailto:ada@example.org?subject=x", "mailto:ada@example.org,eve@example.org",
		"mailto:ada@example.org%0d%0aBcc:eve@x.example",
		"mailto:ada@[127.0.0.1]", "mailto:ada@127.0.0.1", "mailto:a da@example.org", "mailto:\"ada\"@example.org",
		"mailto:.ada@example.org",
		"mailto:ada..l@example.org", "mailto:Ada%20<ada@example.org>", "mailto:ada@-x.example",
		"mailto:ada@x_y.example", "mailto:ada@example..org",
		"mailto:" + long + "x@example.org", "mailto:ada@" + long + ".example", "mailto:ada%@example.org",
		"mailto:ädä@example.org",
		"mailto:a@b@example.org", "mailto:ada@" + strings.Repeat("abcdefgh.", 40) + "example",
		"mailto:ada@exam\nple.org",
	} {
		if got, err := Address(url); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%q is %q, %v", url, got, err)
		}
	}
}

// FuzzAddress: what is accepted can stand in a command of SMTP and in a header.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"mailto:ada@example.org", "mailto:ada%2Bx@büro.example",
		"mailto:a@b.c>\r\nRCPT TO:<eve@x.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		got, err := Address(url)
		if err != nil {
			if !errors.Is(err, tidings.ErrInvalid) {
				t.Error(err)
			}
			return
		}
		if len(got) > maxAddress || strings.ContainsAny(got, " <>\"\\,;:()[]\r\n\t\x00") ||
			strings.Count(got, "@") != 1 {
			t.Errorf("%q is %q", url, got)
		}
		if again, err := Address(Scheme + strings.ReplaceAll(got, "%", "%25")); err != nil && !strings.ContainsAny(got,
			"?#") || err == nil && again != got {
			t.Errorf("%q is %q, then %q, %v", url, got, again, err)
		}
	})
}

// What an operator can get wrong is said at the start.
func TestConfigIsChecked(t *testing.T) {
	for want, c := range map[string]Config{
		"is no address of":        {From: "a@example.org"},
		"HOST:PORT":               {Server: "smtp.example.org", From: "a@example.org"},
		"HOST:PORT, such":         {Server: ":25", From: "a@example.org"},
		"address of a mail serve": {Server: "smtp.example.org:0", From: "a@example.org"},
		"of a mail server":        {Server: "smtp.example.org:smtp", From: "a@example.org"},
		"no sender":               {Server: "smtp.example.org:25"},
		"is no mail address":      {Server: "smtp.example.org:25", From: "tidings"},
		"no domain":               {Server: "smtp.example.org:25", From: "tidings@localhost"},
		"no user name":            {Server: "smtp.example.org:25", From: "a@example.org", Password: "x"},
	} {
		if err := c.Validate(); !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	on, err := New(Config{Server: "smtp.example.org:465", From: "news@example.org",
		PublicURL: "https://tidings.example:8443/"})
	if err != nil || !on.implicitTLS || on.c.Hello != "tidings.example" || on.from.name != "Tidings" ||
		on.public != "https://tidings.example:8443" {
		t.Errorf("%+v, %v", on, err)
	}
}
