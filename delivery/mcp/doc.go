// Package mcp lets an assistant read what a person follows, by the Model Context Protocol.
//
// It serves one client over two streams, as a program that an assistant starts. Tools list channels, list and search
// items, and read one. Without [Config.Write] nothing changes. Without [Config.Private] only channels that are public
// are shown: neither those that need a password, nor unlisted ones, nor queries, nor what programs post.
//
// Titles and texts of items are what strangers wrote, and may ask an assistant to do something. So they stand in
// objects called untrusted, and each answer says what that means. Invisible characters, such as Unicode tags and
// bidirectional controls, are removed.
//
// A call has [Timeout], and an answer at most [MaxList] items, or one item's text of at most [MaxText] bytes at a time.
package mcp
