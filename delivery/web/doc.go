// Package web is the page: what a person sees of a node in a browser.
//
// It is rendered on the server with html/template. One stylesheet and one small script, written by hand and embedded,
// make it live; everything but live growth works without the script, by links and forms that answer with a redirect.
//
// It promises:
//
//   - No request to any other host, whatever an item contains: the content security
//     policy allows the node's own stylesheet, script and pictures and nothing else, and
//     an item's pictures, sounds and frames are shown as links to open by hand.
//   - Items are cleaned again when they are shown, by a list of what may stay
//     (content.go), whatever the store holds.
//   - Texts from outside are one line, free of control and direction characters, and cut
//     (package wording); links from outside are http or https and shown with their host.
//   - The river never moves what is being read (see script.js).
//   - The view of the network changes in place: what has the focus, what is typed and
//     what is unfolded stay.
//   - Every page passes axe-core without a violation, in both themes and at phone width; a test
//     in a real browser holds it to that.
//
// Requests come through auth.Guard. It finds the account and refuses requests that another site sent. This package only
// reads the context.
package web
