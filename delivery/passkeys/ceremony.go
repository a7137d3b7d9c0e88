package passkeys

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"tidings"
	"tidings/delivery/auth"
)

// sessionOf is what the library needs of a ceremony's beginning.
func sessionOf(challenge []byte, host, origin string) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: host, Origin: origin,
		UserVerification: protocol.VerificationRequired, CredParams: algorithms,
	}
}

// request begins a ceremony in which a passkey signs, and returns what the browser's get() needs.
func (k *Keys) request(w http.ResponseWriter, r *http.Request, b binding) (*protocol.CredentialAssertion, error) {
	host, origin, err := k.guard.RelyingParty(r)
	if err != nil {
		return nil, err
	}
	p, err := party(host, origin)
	if err != nil {
		return nil, err
	}
	b.origin = origin
	options, _, err := p.BeginDiscoverableLogin(webauthn.WithChallenge(k.challenges.issue(w, b)))
	if err != nil {
		return nil, fmt.Errorf("begin to sign by a passkey: %w", err)
	}
	return options, nil
}

// signed is a signature as a browser sent it, of a passkey that is known.
type signed struct {
	response *protocol.ParsedCredentialAssertionData
	key      tidings.Passkey
}

// read reads a signature. Of one by a passkey that nobody has, the key is empty; errNotProved if it is none.
func (k *Keys) read(ctx context.Context, body []byte) (s signed, err error) {
	if s.response, err = protocol.ParseCredentialRequestResponseBytes(body); err != nil {
		return s, fmt.Errorf("%w: %w", errNotProved, err)
	}
	if len(s.response.RawID) > tidings.MaxPasskeyID {
		return s, nil
	}
	if s.key, err = k.store.Passkey(ctx, s.response.RawID); errors.Is(err, tidings.ErrNotFound) {
		err = nil
	}
	return s, err
}

// verify checks that a signature is by its passkey, and for the challenge that this browser was given for b. It notes
// the passkey's use.
func (k *Keys) verify(w http.ResponseWriter, r *http.Request, s signed, b binding) error {
	host, origin, err := k.guard.RelyingParty(r)
	if err != nil {
		return err
	}
	b.origin = origin
	challenge, err := k.challenges.redeem(w, r, b)
	if err != nil {
		return err
	}
	if s.key.ID == 0 || s.key.Host != host {
		return errNotProved
	}
	p, err := party(host, origin)
	if err != nil {
		return err
	}
	owner, err := k.userOf(r.Context(), s.key.Credential.Account, s.key)
	if err != nil {
		return err
	}
	found := func(_, _ []byte) (webauthn.User, error) { return owner, nil } // the library compares ID and handle
	credential, err := p.ValidateDiscoverableLogin(found, sessionOf(challenge, host, origin), s.response)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotProved, err)
	}
	counter := s.response.Response.AuthenticatorData.Counter
	if credential.Authenticator.CloneWarning {
		k.log.Warn("a passkey's counter has not risen: it may have been copied", "passkey", s.key.ID, "host", host,
			"counter", counter, "before", s.key.Credential.Counter)
		return errNotProved
	}
	err = k.store.UsePasskey(r.Context(), s.key.ID, counter)
	if errors.Is(err, tidings.ErrNotFound) {
		return errNotProved // it was removed or used meanwhile
	}
	return err
}

// inSession returns what binds a ceremony of a person that is signed in. Passkeys are added in a session alone: a token
// is for programs.
func inSession(r *http.Request, p purpose) (binding, error) {
	account, ok := auth.Account(r.Context())
	session, signedIn := auth.ThisSession(r)
	if !ok || !signedIn {
		return binding{}, errNoSession
	}
	return binding{purpose: p, account: account, session: session}, nil
}

var errNoSession = errors.New("passkeys are added where a person is signed in by password or passkey")

// creation begins to add a passkey of a person, and returns what the browser's create() needs.
func (k *Keys) creation(w http.ResponseWriter, r *http.Request, b binding) (*protocol.CredentialCreation, error) {
	host, origin, err := k.guard.RelyingParty(r)
	if err != nil {
		return nil, err
	}
	p, err := party(host, origin)
	if err != nil {
		return nil, err
	}
	all, err := k.store.PasskeysOf(r.Context(), b.account)
	if err != nil {
		return nil, err
	}
	if len(all) >= tidings.MaxPasskeys {
		return nil, tidings.Invalidf("you have %d passkeys, and more are not possible: remove one first", len(all))
	}
	owner, err := k.userOf(r.Context(), b.account, all...)
	if err != nil {
		return nil, err
	}
	b.purpose, b.origin = toAdd, origin
	challenge := k.challenges.issue(w, b)
	options, _, err := p.BeginRegistration(owner, webauthn.WithCredentialParameters(algorithms),
		webauthn.WithExclusions(webauthn.Credentials(owner.credentials).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error { o.Challenge = challenge; return nil })
	if err != nil {
		return nil, fmt.Errorf("begin to add a passkey: %w", err)
	}
	return options, nil
}

// attestations are the formats of what an authenticator says about itself that are read: where a site asks for none,
// browsers send no others.
var attestations = []string{"none", "packed"}

// add stores the passkey that a browser made for the challenge that it was given.
func (k *Keys) add(w http.ResponseWriter, r *http.Request, b binding, name string, body []byte) error {
	host, origin, err := k.guard.RelyingParty(r)
	if err != nil {
		return err
	}
	response, err := protocol.ParseCredentialCreationResponseBytes(body)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotProved, err)
	}
	b.origin = origin
	challenge, err := k.challenges.redeem(w, r, b)
	if err != nil {
		return err
	}
	if format := response.Response.AttestationObject.Format; !slices.Contains(attestations, format) {
		return fmt.Errorf("%w: attestation of the format %s", errNotProved, tidings.Quote(format))
	}
	p, err := party(host, origin)
	if err != nil {
		return err
	}
	owner, err := k.userOf(r.Context(), b.account)
	if err != nil {
		return err
	}
	session := sessionOf(challenge, host, origin)
	session.UserID = owner.handle
	made, err := p.CreateCredential(owner, session, response)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotProved, err)
	}
	return k.store.AddPasskey(r.Context(),
		tidings.Passkey{Name: name, Host: host, Credential: tidings.PasskeyCredential{
			Account: b.account, ID: made.ID, PublicKey: made.PublicKey,
			Counter: made.Authenticator.SignCount, Copied: made.Flags.BackupEligible,
		}}, b.session)
}
