// Package large keeps larger contents, such as the files that items carry, in pieces. A content is named by a [Ref],
// and has a manifest that says what its pieces are. Neither is understood here.
//
// Its tables: large, piece.
//
// What it promises:
//
//   - A content is begun before it has pieces. They come in any order, and [Store.Open] says which are here.
//   - Beginning one twice changes nothing, except that it may become this node's own.
//   - A dropped content leaves no piece to one that is begun afterwards. Dropping is done in several transactions, so
//     that others have their turn. A crash between them leaves fewer pieces, which the next Drop removes.
//
// Reads: no table of others.
//
// Bounds: the lengths of all contents together, as the caller says with each [Store.Begin].
//
// Errors: [ErrNoRoom], tidings.ErrNotFound (it was not begun); else those of package db.
package large
