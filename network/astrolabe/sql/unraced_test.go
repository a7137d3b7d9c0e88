//go:build !race

package sql

const raced = false
