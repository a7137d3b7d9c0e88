// Package files transfers the larger files that items carry: it fetches those that readers here want from other nodes, in pieces, keeps them
// within a quota, lends them and what was published here to others, and describes to readers how each is here.
//
// A file is named by its Ref (network/pieces), which its publisher has signed with the item. What has a Ref is called a content: several
// files, of several channels, may be the same.
package files
