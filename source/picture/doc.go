// Package picture checks and shrinks pictures from other sites. It knows them by their first bytes, not by their media
// type.
//
//	bytes ──▶ kind, size and frames, from the head alone ──▶ refuse ([ErrKind], [ErrLarge])
//	                          │                          ──▶ pass unchanged: small ones, very large ones, animations,
//	                          │                              photographs that are to be turned
//	                          ▼
//	                   decode, scale, encode ──▶ JPEG, or PNG where something is transparent
//
// Icons become PNGs of at most 64 pixels a side; ICO is known for them alone.
//
// It knows JPEG, PNG, GIF and WebP. It refuses SVG, which can hold scripts, and everything else. It decodes a picture
// only once it knows that the size is within the bounds.
package picture
