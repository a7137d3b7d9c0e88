// Package astrolabe keeps a database about the nodes of a network in the nodes themselves: Astrolabe (van Renesse, Birman and Vogels,
// "Astrolabe: A Robust and Scalable Technology for Distributed System Monitoring, Management, and Data Mining", ACM TOCS 21(2), 2003).
package astrolabe
