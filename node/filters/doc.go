// Package filters gives filters their language, and says what a filter would do before it is saved.
//
// A filter acts on what arrives, for the one account that has it. Package tidings/store/reader keeps filters and
// applies them in the transaction that stores what arrives. It knows their conditions only as [reader.Conditions],
// which [Language] implements: those of package query, with the additions for filters. An article's text is extracted
// from its HTML when the first condition needs it, and once for all filters of all accounts.
package filters
