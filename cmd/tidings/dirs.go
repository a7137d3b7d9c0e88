package main

import (
	"path/filepath"
	"runtime"
)

// dataDir is the node's data directory: the configured one, else where the system keeps a program's data (XDG base
// directory specification; Apple's and Microsoft's conventions).
func dataDir(given string, env func(string) string) (string, error) {
	if given == "" {
		given = systemDir(runtime.GOOS, env, "XDG_DATA_HOME", ".local/share")
	}
	if given == "" {
		return "", failure("there is no home directory to keep data in", "name one with --data")
	}
	return filepath.Abs(given)
}

// configFile is the person's own settings file; empty if there can be none.
func configFile(env func(string) string) string {
	dir := systemDir(runtime.GOOS, env, "XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, settingsName)
}

// systemDir is the folder for tidings that the system goos wants: on Unix under the XDG variable, else under the home
// directory. The variable counts everywhere.
func systemDir(goos string, env func(string) string, xdg, underHome string) string {
	home := env("HOME")
	switch base := env(xdg); {
	case filepath.IsAbs(base): // the specification: relative ones are invalid
		return filepath.Join(base, "tidings")
	case goos == "windows" && env("LOCALAPPDATA") != "":
		return filepath.Join(env("LOCALAPPDATA"), "Tidings")
	case home == "":
		return ""
	case goos == "darwin":
		return filepath.Join(home, "Library", "Application Support", "Tidings")
	}
	return filepath.Join(home, filepath.FromSlash(underHome), "tidings")
}
