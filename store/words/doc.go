// Package words defines the words of a text. The index of package tidings/store/search and searches agree by it.
//
// It reads the text of an item ([Text]) and the text of a search ([Parse]), and makes snippets ([Query.Snippet]). It
// keeps nothing.
//
// What it promises:
//
//   - Whatever is typed is a [Query], and never an error of the database.
//   - Words that differ in case or accents alone are the same.
//   - A word is what the tokenizer unicode61 of SQLite's FTS5 calls one, so that a match and its marks agree.
//
// Bounds: 64 KiB of a text are read, and 4 KiB of a search, with at most 32 terms of 256 bytes. A snippet has about 32
// words, and at most about 600 bytes.
package words
