package reader

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Folder is a folder of an account that has a number, by which programs know it while its path changes.
type Folder struct {
	ID   int64
	Path string // see tidings.FolderPath
	Name string // for people; no two of an account have the same
}

// Folders returns the folders of account that are not empty, or were made empty, in the order in which they are shown.
func Folders(conn *sqlite.Conn, account tidings.AccountID) (all []Folder, err error) {
	used := make(map[string]bool)
	if err := db.Each(conn, `SELECT DISTINCT folder FROM subscription WHERE account = ?`, func(r *sqlite.Stmt) error {
		used[tidings.CleanFolder(r.ColumnText(0))] = true
		return nil
	}, int64(account)); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	if err := db.Each(conn, `SELECT id, path, kept FROM folder WHERE account = ? ORDER BY id`,
		func(r *sqlite.Stmt) error {
			f := Folder{ID: r.ColumnInt64(0), Path: tidings.CleanFolder(r.ColumnText(1))}
			if !seen[f.Path] && (used[f.Path] || r.ColumnBool(2)) {
				seen[f.Path] = true
				all = append(all, f)
			}
			return nil
		}, int64(account)); err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for i := range all {
		all[i].Name = tidings.FolderLabel(all[i].Path)
		if names[all[i].Name] { // of a path with a slash in a name, and of nested folders
			all[i].Name = all[i].Path
		}
		names[all[i].Name] = true
	}
	slices.SortFunc(all, func(a, b Folder) int { return tidings.CompareNames(a.Path, b.Path) })
	return all, nil
}

// noteFolder gives a folder that something is put into a number, if it has none.
func noteFolder(t *db.Tx, account tidings.AccountID, path string) error {
	if path = tidings.CleanFolder(path); path == "" {
		return nil
	}
	// A conflict would use up a number.
	return db.Exec(t.Conn, `INSERT INTO folder (account, path) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM folder
		WHERE account = ?1 AND path = ?2)`,
		int64(account), path)
}

// AddFolder makes an empty folder; tidings.ErrExists if there is one of that name.
func AddFolder(t *db.Tx, account tidings.AccountID, name string) (Folder, error) {
	all, err := Folders(t.Conn, account)
	if err != nil {
		return Folder{}, err
	}
	if len(all) >= MaxLabels {
		return Folder{}, tidings.Invalidf("there are %d folders already", len(all))
	}
	path, err := newPath(all, name)
	if err != nil {
		return Folder{}, err
	}
	if err := db.Exec(t.Conn,
		`INSERT INTO folder (account, path, kept) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET kept = 1`,
		int64(account), path); err != nil {
		return Folder{}, err
	}
	if all, err = Folders(t.Conn, account); err != nil {
		return Folder{}, err
	}
	at := slices.IndexFunc(all, func(f Folder) bool { return f.Path == path })
	return all[at], nil
}

// newPath returns the path of a folder that is to have a name, beside others.
func newPath(others []Folder, name string) (string, error) {
	path := tidings.FolderPath(name)
	switch {
	case path == "":
		return "", tidings.Invalidf("a folder needs a name")
	case len(path) > MaxName:
		return "", tidings.Invalidf("the name of a folder has at most %d bytes", MaxName)
	case slices.ContainsFunc(others, func(f Folder) bool {
		return f.Path == path || f.Name == tidings.FolderLabel(path)
	}):
		return "", fmt.Errorf("folder %q: %w", tidings.Quote(name), tidings.ErrExists)
	}
	return path, nil
}

// RenameFolder gives a folder another name, with all that is in it; what is in folders within it stays there.
// tidings.ErrNotFound if account has no such folder, tidings.ErrExists if it has another of that name. It returns the
// path that the folder had and the one that it has.
func RenameFolder(t *db.Tx, account tidings.AccountID, id int64, name string) (from, to string, err error) {
	all, f, err := oneFolder(t, account, id)
	if err != nil || f.Name == name {
		return f.Path, f.Path, err
	}
	path, err := newPath(slices.DeleteFunc(all, func(o Folder) bool { return o.ID == id }), name)
	if err != nil || path == f.Path {
		return f.Path, f.Path, err
	}
	if err := forgetFolder(t, account, path); err != nil { // an empty one
		return "", "", err
	}
	if err := db.Exec(t.Conn, `UPDATE folder SET path = ?, kept = 1 WHERE id = ?`, path, id); err != nil {
		return "", "", err
	}
	if err := renameFeeds(t, account, f.Path, path); err != nil {
		return "", "", err
	}
	if err := moveView(t, int64(account), tidings.ViewOf(tidings.FolderKind, f.Path),
		tidings.ViewOf(tidings.FolderKind, path)); err != nil {
		return "", "", err
	}
	return f.Path, path, moveAll(t, account, f.Path, path)
}

// RemoveFolder removes a folder; what is in it is in none then.
func RemoveFolder(t *db.Tx, account tidings.AccountID, id int64) error {
	_, f, err := oneFolder(t, account, id)
	if err != nil {
		return err
	}
	if err := forgetFolder(t, account, f.Path); err != nil {
		return err
	}
	if err := forgetView(t, int64(account), tidings.ViewOf(tidings.FolderKind, f.Path)); err != nil {
		return err
	}
	return moveAll(t, account, f.Path, "")
}

func oneFolder(t *db.Tx, account tidings.AccountID, id int64) (all []Folder, f Folder, err error) {
	if all, err = Folders(t.Conn, account); err != nil {
		return nil, f, err
	}
	at := slices.IndexFunc(all, func(f Folder) bool { return f.ID == id })
	if at < 0 {
		return nil, f, fmt.Errorf("folder %d: %w", id, tidings.ErrNotFound)
	}
	return all, all[at], nil
}

// forgetFolder removes the numbers of a path.
func forgetFolder(t *db.Tx, account tidings.AccountID, path string) error {
	return eachWritten(t, `SELECT id, path FROM folder WHERE account = ?`, account, path, func(id int64) error {
		return db.Exec(t.Conn, `DELETE FROM folder WHERE id = ?`, id)
	})
}

// moveAll puts what is in one folder into another.
func moveAll(t *db.Tx, account tidings.AccountID, from, to string) error {
	return eachWritten(t, `SELECT channel, folder FROM subscription WHERE account = ?`, account, from,
		func(channel int64) error {
			return db.Exec(t.Conn, `UPDATE subscription SET folder = ? WHERE account = ? AND channel = ?`, to,
				int64(account), channel)
		})
}

// eachWritten calls f with the first column of each row whose second is a path, however that is written there.
func eachWritten(t *db.Tx, sql string, account tidings.AccountID, path string, f func(int64) error) error {
	var found []int64
	if err := db.Each(t.Conn, sql, func(r *sqlite.Stmt) error {
		if tidings.CleanFolder(r.ColumnText(1)) == path {
			found = append(found, r.ColumnInt64(0))
		}
		return nil
	}, int64(account)); err != nil {
		return err
	}
	for _, id := range found {
		if err := f(id); err != nil {
			return err
		}
	}
	return nil
}
