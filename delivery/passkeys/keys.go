package passkeys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"tidings"
)

// Store keeps passkeys. PasskeysOf lists an account's, Passkey finds one by its credential's ID.
type Store interface {
	PasskeysOf(ctx context.Context, account tidings.AccountID) ([]tidings.Passkey, error)
	Passkey(ctx context.Context, credential []byte) (tidings.Passkey, error)
	HasPasskeysAt(ctx context.Context, host string) (bool, error)
	// AddPasskey fails with tidings.ErrExists, tidings.ErrInvalid beyond bounds, and tidings.ErrNotFound if the session
	// has ended.
	AddPasskey(ctx context.Context, p tidings.Passkey, session [32]byte) error
	// UsePasskey fails with tidings.ErrNotFound if the counter has not risen although the authenticator counts.
	UsePasskey(ctx context.Context, id int64, counter uint32) error
	RemovePasskey(ctx context.Context, account tidings.AccountID, id int64) error
	Person(ctx context.Context, account tidings.AccountID) (tidings.Person, error)
	// Secret returns random bytes of an account that never change.
	Secret(ctx context.Context, account tidings.AccountID) ([]byte, error)
}

// Guard signs people in: an *auth.Guard.
type Guard interface {
	RelyingParty(r *http.Request) (host, origin string, err error)
	SignInProved(w http.ResponseWriter, r *http.Request, account tidings.AccountID,
		prove func(context.Context) error) error
	Confirm(ctx context.Context, account tidings.AccountID, current string) error
	ConfirmProved(ctx context.Context, account tidings.AccountID, prove func(context.Context) error) error
}

// Keys are the passkeys of a node. Its methods may be called by many goroutines at once.
type Keys struct {
	store      Store
	guard      Guard
	challenges *challenges
	log        *slog.Logger
}

// New returns the passkeys in a store. A log of nil is none.
func New(s Store, g Guard, log *slog.Logger) *Keys {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Keys{s, g, newChallenges(), log}
}

// Unavailable says why passkeys cannot work where the sender of a request reaches the node: auth.ErrHostAddress,
// auth.ErrPlainHTTP or auth.ErrProxySignsIn. Nil: they can.
func (k *Keys) Unavailable(r *http.Request) error {
	_, _, err := k.guard.RelyingParty(r)
	return err
}

// Offered reports whether somebody can sign in by a passkey where the sender of a request reaches the node.
func (k *Keys) Offered(r *http.Request) (bool, error) {
	host, _, err := k.guard.RelyingParty(r)
	if err != nil {
		return false, nil
	}
	return k.store.HasPasskeysAt(r.Context(), host)
}

// List lists the passkeys of an account, the oldest first. It also returns how many of them work at the address by
// which the requester reaches the node.
func (k *Keys) List(r *http.Request, account tidings.AccountID) (all []tidings.Passkey, here int, err error) {
	if all, err = k.store.PasskeysOf(r.Context(), account); err != nil {
		return nil, 0, err
	}
	host, _, err := k.guard.RelyingParty(r)
	for _, p := range all {
		if err == nil && p.Host == host {
			here++
		}
	}
	return all, here, nil
}

// Remove removes a passkey of an account; tidings.ErrNotFound if it has none such.
func (k *Keys) Remove(ctx context.Context, account tidings.AccountID, id int64) error {
	return k.store.RemovePasskey(ctx, account, id)
}

// errNotProved says that what was sent is no signature by a passkey of the right person.
var errNotProved = errors.New("not the right passkey")

// party returns the library's view of this node at a host name and origin.
func party(host, origin string) (*webauthn.WebAuthn, error) {
	ms := webauthn.TimeoutConfig{Timeout: challengeLife, TimeoutUVD: challengeLife}
	required := true
	p, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Tidings", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &required, ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: ms, Registration: ms},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys at %s: %w", origin, err)
	}
	return p, nil
}

// algorithms are those of signatures: the three that WebAuthn, section 5.4, recommends to offer.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: -8},   // EdDSA
	{Type: protocol.PublicKeyCredentialType, Algorithm: -7},   // ES256
	{Type: protocol.PublicKeyCredentialType, Algorithm: -257}, // RS256
}

// user is a person as the library knows one.
type user struct {
	name        string
	handle      []byte
	credentials []webauthn.Credential
}

func (u *user) WebAuthnID() []byte                         { return u.handle }
func (u *user) WebAuthnName() string                       { return u.name }
func (u *user) WebAuthnDisplayName() string                { return u.name }
func (u *user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

// userOf returns the person of an account, with passkeys. The handle by which authenticators know the person says
// nothing to others (WebAuthn, section 14.6.1).
func (k *Keys) userOf(ctx context.Context, account tidings.AccountID, keys ...tidings.Passkey) (*user, error) {
	p, err := k.store.Person(ctx, account)
	if err != nil {
		return nil, err
	}
	secret, err := k.store.Secret(ctx, account)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("tidings passkey user handle"))
	u := &user{name: p.Name, handle: mac.Sum(nil)}
	for _, key := range keys {
		u.credentials = append(u.credentials, webauthn.Credential{
			ID: key.Credential.ID, PublicKey: key.Credential.PublicKey,
			Flags: webauthn.CredentialFlags{UserPresent: true, UserVerified: true,
				BackupEligible: key.Credential.Copied},
			Authenticator: webauthn.Authenticator{SignCount: key.Credential.Counter},
		})
	}
	return u, nil
}
