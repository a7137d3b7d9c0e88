package passkeys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// A signature that is false in one respect signs nobody in. The same passkey does as soon as it is right.
func TestFalseSignatures(t *testing.T) {
	for name, change := range map[string]func(d *device){
		"by another key":              func(d *device) { d.key = newDevice(d.t, home).key },
		"another origin":              func(d *device) { d.origin = "https://evil.example" },
		"an origin that begins alike": func(d *device) { d.origin = home + ".evil.example" },
		"another port":                func(d *device) { d.origin = home + ":8443" },
		"without TLS":                 func(d *device) { d.origin = "http://home.example" },
		"another relying party":       func(d *device) { d.host = "other.example" },
		"of a making":                 func(d *device) { d.kind = "webauthn.create" },
		"nobody present":              func(d *device) { d.flags &^= present },
		"nobody verified":             func(d *device) { d.flags &^= verified },
		"a copy of one that has none": func(d *device) { d.flags |= backupEligible },
		"another user handle":         func(d *device) { d.handle = append([]byte{1}, d.handle[1:]...) },
		"no user handle":              func(d *device) { d.handle = nil },
		"an unknown passkey":          func(d *device) { d.id = newDevice(d.t, home).id },
		"a passkey with a long ID":    func(d *device) { d.id = make([]byte, tidings.MaxPasskeyID+1) },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			d := n.enrolled("ann")
			right := *d
			change(d)
			b := n.browser(home)
			if code, text := b.signIn(d); code != http.StatusForbidden || !strings.Contains(text, "does not accept") ||
				b.me() != "" {
				t.Errorf("%d %s, signed in as %q", code, text, b.me())
			}
			if code, text := b.signIn(&right); code != http.StatusOK || b.me() != "ann" {
				t.Errorf("the right one: %d %s", code, text)
			}
		})
	}
}

// The credential of one person with the handle of another is neither's.
func TestACredentialOfAnotherPerson(t *testing.T) {
	n := newNode(t)
	anns, bobs := n.enrolled("ann"), n.enrolled("bob")
	anns.id, bobs.handle = bobs.id, anns.handle
	for name, d := range map[string]*device{"bob's credential signed by ann": anns, "bob's with ann's handle": bobs} {
		b := n.browser(home)
		if code, _ := b.signIn(d); code != http.StatusForbidden || b.me() != "" {
			t.Errorf("%s: %d, signed in as %q", name, code, b.me())
		}
	}
}

// A challenge is good once, in the browser that asked for it, for its ceremony and its origin, and for five minutes.
func TestChallenges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t)
		d := n.enrolled("ann")
		refused := func(what string, b *browser, body json.RawMessage) {
			t.Helper()
			if code, text := b.post("/login/passkey", body); code != http.StatusForbidden || b.me() != "" {
				t.Errorf("%s: %d %s, signed in as %q", what, code, text, b.me())
			}
			time.Sleep(time.Hour) // attempts count
		}
		b := n.browser(home)
		asked := func() (body json.RawMessage, cookie *http.Cookie) {
			body = d.sign(b.options("/login/passkey/options", nil))
			return body, b.cookies[CookieName]
		}

		body, cookie := asked()
		if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || cookie.MaxAge != 300 {
			t.Errorf("the cookie is %v", cookie)
		}
		if code, text := b.post("/login/passkey", body); code != http.StatusOK || b.me() != "ann" {
			t.Fatalf("the first time: %d %s", code, text)
		}
		if _, kept := b.cookies[CookieName]; kept {
			t.Error("the browser keeps a challenge that was used")
		}
		thief := n.browser(home)
		thief.cookies[CookieName] = cookie
		thief.cookies[auth.DeviceCookieName] = b.cookies[auth.DeviceCookieName]
		refused("sent again with its cookie", thief, body)

		// A failed attempt uses the challenge, too.
		b = n.browser(home)
		body, cookie = asked()
		wrong := *d
		wrong.flags &^= verified
		o := options{}
		o.PublicKey.Challenge, o.PublicKey.RPID = challengeOf(t, body), "home.example"
		refused("nobody verified", b, wrong.sign(o))
		b.cookies[CookieName] = cookie
		refused("the challenge of a failed attempt", b, body)

		b = n.browser(home)
		body, _ = asked()
		delete(b.cookies, CookieName)
		refused("without the cookie", b, body)

		b = n.browser(home)
		body, _ = asked()
		_, _ = asked()
		refused("with the cookie of a later ceremony", b, body)

		b = n.browser(home)
		_, cookie = asked()
		for i := range len(cookie.Value) {
			damaged := *cookie
			damaged.Value = cookie.Value[:i] + string(cookie.Value[i]^1) + cookie.Value[i+1:]
			if i, ok := parseIssued(damaged.Value); ok &&
				n.keys.challenges.sign(i, binding{purpose: toSignIn, origin: home}) == i.mac {
				t.Errorf("a cookie with another character %d is right", i)
			}
		}

		other := n.browser("https://other.example")
		other.cookies[CookieName] = cookie
		d.origin, d.host = "https://other.example", "other.example"
		refused("at another name of the node", other, d.sign(o))
		d.origin, d.host = home, ""

		b = n.browser(home)
		body, _ = asked()
		time.Sleep(challengeLife)
		refused("after five minutes", b, body)
		body, _ = asked()
		time.Sleep(challengeLife - 2*time.Second)
		if code, text := b.post("/login/passkey", body); code != http.StatusOK {
			t.Errorf("just before: %d %s", code, text)
		}

		// The challenge of another ceremony of the same person in the same session.
		b = n.signedIn("ann")
		confirm := b.options("/settings/passkeys/confirm", nil)
		if code, _ := b.post("/login/passkey", d.sign(confirm)); code != http.StatusForbidden {
			t.Errorf("a challenge to confirm signs in: %d", code)
		}
		fresh := newDevice(t, home)
		confirm = b.options("/settings/passkeys/confirm", nil)
		confirm.PublicKey.User.ID, confirm.PublicKey.RP.ID = text(d.handle), "home.example"
		if code, _ := b.post("/settings/passkeys",
			map[string]any{"credential": fresh.make(confirm)}); code != http.StatusForbidden {
			t.Errorf("a challenge to confirm adds: %d", code)
		}
	})
}

