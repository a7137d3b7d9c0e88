// Package tidings holds the words that all layers share: channels,
// items, versions, updates, and the polls by which changes are found.
//
// It imports nothing of the project and does nothing by itself. What a type
// promises stands on the type; what keeps the promise is said there too.
package tidings
