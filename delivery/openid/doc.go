// Package openid signs people in with an OpenID Connect provider that the node's owner has chosen. It is for the page.
//
// The flow is the authorization code flow (OpenID Connect Core 1.0, section 3.1) with PKCE by S256 (RFC 7636), state
// and nonce. Signing out at the provider follows OpenID Connect RP-Initiated Logout 1.0.
//
// It promises:
//
//   - A provider that is slow or silent holds a request for at most Patience, whatever it does. It never keeps the node
//     from starting: the provider is asked when somebody signs in, not before.
//   - At most maxSignIns requests wait for the provider at a time. Beyond that, people are asked to try again.
//   - An answer of the provider has at most maxAnswer bytes. Redirects are not followed: a client secret would go
//     along.
//   - The provider's endpoints are https, unless its issuer is http on this machine.
//   - An ID token counts if its signature is by a key of the issuer, its algorithm asymmetric, and iss, aud, azp, exp,
//     nonce and at_hash are right. An iss parameter of another issuer is refused (RFC 9207).
//   - The node keeps no table of sign-ins under way. Their state is in a cookie of the browser that began: encrypted
//     with a key of this run, good for one return within pendingLife. So no other browser can end a sign-in.
//   - Attempts are limited as those by password are.
//   - Nobody becomes the owner but the user that the settings name. See tidings.ProviderUser.
//
// The session cookie is SameSite=Strict. A browser that returns from the provider does not send such cookies until a
// page of the node itself leads it on. So Finish is to be answered with a page and not with a redirect.
package openid
