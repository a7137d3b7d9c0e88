// Package sync is what phone and desktop feed readers need of a node, said once. It is for the three packages that
// speak to such readers, each in the language of another server that the readers know:
//
//   - package greader: the Google Reader API, as FreshRSS and Miniflux serve it
//   - package fever: the Fever API
//   - package minifluxapi: the API of Miniflux, version 1
//
// They translate. What there is to translate is here: [Library] has a person's feeds, folders and items, [Gate] lets
// people in. The node implements both. Package synctest has a plain implementation in memory, for tests.
//
// A reader on a phone keeps a copy of everything: it reads while it is offline, and later both sides compare lists of
// item numbers. So this package promises what keeps such copies true:
//
//   - An item has one number, see [Item]. It grows with arrival, is never used twice, and is the same in all
//     three languages and for all people. Readers keep only what is larger than the largest number that they
//     know.
//   - A list of numbers has up to [MaxNumbers] of them. Several readers mark an item as read when it is
//     missing in a list of unread ones, and send that back. A short list would mark items that nobody has
//     read.
//   - Long lists continue after the last number that was sent, never after a count of items. So nothing is
//     left out or sent twice while new items arrive.
//   - Times that readers compare are times of arrival here. Dates that feeds claim decide nothing.
//
// The rest is what all three languages share: forms that are read by hand ([ReadForm]), since readers send some that
// are not well-formed; bounds on bodies and deadlines for them; answers that are compressed, counted against the node's
// memory, and carry validators ([Reply]); and how errors are answered ([FaultOf]).
//
// None of the three reads cookies. A browser that is signed in to the node's page proves nothing here, so no page of
// another site can act in its name.
package sync
