// Package newswire carries events down Astrolabe's zones to those who subscribe: NewsWire (Vogels, Re, van Renesse and Birman, "A Collaborative
// Infrastructure for Scalable and Robust News Delivery", 2002).
package newswire
