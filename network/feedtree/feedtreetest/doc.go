// Package feedtreetest helps to test what runs on FeedTree. It makes worlds of nodes on a ring of Pastry, with
// libraries on their disks, an archive, and publishers with keys.
package feedtreetest
