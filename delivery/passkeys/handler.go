package passkeys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/locale"
)

// maxBody bounds what a browser sends, in bytes. Signatures and new passkeys have one or two kilobytes.
const maxBody = 16 << 10

// The handlers below speak JSON with the page's script. Byte strings are base64url without padding, as in the JSON of
// WebAuthn, section 5.1.8. A refusal is {"error": a sentence for a person}.

// SignInOptions begins to sign in: the answer is for navigator.credentials.get().
func (k *Keys) SignInOptions(w http.ResponseWriter, r *http.Request) {
	k.answer(w, r, func() (any, error) { return k.request(w, r, binding{purpose: toSignIn}) })
}

// SignIn opens a session for the owner of the passkey that signed the body. The body is a PublicKeyCredential as JSON.
func (k *Keys) SignIn(w http.ResponseWriter, r *http.Request) {
	k.answer(w, r, func() (any, error) {
		body, err := readBody(w, r)
		if err != nil {
			return nil, err
		}
		s, err := k.read(r.Context(), body)
		if err != nil {
			return nil, err
		}
		return done, k.guard.SignInProved(w, r, s.key.Credential.Account, func(context.Context) error {
			return k.verify(w, r, s, binding{purpose: toSignIn})
		})
	})
}

// ConfirmOptions begins to confirm by a passkey that the person signed in is there: the answer is for
// navigator.credentials.get().
func (k *Keys) ConfirmOptions(w http.ResponseWriter, r *http.Request) {
	k.answer(w, r, func() (any, error) {
		b, err := inSession(r, toConfirm)
		if err != nil {
			return nil, err
		}
		return k.request(w, r, b)
	})
}

// confirmation is the body of AddOptions: one of the two.
type confirmation struct {
	Password string          `json:"password"`
	Passkey  json.RawMessage `json:"passkey"` // a PublicKeyCredential, signed for ConfirmOptions
}

// AddOptions begins to add a passkey of the person signed in, once that is confirmed: the answer is for
// navigator.credentials.create().
func (k *Keys) AddOptions(w http.ResponseWriter, r *http.Request) {
	k.answer(w, r, func() (any, error) {
		b, err := inSession(r, toConfirm)
		if err != nil {
			return nil, err
		}
		var c confirmation
		if err := decode(w, r, &c); err != nil {
			return nil, err
		}
		if err := k.confirm(w, r, b, c); err != nil {
			return nil, err
		}
		return k.creation(w, r, b)
	})
}

// confirm checks that the person signed in is there.
func (k *Keys) confirm(w http.ResponseWriter, r *http.Request, b binding, c confirmation) error {
	if err := k.Unavailable(r); err != nil {
		return err
	}
	if c.Passkey == nil {
		return k.guard.Confirm(r.Context(), b.account, c.Password)
	}
	s, err := k.read(r.Context(), c.Passkey)
	if err != nil {
		return err
	}
	return k.guard.ConfirmProved(r.Context(), b.account, func(context.Context) error {
		if s.key.Credential.Account != b.account {
			return errNotProved
		}
		return k.verify(w, r, s, b)
	})
}

// addition is the body of Add.
type addition struct {
	Name       string          `json:"name"`
	Credential json.RawMessage `json:"credential"` // a PublicKeyCredential, made for AddOptions
}

// Add stores a passkey of the person signed in.
func (k *Keys) Add(w http.ResponseWriter, r *http.Request) {
	k.answer(w, r, func() (any, error) {
		b, err := inSession(r, toAdd)
		if err != nil {
			return nil, err
		}
		var a addition
		if err := decode(w, r, &a); err != nil {
			return nil, err
		}
		return done, k.add(w, r, b, nameOf(a.Name, locale.Of(r.Context())), a.Credential)
	})
}

// nameOf returns a person's name for a passkey as one line of bounded length. Without a name it returns when the
// passkey was made, in the person's language.
func nameOf(text string, l *locale.Locale) string {
	name := strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, ""))), " ")
	for i := range name {
		if i > tidings.MaxPasskeyName-4 { // a character has at most four bytes
			name = name[:i]
			break
		}
	}
	if name == "" {
		name = l.Said("Made " + time.Now().Format("2 January 2006"))
	}
	return name
}

// done is the answer where there is nothing to say.
var done = struct{}{}

// errBody says that what was sent cannot be read.
var errBody = errors.New("unreadable body")

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBody, err)
	}
	return body, nil
}

func decode(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", errBody, err)
	}
	return nil
}

// answer writes what do returns.
func (k *Keys) answer(w http.ResponseWriter, r *http.Request, do func() (any, error)) {
	status := http.StatusOK
	result, err := do()
	if err != nil {
		var why string
		if status, why = refusal(err); status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", strconv.Itoa(int(auth.RetryAfter.Seconds())))
		}
		if status == http.StatusInternalServerError && r.Context().Err() == nil {
			k.log.Error("a passkey was not checked", "path", r.URL.Path, "error", err)
		}
		result = map[string]string{"error": locale.Of(r.Context()).Said(why)}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(result) // a client that is gone needs it no more
}

// refusal returns the status for an error, and a sentence that says what a person can do.
func refusal(err error) (status int, why string) {
	switch {
	case errors.Is(err, auth.ErrTooManyAttempts), errors.Is(err, errBusy):
		return http.StatusTooManyRequests, "Too many attempts. Wait half a minute and try again."
	case errors.Is(err, auth.ErrWrongPassword):
		return http.StatusForbidden, "That is not the password."
	case errors.Is(err, auth.ErrNoPassword):
		return http.StatusForbidden, "Set a password first: it lets you in when a passkey is lost."
	case Reason(err) != "":
		return http.StatusForbidden, Reason(err)
	case errors.Is(err, errNoSession):
		return http.StatusForbidden, "Sign in first. A token is not enough."
	case errors.Is(err, errChallenge):
		return http.StatusForbidden, "That took too long, or was sent before. Try again."
	case errors.Is(err, errNotProved):
		return http.StatusForbidden, "This node does not accept that passkey."
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge, "The browser sent more than a passkey has."
	case errors.Is(err, errBody):
		return http.StatusBadRequest, "What the browser sent cannot be read."
	case errors.Is(err, tidings.ErrExists):
		return http.StatusConflict, "That passkey is here already."
	case errors.Is(err, tidings.ErrNotFound):
		return http.StatusForbidden, "Your session has ended. Sign in again."
	case errors.Is(err, tidings.ErrInvalid):
		return http.StatusUnprocessableEntity, "You have as many passkeys as a person can have. Remove one first."
	}
	return http.StatusInternalServerError, "Something went wrong. Try again in a moment."
}

// Reason says in sentences why passkeys cannot work, for an error of Keys.Unavailable, or "".
func Reason(err error) string {
	switch {
	case errors.Is(err, auth.ErrHostAddress):
		return "Passkeys belong to a host name, and you reach this node by an address. " +
			"Open it by a name that it was given with --allowed-host, or as localhost on its own machine."
	case errors.Is(err, auth.ErrPlainHTTP):
		return "Passkeys need an address that begins with https://, except at localhost. " +
			"Put a proxy with TLS before the node, and name it with --trusted-proxy."
	case errors.Is(err, auth.ErrProxySignsIn):
		return "A reverse proxy says who you are, so this node asks for no passkey there."
	}
	return ""
}
