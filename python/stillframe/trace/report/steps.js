// What every part of the report uses: the trace, its steps, and how to make elements. Everything that a page wrote goes
// into the document as text, never as HTML.

const { header, problems, file, lanes, timeline } = JSON.parse(document.getElementById("trace").textContent)
const { spans, pending, sequences, durationMs } = timeline
const total = Math.max(durationMs, 1)

const state = { from: 0, to: total, at: 0, step: 0, view: "step", find: "", stepOnly: false, hidden: new Set() }

// -- elements -------------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id)

function node(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (name in made && typeof value !== "string") made[name] = value
    else made.setAttribute(name, value)
  }
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== ""))
  return made
}

const quiet = (said) => node("p", { class: "quiet" }, said)
const cell = (value, kind = "") => node("td", { class: kind }, value === null || value === undefined ? "" : value)

function table(heads, rows, kind = "") {
  const head = heads.length ? node("thead", {}, node("tr", {}, ...heads.map((each) => node("th", { scope: "col" }, each)))) : null
  return node("table", { class: kind }, head, node("tbody", {}, ...rows))
}

// -- words ----------------------------------------------------------------------------------------

function ms(value) {
  if (value >= 10000) return `${(value / 1000).toFixed(1)} s`
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`
  return value >= 100 ? `${Math.round(value)} ms` : `${Math.round(value * 10) / 10} ms`
}

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value))
const clamp = (value, low, high) => Math.min(high, Math.max(low, value))

const matches = (...texts) => !state.find || texts.join(" ").toLowerCase().includes(state.find)

// -- steps ----------------------------------------------------------------------------------------

// A step is a sequence or one of its actions; calls outside of sequences are steps as well.
function stepsOf() {
  const found = []
  for (const span of spans) {
    const holdsSequence = sequences.some((each) => span.begin <= each.begin && each.end <= span.end)
    if (span.lane === "calls" && !holdsSequence) found.push({ kind: "call", begin: span.begin, end: span.end, span })
  }
  for (const sequence of sequences) {
    found.push({ kind: "sequence", begin: sequence.begin, end: sequence.end, sequence })
    for (const action of sequence.actions || [])
      found.push({ kind: "action", begin: action.begin, end: action.end, sequence, action })
  }
  const rank = { sequence: 0, action: 1, call: 0 }
  return found.sort((a, b) => a.begin - b.begin || rank[a.kind] - rank[b.kind])
}

const steps = stepsOf()
const current = () => steps[state.step]
const sequenceOf = (step) => (step && step.sequence) || null
const isWithin = (step, each) => !step || (each.end >= step.begin && each.begin <= step.end)

function actionName(fields) {
  const target = fields.selector ?? fields.url ?? fields.key ?? fields.direction ?? ""
  return `${fields.action} ${text(target)}`.trim()
}

function stepName(step) {
  if (step.kind === "call") return step.span.label
  if (step.kind === "action") return actionName(step.action.fields)
  return `sequence ${step.sequence.id}: ${step.sequence.outcome || "did not end"}`
}

function stepState(step) {
  if (step.kind === "call") return step.span.state || "ok"
  if (step.kind === "action") return step.action.result || "open"
  const result = step.sequence.result
  if (!result) return "open"
  return result.failed || !result.stable ? "error" : "ok"
}

const SIGNS = { ok: ["✓", "good", "done"], error: ["✗", "bad", "failed"], open: ["…", "warn", "did not end"] }
const signOf = (step) => SIGNS[stepState(step)] || SIGNS.ok

function drawSteps() {
  const buttons = steps.map((step, index) => {
    const [sign, kind, word] = signOf(step)
    const name = stepName(step)
    return node(
      "button",
      { type: "button", class: step.kind, title: name, "data-step": String(index), tabIndex: -1, onclick: () => select(index) },
      node("span", { class: kind, role: "img", "aria-label": word }, sign),
      node("span", { class: "name" }, name),
      node("span", { class: "ms" }, ms(step.end - step.begin)),
    )
  })
  byId("steps").replaceChildren(...buttons)
  if (!steps.length) byId("steps").append(quiet("No action and no call was recorded."))
}

function select(index, focus = false) {
  if (!steps.length) return
  byId("steps").children[state.step].removeAttribute("aria-current")
  byId("steps").children[state.step].tabIndex = -1
  state.step = clamp(index, 0, steps.length - 1)
  const button = byId("steps").children[state.step]
  button.setAttribute("aria-current", "true")
  button.tabIndex = 0
  button.scrollIntoView({ block: "nearest" })
  if (focus) button.focus()
  const step = current()
  moveTo(step.kind === "sequence" ? step.sequence.waits_from ?? step.end : step.end)
  drawView()
}

function selectNextFailure() {
  const ahead = steps.map((_, by) => (state.step + 1 + by) % steps.length)
  const failed = ahead.find((index) => stepState(steps[index]) === "error")
  if (failed !== undefined) select(failed)
}
