"use strict";

const $ = (selector) => document.querySelector(selector);

// A clock with tenths: change with an origin of its own, which no action caused.
function tick(clock) {
  const now = new Date();
  clock.textContent = now.toTimeString().slice(0, 8) + "." + Math.floor(now.getMilliseconds() / 100);
}
if ($("#clock")) setInterval(tick, 100, $("#clock"));

async function ask(name, fields) {
  const response = await fetch("/api/" + name, { method: "POST", body: JSON.stringify(fields) });
  return { ok: response.ok, ...(await response.json()) };
}

function spin(after) {
  const spinner = Object.assign(document.createElement("div"), { className: "spinner" });
  spinner.setAttribute("role", "progressbar");
  spinner.setAttribute("aria-label", "Loading");
  after.append(spinner);
  return spinner;
}

function say(id, kind, text, place) {
  $("#" + id)?.remove();
  const message = Object.assign(document.createElement("p"), { id, className: "message " + kind, textContent: text });
  message.setAttribute("role", kind === "bad" ? "alert" : "status");
  place(message);
}

$("#login-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const spinner = spin(form);
  const reply = await ask("login", Object.fromEntries(new FormData(form)));
  spinner.remove();
  if (!reply.ok) return say("login-error", "bad", reply.message, (p) => $("#pass").after(p));
  setTimeout(() => showShop(reply.lamps), Number(document.body.dataset.renderDelay));
});

function showShop(lamps) {
  history.pushState({}, "", "/shop");
  document.title = "Lamps · Wick & Co.";
  const welcome = Object.assign(document.createElement("h1"), { id: "welcome", textContent: "Welcome back!" });
  const list = Object.assign(document.createElement("ul"), { id: "lamps", innerHTML: lamps });
  $("#main").replaceChildren(welcome, list);
  // What a benchmark measures against: the moment the change that the login causes is in the document.
  performance.mark("welcome");
}

$("#join-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const email = $("#email");
  const reply = await ask("join", { email: email.value });
  email.className = reply.ok ? "input" : "input error";
  say("email-message", reply.ok ? "good" : "bad", reply.message, (p) => email.after(p));
});

$("#main").addEventListener("click", async (event) => {
  const button = event.target.closest(".add");
  if (!button) return;
  const spinner = spin(button.parentElement);
  const reply = await ask("cart", { id: button.dataset.id });
  spinner.remove();
  if (reply.ok) $("#cart-count").textContent = Number($("#cart-count").textContent) + 1;
  say("cart-status", reply.ok ? "good" : "bad", reply.message, (p) => $("#main").append(p));
});
