# An SMTP server for tests, on aiosmtpd. It reports on its standard output, one JSON object a line: its port, and then each
# message. Options come as one JSON object: cert and key (files), starttls, implicit, user and password. It ends when its
# standard input does.
import asyncio, base64, json, ssl, sys

from aiosmtpd.smtp import SMTP, AuthResult

options = json.loads(sys.argv[1])


def report(**what):
    print(json.dumps(what), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("gone@"):
            return "550 5.1.1 <" + address + ">: no such user here"
        if address.startswith("full@"):
            return "552 5.2.2 <" + address + ">: mailbox full"
        if address.startswith("later@"):
            return "450 4.2.0 <" + address + ">: greylisted, try again"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if b"spam" in envelope.content:
            return "554 5.7.1 that looks like spam"
        report(sender=envelope.mail_from, recipients=envelope.rcpt_tos,
               encrypted=server.transport.get_extra_info("sslcontext") is not None, hello=session.host_name, content=base64.b64encode(envelope.content).decode(),
               user=session.auth_data.login.decode() if session.authenticated else "")
        return "250 OK"


def authenticate(server, session, envelope, mechanism, auth_data):
    ok = auth_data.login.decode() == options["user"] and auth_data.password.decode() == options["password"]
    return AuthResult(success=ok, handled=ok, auth_data=auth_data)


async def main():
    context = None
    if options.get("cert"):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options["cert"], options["key"])
    arguments = dict(hostname="localhost", enable_SMTPUTF8=True)
    if options.get("starttls"):
        arguments.update(tls_context=context, require_starttls=True)
    if options.get("user"):
        arguments.update(auth_required=True, auth_require_tls=bool(options.get("starttls")), authenticator=authenticate)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), loop=loop, **arguments), "127.0.0.1", 0,
                                      ssl=context if options.get("implicit") else None)
    report(port=server.sockets[0].getsockname()[1])
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
