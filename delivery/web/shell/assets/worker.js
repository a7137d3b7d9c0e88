// Shows what the node pushes to this browser, while no page of it need be open.
//
// A message is JSON: id, title, text, and where there are such link, channel and time. One that comes twice replaces itself,
// as its id is the notification's tag. A message with retracts, ids of earlier ones, closes those: they were read elsewhere.
"use strict";
const read = (data) => {
  try {
    const message = data.json();
    if (message && Array.isArray(message.retracts) && message.retracts.length > 0) return message;
    if (message && typeof message.title === "string") return message;
  } catch {
    // not from this node
  }
  return { title: "Something new" };
};

// where returns the page that a message is about, if it is one of the web.
const where = (link) => {
  try {
    const url = new URL(link);
    if (url.protocol === "https:" || url.protocol === "http:") return url.href;
  } catch {
    // none
  }
  return new URL("/", self.location.origin).href;
};

const show = (message, silent) =>
  self.registration.showNotification(message.title, {
    body: message.text || "", tag: message.id || "", timestamp: message.time || Date.now(), silent,
    data: { link: where(message.link) },
  });

// retract closes notifications. Browsers demand that each push shows something: so one of those that stay is shown again as it is,
// without a sound. Where none stays, what is shown is closed at once, which some browsers allow a few times a day.
const retract = async (ids) => {
  const shown = await self.registration.getNotifications();
  for (const one of shown) {
    if (ids.includes(one.tag)) one.close();
  }
  const stays = shown.find((one) => !ids.includes(one.tag) && one.tag !== "");
  if (stays) {
    await show({ title: stays.title, text: stays.body, id: stays.tag, time: stays.timestamp, link: stays.data.link }, true);
    return;
  }
  await show({ title: "Read", id: ids[0] }, true);
  for (const one of await self.registration.getNotifications({ tag: ids[0] })) one.close();
};

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("push", (event) => {
  const message = event.data ? read(event.data) : { title: "Something new" };
  event.waitUntil(message.retracts ? retract(message.retracts) : show(message, false));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.link));
});
