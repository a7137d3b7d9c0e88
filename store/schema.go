package store

import (
	"embed"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/fulltext"
	"tidings/store/large"
	"tidings/store/outbox"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/store/reader"
	"tidings/store/search"
	"tidings/store/shared"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Schema is the whole of what the database has.
func Schema() db.Schema {
	scripts, err := db.Migrations(migrationFiles, "migrations")
	if err != nil {
		panic(err) // they are part of the program
	}
	all := db.Schema{Migrations: scripts}
	for _, part := range []db.Schema{content.Schema, search.Schema, reader.Schema, published.Schema, pushed.Schema,
		large.Schema, shared.Schema, outbox.Schema, fulltext.Schema} {
		all = all.Join(part)
	}
	return all
}
