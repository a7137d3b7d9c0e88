// Package wording turns what the node knows into words for people: states, numbers, sizes, dates, names and addresses.
// Text from outside becomes one safe line of bounded length. Nothing here knows of pages or requests.
package wording
