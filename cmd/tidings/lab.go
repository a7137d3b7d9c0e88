package main

// LabCmd holds the commands for experiments. It joins the command line when they are there.
type LabCmd struct{}
