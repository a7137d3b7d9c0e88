// Reading without a network, as far as a page has a part in it: it registers the worker (offline-worker.js), has it look for
// what to keep, and says how it stands.
"use strict";
(() => {
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return;
  const { worker } = document.currentScript.dataset; // none on pages for people that are not signed in
  const $ = (selector) => document.querySelector(selector);
  const policy = window.trustedTypes
    ? trustedTypes.createPolicy("tidings-offline", {
        createScriptURL: (path) => {
          if (!path.startsWith("/assets/offline-worker.js?")) throw new TypeError("not this page's worker");
          return path;
        },
      })
    : { createScriptURL: (path) => path };
  const texts = JSON.parse(document.body.dataset.texts || "{}"); // in the page's language, by those of English
  const t = (text) => texts[text] ?? text;
  const numerals = new Intl.PluralRules(document.documentElement.lang || "en");
  const plural = (n, one, many) => `${n} ${texts[`${one}|${many}`]?.[numerals.select(n)] ?? (n === 1 ? one : many)}`;
  const setting = {
    get off() { try { return localStorage.getItem("tidings-offline") === "off"; } catch { return false; } },
    set off(on) { try { localStorage.setItem("tidings-offline", on ? "off" : "on"); } catch { /* then it is as before on the next page */ } },
  };

  // --- Marks that were made since what is kept was rendered ---

  const kept = $("#kept[data-marks]");
  if (kept) document.dispatchEvent(new CustomEvent("tidings-marks", { detail: JSON.parse(kept.dataset.marks) }));
  $("[data-again]")?.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });

  // --- How it stands ---

  let bar = null;
  const show = (text) => {
    if (!bar) {
      bar = document.createElement("p");
      bar.className = "offline-bar";
      bar.setAttribute("role", "status");
      document.body.append(bar);
    }
    bar.textContent = text;
    bar.hidden = text === "";
  };
  const place = $("[data-offline]");
  let ending = false; // what is kept is being removed: until it is, nothing is said of it
  const tell = ({ articles, waiting, problem }) => {
    if (!place || ending) return;
    const state = $("[data-offline] [role=status]");
    if (problem) state.textContent = `${t("Articles could not be kept.")} ${problem}`;
    else if (setting.off) state.textContent = t("Off: this browser keeps nothing.");
    else state.textContent = `${plural(articles, "article is here", "articles are here")}${waiting ? `, ${plural(waiting, "mark waits", "marks wait")}` : ""}.`;
    $("[data-offline] button").textContent = setting.off ? t("Keep articles in this browser") : t("Keep none");
  };

  const send = async (message) => {
    const registration = await navigator.serviceWorker.ready;
    const channel = new MessageChannel();
    const answer = new Promise((resolve) => { channel.port1.onmessage = ({ data }) => resolve(data); });
    registration.active.postMessage(message, [channel.port2]);
    return answer;
  };
  const begin = async (now = false) => {
    await navigator.serviceWorker.register(policy.createScriptURL(worker), { scope: "/" });
    tell(await send({ do: "renew", now }));
  };
  const end = async () => {
    const registration = await navigator.serviceWorker.getRegistration("/");
    if (!registration) return;
    await send({ do: "remove" });
    await registration.unregister();
  };

  if (!worker) { // nobody is signed in
    navigator.serviceWorker.getRegistration("/").then((registration) => registration?.active?.postMessage({ do: "nobody" }));
    return;
  }
  if (place) {
    place.hidden = false;
    $("[data-offline] button").addEventListener("click", async () => {
      setting.off = !setting.off;
      ending = setting.off;
      await (setting.off ? end().finally(() => { ending = false; }) : begin(true));
      if (setting.off) tell({});
    });
    if (setting.off) tell({});
  }
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.sent) show(`${plural(data.sent, "mark was sent", "marks were sent")}.`);
    if (data.waiting) show(`${t("No network")}: ${plural(data.waiting, "mark waits", "marks wait")}.`);
    if (data.articles !== undefined) tell({ ...data, waiting: 0 });
  });
  if (setting.off) return;
  addEventListener("offline", () => show(t("No network. What you mark or star is sent later.")));
  addEventListener("online", () => { show(""); begin().catch(() => {}); });
  // The page is whole without it, and comes first.
  const first = () => { begin().catch(() => {}); };
  if (document.readyState === "complete") first();
  else addEventListener("load", first, { once: true });
})();
