// The browser's half of passkeys, at the sign-in page and in Settings. What it works on is hidden until it has found that
// the browser has passkeys: without it, passwords do.
//
//   sign-in  asks for a challenge, has a passkey sign it, and sends the signature.
//   add      sends the password, or a signature by another passkey, for a challenge; has a passkey made for it; and sends that.
//
// Byte strings travel as base64url. What the server refuses it says in a sentence, which is shown as text.
"use strict";
(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) {
    const without = document.querySelector("[data-passkey-without]");
    if (without) without.hidden = false;
    return;
  }
  const texts = JSON.parse(document.body.dataset.texts || "{}"); // in the page's language, by those of English
  const t = (text) => texts[text] ?? text;
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  class Refusal extends Error {}
  const post = async (path, body = {}) => {
    const answer = await fetch(path, {
      method: "POST", body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", "X-Requested-With": "tidings" },
    });
    const result = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refusal(result.error || t("That did not work. Try again."));
    return result;
  };

  const common = (credential) => ({
    id: credential.id, rawId: text(credential.rawId), type: credential.type, clientExtensionResults: {},
  });
  const sign = async ({ publicKey }) => {
    const credential = await navigator.credentials.get({ publicKey: { ...publicKey, challenge: bytes(publicKey.challenge) } });
    const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
    return { ...common(credential), response: {
      clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature),
      userHandle: userHandle ? text(userHandle) : "",
    } };
  };
  const make = async ({ publicKey }) => {
    const credential = await navigator.credentials.create({ publicKey: {
      ...publicKey, challenge: bytes(publicKey.challenge), user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: (publicKey.excludeCredentials || []).map((known) => ({ ...known, id: bytes(known.id) })),
    } });
    const { clientDataJSON, attestationObject } = credential.response;
    return { ...common(credential), response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject) } };
  };

  const why = (error) => {
    if (error instanceof Refusal) return error.message;
    switch (error.name) {
      case "NotAllowedError": return t("No passkey was used: that was cancelled, or took too long.");
      case "InvalidStateError": return t("That device has a passkey for you already.");
      case "SecurityError": return t("The browser allows no passkeys at this address.");
      case "NotSupportedError": return t("The browser or the device cannot make such a passkey.");
    }
    return t("That did not work. Try again.");
  };
  // attempt does something once at a time, and shows in part why it failed.
  const attempt = async (part, action) => {
    const problem = part.querySelector("[role=alert]");
    const buttons = part.querySelectorAll("button");
    problem.hidden = true;
    for (const button of buttons) button.disabled = true;
    try {
      await action();
    } catch (error) {
      problem.textContent = why(error);
      problem.hidden = false;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };

  const signIn = document.querySelector("[data-passkey=sign-in]");
  if (signIn) {
    signIn.hidden = false;
    signIn.querySelector("button").addEventListener("click", () => attempt(signIn, async () => {
      await post("/login/passkey", await sign(await post("/login/passkey/options")));
      location.assign(signIn.dataset.next);
    }));
  }

  const add = document.querySelector("[data-passkey=add]");
  if (add) {
    add.hidden = false;
    const { name, password } = add.elements;
    const finish = async (confirmation) => {
      const credential = await make(await post("/settings/passkeys/options", confirmation));
      await post("/settings/passkeys", { name: name.value, credential });
      location.assign("/settings?said=passkey");
    };
    add.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(add, () => finish({ password: password.value }));
    });
    add.querySelector("[data-confirm]")?.addEventListener("click", () => attempt(add, async () => {
      await finish({ passkey: await sign(await post("/settings/passkeys/confirm")) });
    }));
  }
})();
