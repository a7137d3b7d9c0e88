package node

import (
	"context"

	"tidings/delivery/api"
	"tidings/node/diskspace"
	"tidings/node/doctor"
	"tidings/node/identity"
	"tidings/node/member"
	"tidings/view"
)

// Examination returns the node as doctor.Examine examines it. Settings that cannot be used are among what that finds.
func (c Config) Examination() doctor.Config {
	e := doctor.Config{
		Data: c.Data, Settings: c.Validate(), Contact: c.Contact, KeyFile: identity.KeyFile,
		NetworkKeyFile: c.NetworkKeyFile, PasswordFile: c.PasswordFile,
		OpenIDSecretFile: c.OpenIDSecretFile,
		Socket:           api.SocketPath(c.Data), Alone: c.NoNetwork, Chosen: len(c.Listen) > 0,
		Free:      diskspace.New().Free,
		TryListen: func(a doctor.Address) error { return member.TryListening(a.Network, a.Address) },
	}
	e.Status = func(ctx context.Context) (view.Status, error) {
		client := api.Dial(e.Socket)
		defer client.Close()
		return client.Status(ctx)
	}
	for _, text := range member.ListenAddresses(c.Listen, c.Port, c.NetworkKeyFile != "") {
		if network, address, err := member.ListenArgs(text); err == nil { // else Settings says so
			e.Listen = append(e.Listen, doctor.Address{Text: text, Network: network, Address: address})
		}
	}
	return e
}