// challengeOf returns the challenge that a PublicKeyCredential is about.
func challengeOf(t *testing.T, body json.RawMessage) string {
	t.Helper()
	var c struct {
		Response struct{ ClientDataJSON string }
	}
	var client struct{ Challenge string }
	if err := errors.Join(json.Unmarshal(body, &c),
		json.Unmarshal(untext(t, c.Response.ClientDataJSON), &client)); err != nil {
		t.Fatal(err)
	}
	return client.Challenge
}

// Challenges that were used are remembered in a bounded number, and forgotten when they have expired.
func TestUsedChallengesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChallenges()
		use := func() error {
			w := responseOf(func(w http.ResponseWriter) { c.issue(w, binding{purpose: toSignIn, origin: home}) })
			r, _ := http.NewRequestWithContext(t.Context(), "POST", home, nil)
			r.AddCookie(w.Cookies()[0])
			var err error
			responseOf(func(w http.ResponseWriter) {
				_, err = c.redeem(w, r, binding{purpose: toSignIn, origin: home})
			})
			return err
		}
		for i := range maxUsed {
			if err := use(); err != nil {
				t.Fatalf("challenge %d: %v", i, err)
			}
		}
		if err := use(); !errors.Is(err, errBusy) || len(c.used) != maxUsed {
			t.Errorf("one more: %v, %d remembered", err, len(c.used))
		}
		time.Sleep(challengeLife + time.Second)
		if err := use(); err != nil || len(c.used) != 1 {
			t.Errorf("after they expired: %v, %d remembered", err, len(c.used))
		}
	})
}

// A counter of signatures has to rise, unless the authenticator has none.
func TestCounters(t *testing.T) {
	n := newNode(t)
	d := newDevice(t, home)
	d.counter = 5
	if code, text := n.signedIn("ann").add(d); code != http.StatusOK {
		t.Fatal(code, text)
	}
	for _, c := range []struct {
		counter uint32
		want    int
	}{{6, 200}, {6, 403}, {5, 403}, {0, 403}, {7, 200}, {1<<32 - 1, 200}, {1, 403}} {
		d.counter = c.counter
		b := n.browser(home)
		b.from = fmt.Sprintf("198.51.100.%d", c.counter%200) // attempts of one address are limited
		if code, text := b.signIn(d); code != c.want || (b.me() == "ann") != (c.want == 200) {
			t.Errorf("counter %d: %d %s, want %d", c.counter, code, text, c.want)
		}
	}
	none := n.enrolled("bob")
	for range 2 {
		if code, text := n.browser(home).signIn(none); code != http.StatusOK {
			t.Errorf("an authenticator without a counter: %d %s", code, text)
		}
	}
}

