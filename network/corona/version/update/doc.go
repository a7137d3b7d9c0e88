// Package update is what the parts of a node that make versions exchange: a version in transit with its number, its
// content's hash and its signatures, and what such a version must satisfy whichever way it came.
//
// Corona's primary sends "diffs" with a version number (section 3.4 of the paper). Here a number also names the
// content, and nodes sign what they have seen and assigned: see number.go and signed.go.
package update
