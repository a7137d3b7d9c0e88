// Package synctest is for tests of what speaks to feed readers. It has
//
//   - [Library], a plain implementation in memory of what package sync asks of a node, which is also the
//     model that others can be held against: it is as simple as can be, and searches everything each time;
//   - [Sample], a library of two people, three feeds, two folders and 1,200 items;
//   - [Replay], which sends the requests of a text file to a handler and checks the answers.
package synctest
