// Package words says what the words of a text are. The index of package tidings/store/search and those who search agree by it.
//
// It reads the text of an item ([Text]), what somebody typed ([Parse]), and makes snippets ([Query.Snippet]). It keeps
// nothing.
//
// What it promises:
//
//   - Whatever is typed is a [Query], and never an error of the database.
//   - Words that differ in case or accents alone are the same.
//   - A word is what the tokenizer unicode61 of SQLite's FTS5 calls one, so that a match and its marks agree.
//
// Bounds: 64 KiB of a text are looked at. Of what is typed 4 KiB are, with at most 32 terms of 256 bytes. A snippet has
// about 32 words, and at most about 600 bytes.
package words
