"""A user of XMPP for tests. It obeys lines of JSON from the standard input and prints what happens as lines of JSON."""
import asyncio
import json
import logging
import sys

import slixmpp

logging.basicConfig(level=logging.WARNING)
address, password, port, certificates = sys.argv[1:5]


def say(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def connect():
    user = slixmpp.ClientXMPP(address, password)
    user.ca_certs = certificates
    for plugin in "xep_0004", "xep_0030", "xep_0050", "xep_0092", "xep_0184", "xep_0199":
        user.register_plugin(plugin)
    user.plugin["xep_0184"].auto_request = True

    async def start(_):
        await user.get_roster()
        user.send_presence()
        say("online")

    user.add_event_handler("session_start", start)
    user.add_event_handler("failed_auth", lambda _: say("refused"))
    user.add_event_handler("message", lambda m: say("message", sender=str(m["from"].bare), type=m["type"], id=m["id"], body=m["body"], late=bool(m.xml.find("{urn:xmpp:delay}delay") is not None)))
    user.add_event_handler("receipt_received", lambda m: say("receipt", id=m["receipt"]))
    user.add_event_handler("presence_subscribed", lambda p: say("subscribed", sender=str(p["from"].bare)))
    user.add_event_handler("presence_available", lambda p: say("available", sender=str(p["from"].bare), status=p["status"]))
    user.connect(("127.0.0.1", int(port)), force_starttls=True, disable_starttls=False)
    return user


async def obey(user, order):
    match order["do"]:
        case "write":
            user.send_message(mto=order["to"], mbody=order["text"], mtype="chat")
        case "subscribe":
            user.send_presence_subscription(pto=order["to"])
        case "commands":
            items = await user["xep_0030"].get_items(jid=order["to"], node="http://jabber.org/protocol/commands")
            say("commands", nodes=sorted(item[1] for item in items["disco_items"]["items"]))
        case "features":
            info = await user["xep_0030"].get_info(jid=order["to"])
            version = await user["xep_0092"].get_version(order["to"])
            say("features", features=sorted(info["disco_info"]["features"]), identities=[list(i[:2]) for i in info["disco_info"]["identities"]],
                version=version["software_version"]["name"])
        case "run":
            answer = await user["xep_0050"].send_command(order["to"], order["node"])
            fields = order.get("fields")
            if fields:
                form = user["xep_0004"].make_form(ftype="submit")
                for name, value in fields.items():
                    form.add_field(var=name, value=value)
                answer = await user["xep_0050"].send_command(order["to"], order["node"], action="complete", payload=form, sessionid=answer["command"]["sessionid"])
            command = answer["command"]
            say("ran", status=command["status"], notes=[note[1] for note in command["notes"]])
        case "offline":
            user.disconnect(wait=0)
            await user.disconnected
            say("offline")


async def main():
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    user = None
    while line := await reader.readline():
        order = json.loads(line)
        if order["do"] == "online":
            user = connect()
            continue
        try:
            await obey(user, order)
        except Exception as error:  # the test sees it
            say("failed", order=order, error=repr(error))


asyncio.get_event_loop().run_until_complete(main())
