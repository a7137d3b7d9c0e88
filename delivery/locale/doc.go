// Package locale has the pages in the languages of their readers. Code and templates are written in English; a language
// is one file of texts beside it (texts/de.json), which maps each English text to its own:
//
//   - "Mark all as read": a text of a template or of code. Placeholders stand in braces, markup within a sentence in
//     tags that are named after it: "See <a>Settings</a>, or {Name}." A translation has the same ones, each once, in
//     any order.
//   - "%d of %d checked": a format of code, with the verbs of package fmt; "%[2]d" is the second argument.
//   - "%s answered %d (%s)", among the reasons: what layers below the pages say, such as errors. Code that makes such a
//     text does not know its reader, so Reason finds the format that a text matches. %w is a reason within it, %s a
//     name, %d a number, %u an address.
//   - "item|items": what is counted, which has a text for each plural form of the language (CLDR: "one", "few",
//     "other", …).
//
// A text that a file lacks is shown in English. Missing lists those of templates and code, and a test keeps each file
// whole.
//
// To add a language, add its file: All finds it.
package locale
