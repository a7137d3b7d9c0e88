// Package pictures fetches and keeps the pictures of articles. An origin learns that the node wants a picture, but not
// for which person: no cookie, no referrer and no parameter that counts readers is sent.
//
//	address ──▶ index ──▶ contents, by their SHA-256 ──▶ page
//	              │ not there
//	              ▼
//	            origin, guarded as all origins are ──▶ source/picture: checked, and small ──▶ index and contents
//
// The index has, by the hash of an address, which content it had, and how large the picture is. So a page keeps its
// place before the picture has come. Index and contents are files below one directory. Together they keep to a quota:
// what was viewed longest ago goes first. A fetch that failed is not repeated for ten minutes.
//
// Icons of channels are kept beside them, as small PNGs. A page shows those that are there, and starts searches for the
// others: by what a channel's document names, else by what its site has. An origin gets one request a week for a
// channel or site, for any answer.
//
// Several people share what is kept: a picture that comes at once was viewed before by another person.
package pictures