// What a browser sends is read within bounds, and refused where it is no credential.
func TestMalformedBodies(t *testing.T) {
	n := newNode(t, func(c *auth.Config) { c.Log = nil })
	d := n.enrolled("ann")
	b := n.browser(home)
	right := string(d.sign(b.options("/login/passkey/options", nil)))
	for i := 0; i < len(right); i += 7 {
		if code, _ := b.send("POST", "/login/passkey", "application/json", right[:i]); code != http.StatusForbidden ||
			b.me() != "" {
			t.Errorf("cut after %d bytes: %d", i, code)
		}
	}
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"nothing":       {"", 403},
		"null":          {"null", 403},
		"more behind":   {right + "{}", 403},
		"a deep list":   {strings.Repeat("[", 10_000), 403},
		"too much":      {`{"id":"` + strings.Repeat("A", maxBody) + `"}`, 413},
		"a form's body": {"id=1", 403},
	} {
		if code, text := b.send("POST", "/login/passkey", "application/json", c.body); code != c.want {
			t.Errorf("%s: %d %s, want %d", name, code, text, c.want)
		}
	}
	if code, text := b.send("POST", "/login/passkey", "application/json", right); code != http.StatusOK ||
		b.me() != "ann" {
		t.Errorf("the right one, which none of these has used up: %d %s", code, text)
	}

	// The same with a new passkey, which has an attestation in CBOR.
	a := n.signedIn("bob")
	o := a.options("/settings/passkeys/options", map[string]string{"password": password})
	fresh := newDevice(t, home)
	var made struct {
		Response struct{ AttestationObject string }
	}
	whole := string(fresh.make(o))
	if err := json.Unmarshal([]byte(whole), &made); err != nil {
		t.Fatal(err)
	}
	object := untext(t, made.Response.AttestationObject)
	send := func(object []byte) int {
		body := strings.Replace(whole, made.Response.AttestationObject, text(object), 1)
		code, _ := a.send("POST", "/settings/passkeys", "application/json", `{"name":"x","credential":`+body+`}`)
		return code
	}
	for i := range object {
		if code := send(object[:i]); code != http.StatusForbidden {
			t.Errorf("an attestation cut after %d bytes: %d", i, code)
		}
	}
	for name, huge := range map[string][]byte{
		"an array of 2^64-1":  {0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"bytes of 2^62":       {0x5b, 0x40, 0, 0, 0, 0, 0, 0, 0},
		"a map of 2^32":       {0xbb, 0, 0, 0, 1, 0, 0, 0, 0},
		"4000 nested arrays":  []byte(strings.Repeat("\x81", 4000)),
		"4000 nested tags":    []byte(strings.Repeat("\xc1", 4000)),
		"an endless array":    {0x9f},
		"8000 bytes of maps":  []byte(strings.Repeat("\xa1\x00", 4000)),
		"something behind it": append(object[:len(object):len(object)], 0),
	} {
		if code := send(huge); code != http.StatusForbidden {
			t.Errorf("%s: %d", name, code)
		}
	}
}

