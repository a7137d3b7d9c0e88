package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
)

type userCmd struct {
	Add      userAddCmd      `cmd:"" help:"Add a person. The password is asked at the terminal, or is the first line of the standard input."`
	List     userListCmd     `cmd:"" help:"List the people who use the node."`
	Remove   userRemoveCmd   `cmd:"" help:"Remove a person with their subscriptions, stars and settings."`
	Password userPasswordCmd `cmd:"" help:"Set a person's password. Their sessions end and their passkeys are removed."`
	Role     userRoleCmd     `cmd:"" help:"Set a person's role: reader or administrator."`
}

type userAddCmd struct {
	Name string `arg:"" help:"Up to 64 letters, digits, and . _ - @; in any case the same."`
	Role string `enum:"reader,administrator" default:"reader" help:"reader (follows and reads) or administrator (decides about the node, too). Default ${default}." placeholder:"ROLE"`
}

func (c *userAddCmd) Run(p *program) error {
	if err := tidings.ValidatePersonName(c.Name); err != nil { // before a password is asked for
		return usage(tidings.Reason(err), "see: tidings user add --help")
	}
	password, err := p.askUserPassword()
	if err != nil {
		return err
	}
	person, err := p.client.Users().Add(p.ctx, api.NewPerson{Name: c.Name, Role: tidings.Role(c.Role),
		Password: password})
	if err != nil {
		return err
	}
	p.out.Printf("%s can sign in now, as %s.\n", person.Name, article(person.Role))
	return nil
}

// askUserPassword is askPassword for a person that must have a password.
func (p *program) askUserPassword() (string, error) {
	password, err := p.askPassword()
	return password, tidings.WithHint(err, "give it on the terminal, or as the first line of the standard input")
}

func article(r tidings.Role) string {
	if r == tidings.Administrator {
		return "an administrator"
	}
	return "a reader"
}

type userListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one person a line."`
}

func (c *userListCmd) Run(p *program) error {
	all, err := p.client.Users().List(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, person := range all {
		role, added := string(person.Role), p.out.Relative(person.Created)
		if person.Owner {
			role, added = "owner", ""
		}
		rows[i] = []console.Cell{{Text: console.Neutral(person.Name), Style: console.Bold}, {Text: role}, {Text: added}}
	}
	p.out.Table([]console.Column{{Title: "NAME", Least: 8}, {Title: "ROLE"}, {Title: "ADDED"}}, rows)
	return nil
}

type userRemoveCmd struct {
	Name string `arg:"" help:"The person's name."`
	Yes  bool   `help:"You are sure: do not ask."`
}

func (c *userRemoveCmd) Run(p *program) error {
	if !c.Yes {
		if err := p.confirm(
			fmt.Sprintf("The subscriptions of %s, what %[1]s has read and starred, and all sessions, passkeys, "+
				"tokens and feeds go too. Remove? [y/N] ", console.Neutral(c.Name)),
			"tidings user remove "+console.Neutral(c.Name)+" --yes"); err != nil {
			return err
		}
	}
	if err := p.client.Users().Remove(p.ctx, c.Name); err != nil {
		return err
	}
	p.out.Printf("%s is removed.\n", console.Neutral(c.Name))
	return nil
}

// confirm asks on the terminal; where there is none, sure is the command that does not ask.
func (p *program) confirm(question, sure string) error {
	terminal, ok := p.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return usage("what is removed cannot be brought back", "if that is what you want: "+sure)
	}
	p.errors.Printf("%s", question)
	line, err := bufio.NewReader(io.LimitReader(p.in, maxPasswordLine)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return failure("nothing was removed", "")
	}
	return nil
}

type userPasswordCmd struct {
	Name string `arg:"" help:"The person's name."`
}

func (c *userPasswordCmd) Run(p *program) error {
	password, err := p.askUserPassword()
	if err != nil {
		return err
	}
	person, err := p.client.Users().Change(p.ctx, c.Name, api.PersonChange{Password: &password})
	if err != nil {
		return err
	}
	p.out.Printf("The password of %s is set. The sessions of before have ended, and passkeys are removed.\n",
		person.Name)
	return nil
}

type userRoleCmd struct {
	Name string `arg:"" help:"The person's name."`
	Role string `arg:"" enum:"reader,administrator" help:"reader or administrator."`
}

func (c *userRoleCmd) Run(p *program) error {
	role := tidings.Role(c.Role)
	person, err := p.client.Users().Change(p.ctx, c.Name, api.PersonChange{Role: &role})
	if err != nil {
		return err
	}
	p.out.Printf("%s is %s now.\n", person.Name, article(person.Role))
	return nil
}

type sessionCmd struct {
	List sessionListCmd `cmd:"" help:"List the browsers in which you are signed in."`
	End  sessionEndCmd  `cmd:"" help:"Sign out of a session."`
}

type sessionListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one session a line."`
}

func (c *sessionListCmd) Run(p *program) error {
	all, err := p.client.Users().Sessions(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, s := range all {
		rows[i] = []console.Cell{{Text: s.ID}, {Text: p.out.Relative(s.Created)}, {Text: p.out.Relative(s.Used)},
			{Text: console.Neutral(s.Browser)}}
	}
	p.out.Table([]console.Column{{Title: "ID", Least: 16}, {Title: "SINCE"}, {Title: "LAST USED"},
		{Title: "BROWSER", Least: 16}}, rows)
	return nil
}

type sessionEndCmd struct {
	ID string `arg:"" help:"Its ID in tidings session list."`
}

func (c *sessionEndCmd) Run(p *program) error {
	if err := p.client.Users().EndSession(p.ctx, c.ID); err != nil {
		return err
	}
	p.out.Printf("That browser is signed out.\n")
	return nil
}

type passkeyCmd struct {
	List   passkeyListCmd   `cmd:"" help:"List your passkeys. Add one at the page, under Settings."`
	Remove passkeyRemoveCmd `cmd:"" help:"Remove a passkey, such as that of a lost device."`
}

type passkeyListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one passkey a line."`
}

func (c *passkeyListCmd) Run(p *program) error {
	all, err := p.client.Users().Passkeys(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, k := range all {
		used := "never"
		if !k.Used.IsZero() {
			used = p.out.Relative(k.Used)
		}
		rows[i] = []console.Cell{{Text: fmt.Sprint(k.ID)}, {Text: console.Neutral(k.Name), Style: console.Bold},
			{Text: console.Neutral(k.Host)},
			{Text: p.out.Relative(k.Created)}, {Text: used}}
	}
	p.out.Table([]console.Column{{Title: "ID"}, {Title: "NAME", Least: 8}, {Title: "HOST", Least: 8}, {Title: "MADE"},
		{Title: "LAST USED"}}, rows)
	return nil
}

type passkeyRemoveCmd struct {
	ID int64 `arg:"" help:"Its ID in tidings passkey list."`
}

func (c *passkeyRemoveCmd) Run(p *program) error {
	if err := p.client.Users().RemovePasskey(p.ctx, c.ID); err != nil {
		return err
	}
	p.out.Printf("That passkey is removed. Sessions that it opened stay: see tidings session list.\n")
	return nil
}
