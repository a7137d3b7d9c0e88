package main

import (
	"tidings/delivery/mail"
	"tidings/delivery/xmpp"
	"tidings/node"
)

// xmppFlags say by what people chat with the node.
type xmppFlags struct {
	Component  string   `help:"XMPP server that lets this node in as a component, by which people subscribe in chat. See docs/chat.md." placeholder:"HOST:PORT"`
	Domain     string   `help:"Domain of the component, such as news.example.org." placeholder:"DOMAIN"`
	Account    string   `help:"XMPP account that this node signs in to, instead of being a component." placeholder:"ADDRESS"`
	Server     string   `help:"Server of the account; default: where the DNS says that it is." placeholder:"HOST:PORT"`
	DirectTLS  bool     `name:"direct-tls" help:"Use TLS from the first byte at --xmpp-server, and not STARTTLS."`
	CAFile     string   `name:"ca-file" help:"File with the certificates that the server's is signed by, if the system does not have them." placeholder:"FILE"`
	Shared     bool     `help:"Share the account with other nodes of yours, all of which have this flag: each message is sent by one of them."`
	SecretFile string   `help:"File whose first line is the component's secret, or the account's password. Without it, that of TIDINGS_XMPP_SECRET." placeholder:"FILE"`
	Allow      []string `help:"Domain whose addresses may subscribe; may be repeated. Default: all." placeholder:"DOMAIN" sep:"none"`
}

// xmppSecretVariable is the environment's name for the secret of the component or the account.
const xmppSecretVariable = "TIDINGS_XMPP_SECRET"

// settings returns what the flags say, but for the secret.
func (f xmppFlags) settings() xmpp.Settings {
	return xmpp.Settings{
		Component: f.Component, Domain: f.Domain, Account: f.Account, Server: f.Server, DirectTLS: f.DirectTLS,
		CAFile: f.CAFile, Shared: f.Shared, Domains: f.Allow,
	}
}

// mailFlags say by which server mail is sent.
type mailFlags struct {
	SMTPServer       string `name:"smtp-server" help:"Mail server that sends mails to people of this node. The connection is encrypted: at port 465 from the start, elsewhere by STARTTLS, but for a server on this machine. Without it no mail is sent. See docs/notifications.md." placeholder:"HOST:PORT"`
	SMTPUser         string `name:"smtp-user" help:"Name of this node at the mail server; none: it asks for none." placeholder:"NAME"`
	SMTPPasswordFile string `name:"smtp-password-file" help:"File whose first line is the password at the mail server. Without it, that of TIDINGS_SMTP_PASSWORD." placeholder:"FILE"`
	MailFrom         string `name:"mail-from" help:"Address that mails come from, with a name if wanted: 'News <news@example.org>'." placeholder:"ADDRESS"`
}

// smtpPasswordVariable is the environment's name for the password of this node at the mail server.
const smtpPasswordVariable = "TIDINGS_SMTP_PASSWORD"

// apply sets what the flags say, but for the password.
func (f mailFlags) apply(c *node.Config) {
	c.Mail = mail.Config{Server: f.SMTPServer, User: f.SMTPUser, From: f.MailFrom}
	c.MailPasswordFile = f.SMTPPasswordFile
}
