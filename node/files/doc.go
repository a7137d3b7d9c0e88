// Package files transfers the larger files that items carry. It fetches those that readers here want from other nodes,
// in pieces, and keeps them within a quota. It lends them, and files published here, to others. It describes to readers
// the state of each here.
//
// A file is named by its Ref (network/pieces), which its publisher has signed with the item. What has a Ref is called a
// content: several files, of several channels, may be the same.
package files
