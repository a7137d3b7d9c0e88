// Package date reads dates as feeds write them, whatever their form, language or mistakes.
//
// A date is read from left to right into numbers and words of which each may have several meanings (date.go, clock.go,
// zone.go, names.go). What is left open is settled in the end, by what the parts leave of each other (settle.go). A
// date that can mean two months gives none. Only 05/06/2024 has two readings, of which the caller chooses by other
// dates of the same feed or by its language (order.go).
//
// Reading costs time in proportion to the length of a date, which is at most MaxLength. Nothing is read from the
// machine but the tz database.
package date