// A passkey is added by a person that has just proved to be there, and for nobody else.
func TestAdding(t *testing.T) {
	n := newNode(t)
	b := n.signedIn("ann")
	post := func(b *browser, path string, body any, want int, says string) {
		t.Helper()
		if code, text := b.post(path, body); code != want || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s, want %d that says %q", path, code, text, want, says)
		}
	}
	post(b, "/settings/passkeys/options", map[string]string{"password": "wrong word"}, 403, "not the password")
	post(b, "/settings/passkeys/options", nil, 403, "not the password")
	post(b, "/settings/passkeys/options", map[string]any{"passkey": "x"}, 403, "does not accept")
	post(n.browser(home), "/settings/passkeys/options", map[string]string{"password": password}, 401, "session")
	token := n.browser(home)
	secret, _ := auth.NewToken()
	token.change = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }
	post(token, "/settings/passkeys/options", map[string]string{"password": password}, 403, "A token is not enough")

	// Another session of hers, and another person, cannot use what was begun here.
	d := newDevice(t, home)
	made := map[string]any{"name": "x",
		"credential": d.make(b.options("/settings/passkeys/options", map[string]string{"password": password}))}
	for _, other := range []*browser{n.signedIn("ann"), n.signedIn("bob")} {
		other.cookies[CookieName] = b.cookies[CookieName]
		post(other, "/settings/passkeys", made, 403, "too long")
	}
	post(b, "/settings/passkeys", made, 200, "")
	post(b, "/settings/passkeys", made, 403, "too long")

	// False in one respect.
	for name, change := range map[string]func(d *device){
		"another origin":        func(d *device) { d.origin = "https://evil.example" },
		"another relying party": func(d *device) { d.host = "other.example" },
		"nobody verified":       func(d *device) { d.flags &^= verified },
		"of a signature":        func(d *device) { d.kind = "webauthn.get" },
		"of a format unread":    func(d *device) { d.format = "fido-u2f" },
		"a long ID":             func(d *device) { d.id = make([]byte, tidings.MaxPasskeyID+1) },
	} {
		n := newNode(t)
		b, d := n.signedIn("ann"), newDevice(t, home)
		change(d)
		if code, text := b.add(d); code != http.StatusForbidden || len(n.store.keys) != 0 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}

	// A credential is one person's.
	bob := n.signedIn("bob")
	bob.from = "198.51.100.2"
	stolen := *d
	if code, text := bob.add(&stolen); code != http.StatusConflict || !strings.Contains(text, "here already") {
		t.Errorf("ann's credential of bob's: %d %s", code, text)
	}

	// A passkey of hers confirms, and nobody else's does.
	second := newDevice(t, home)
	o := b.options("/settings/passkeys/options",
		map[string]any{"passkey": d.sign(b.options("/settings/passkeys/confirm", nil))})
	post(b, "/settings/passkeys", map[string]any{"name": "", "credential": second.make(o)}, 200, "")
	bobs := n.enrolled("bob")
	signed := bobs.sign(b.options("/settings/passkeys/confirm", nil))
	post(b, "/settings/passkeys/options", map[string]any{"passkey": signed}, 403, "does not accept")
	post(b, "/settings/passkeys/options", map[string]string{"password": password}, 429, "Too many attempts")
	all, err := n.store.PasskeysOf(t.Context(), ann)
	if err != nil || len(all) != 2 || !strings.HasPrefix(all[1].Name, "Made ") {
		t.Errorf("ann's: %+v, error %v", all, err)
	}
}

// Attempts are as limited as with passwords, whatever is sent. Strangers use up none of a known browser's.
func TestAttemptsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t)
		d := n.enrolled("ann")
		known := n.browser(home)
		known.from = "203.0.113.7"
		if code, _ := known.signIn(d); code != http.StatusOK {
			t.Fatal(code)
		}
		time.Sleep(time.Hour)
		stranger := n.browser(home)
		stranger.from = "198.51.100.9"
		wrong := newDevice(t, home)
		var codes []int
		for range 7 {
			code, _ := stranger.signIn(wrong)
			codes = append(codes, code)
		}
		if fmt.Sprint(codes) != "[403 403 403 403 403 429 429]" {
			t.Errorf("a stranger's attempts: %v", codes)
		}
		if code, _ := stranger.signIn(d); code != http.StatusTooManyRequests || stranger.me() != "" {
			t.Errorf("the right passkey after too many attempts: %d", code)
		}
		if code, text := known.signIn(d); code != http.StatusOK {
			t.Errorf("in a browser that is known: %d %s", code, text)
		}
		// The password is one more attempt of the same count.
		if code, _ := stranger.send("POST", "/login", "application/x-www-form-urlencoded",
			"name=ann&password=secret+word"); code != http.StatusUnauthorized {
			t.Errorf("by password after too many attempts: %d", code)
		}
		time.Sleep(time.Minute)
		if code, text := stranger.signIn(d); code != http.StatusOK {
			t.Errorf("a minute later: %d %s", code, text)
		}
	})
}

