// Package passkeys signs people in by passkeys: credentials of the Web Authentication API (W3C WebAuthn, level 3). It
// is for the page, which has the browser's half in assets/passkeys.js. Messages are parsed and signatures checked by
// github.com/go-webauthn/webauthn.
//
// It promises:
//
//   - Credentials are discoverable, so nobody types a name. The authenticator verifies the person, each time.
//   - A challenge is good for one ceremony of one kind, in the browser that asked for it, at one origin, for five
//     minutes.
//     The browser holds it, under a MAC. The node remembers those that were used, at most maxUsed. So strangers that
//     ask for challenges use up no memory.
//   - A signature is accepted for the origin by which the node is reached (see auth.Guard.Origin) and for no other.
//   - An attempt counts as one with a password does. Challenges are compared and signatures checked after that.
//   - A counter of signatures that does not rise refuses the sign-in, and the log warns: the credential may have been
//     copied.
//   - A passkey is added in a session, by a person that has just given the password or signed with another passkey.
//
// What the authenticator attests about itself decides nothing: every maker is welcome.
package passkeys