// Passkeys are for host names of the node's own, and need TLS but at localhost. A proxy that names people needs none.
func TestWherePasskeysWork(t *testing.T) {
	for origin, want := range map[string]struct {
		code int
		says string
	}{
		// through a proxy
		home: {200, `"rpId":"home.example"`}, home + ":8443": {200, ""}, "http://localhost:7600": {403, "https://"},
		"https://127.0.0.1": {403, "address"}, "https://[::1]:8443": {403, "address"},
		"http://home.example":  {403, "https://"},
		"https://evil.example": {421, ""},
	} {
		n := newNode(t)
		if code, text := n.browser(origin).post("/login/passkey/options", nil); code != want.code ||
			!strings.Contains(text, want.says) {
			t.Errorf("%s: %d %s", origin, code, text)
		}
	}
	local := newNode(t, func(c *auth.Config) { c.Proxies = nil })
	for origin, want := range map[string]int{"http://localhost:7600": 200, "http://node.localhost": 200,
		"http://127.0.0.1:7600": 403, "http://home.example": 403} {
		b := local.browser(origin)
		b.change = func(r *http.Request) { r.Header.Del("X-Forwarded-For") }
		if code, text := b.post("/login/passkey/options", nil); code != want {
			t.Errorf("%s without a proxy: %d %s", origin, code, text)
		}
	}
	// At each origin, what is signed is what was asked for.
	n := newNode(t)
	b := n.signedIn("ann")
	for _, origin := range []string{home + ":8443", "https://other.example"} {
		b.origin = origin
		d := newDevice(t, origin)
		if code, text := b.add(d); code != http.StatusOK {
			t.Fatalf("adding at %s: %d %s", origin, code, text)
		}
		if code, text := n.browser(origin).signIn(d); code != http.StatusOK {
			t.Errorf("signing in at %s: %d %s", origin, code, text)
		}
	}

	named := newNode(t, func(c *auth.Config) {
		c.UserHeader, c.Proxies = "Remote-User", []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	b = named.browser(home)
	b.change = func(r *http.Request) { r.Header.Set("Remote-User", "ann") }
	if code, text := b.post("/login/passkey/options", nil); code != http.StatusForbidden ||
		!strings.Contains(text, "reverse proxy") {
		t.Errorf("through a proxy that names people: %d %s", code, text)
	}
}

// While nobody has a password, no passkey is added, and none lets anybody in.
func TestWithoutAPassword(t *testing.T) {
	n := newNode(t)
	d := n.enrolled("ann")
	b := n.signedIn("ann")
	n.store.noPass = true
	if code, text := n.browser(home).signIn(d); code != http.StatusForbidden ||
		!strings.Contains(text, "Set a password first") {
		t.Errorf("signing in: %d %s", code, text)
	}
	if code, text := b.post("/settings/passkeys/options",
		map[string]string{"password": ""}); code != http.StatusForbidden ||
		!strings.Contains(text, "Set a password first") {
		t.Errorf("adding: %d %s", code, text)
	}
}

// A session that ended while a passkey was made adds none. A store that fails is no refusal.
func TestEndingsAndFailures(t *testing.T) {
	n := newNode(t)
	b := n.signedIn("ann")
	d := newDevice(t, home)
	made := map[string]any{"credential": d.make(b.options("/settings/passkeys/options",
		map[string]string{"password": password}))}
	clearing := b.node.store
	saved := maps.Clone(clearing.sessions)
	b.node.keys.store = ending{clearing}
	if code, text := b.post("/settings/passkeys", made); code != http.StatusForbidden ||
		!strings.Contains(text, "session has ended") || len(clearing.keys) != 0 {
		t.Errorf("%d %s", code, text)
	}
	clearing.sessions = saved
	clearing.fail = errors.New("disk")
	if code, text := n.browser(home).signIn(d); code != http.StatusInternalServerError ||
		strings.Contains(text, "disk") {
		t.Errorf("a store that fails: %d %s", code, text)
	}
}

// ending is a store with sessions that end while a person is looked up.
type ending struct{ *memory }

func (e ending) Secret(ctx context.Context, account tidings.AccountID) ([]byte, error) {
	clear(e.sessions)
	return e.memory.Secret(ctx, account)
}

// Names are one line, within the bound, and never empty.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"phone": "phone", " a\tb\n\nc ": "a b c", "a\xff\x00b": "a b", "ü": "ü"} {
		if got := nameOf(in, nil); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{strings.Repeat("ü", 100), strings.Repeat("x", 1000), strings.Repeat("日", 50)} {
		if got := nameOf(in, nil); len(got) > tidings.MaxPasskeyName || len(got) < tidings.MaxPasskeyName-8 ||
			!strings.HasPrefix(in, got) {
			t.Errorf("%.10q… becomes %q of %d bytes", in, got, len(got))
		}
	}
	if !strings.HasPrefix(nameOf(" \n", nil), "Made ") {
		t.Error("nothing has no name")
	}
}
