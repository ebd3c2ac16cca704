"use strict"
// Draws a trace. Everything that a page wrote goes into the document as text, never as HTML.
;(() => {
  const { header, problems, file, lanes, timeline } = JSON.parse(document.getElementById("trace").textContent)
  const { spans, pending, sequences, durationMs } = timeline
  const total = Math.max(durationMs, 1)
  const byId = (id) => document.getElementById(id)
  const canvas = byId("lanes")
  const names = Object.keys(lanes)

  const state = { from: 0, to: total, at: 0, step: 0, view: "step", find: "", hidden: new Set() }

  // -- small helpers ------------------------------------------------------------------------------

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

  const ms = (value) => {
    if (value >= 10000) return `${(value / 1000).toFixed(1)} s`
    return value >= 100 ? `${Math.round(value)} ms` : `${Math.round(value * 10) / 10} ms`
  }
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value))
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value))

  function table(heads, rows, kind = "") {
    const head = node("tr", {}, ...heads.map((each) => node("th", { scope: "col" }, each)))
    return node("table", { class: kind }, node("thead", {}, head), node("tbody", {}, ...rows))
  }

  const cell = (value, kind = "") => node("td", { class: kind }, value === null || value === undefined ? "" : value)

  function pickable(at, ...cells) {
    const show = () => moveTo(at)
    const keys = (event) => event.key === "Enter" && show()
    return node("tr", { class: "pick", tabindex: "0", onclick: show, onkeydown: keys }, ...cells)
  }

  const matches = (...texts) => !state.find || texts.join(" ").toLowerCase().includes(state.find)

  // -- steps --------------------------------------------------------------------------------------

  // A step is a sequence or one of its actions; calls outside of sequences are steps as well.
  const steps = []
  for (const span of spans) {
    const inSequence = sequences.some((each) => span.begin <= each.begin && each.end <= span.end)
    if (span.lane === "calls" && !inSequence) steps.push({ kind: "call", begin: span.begin, end: span.end, span })
  }
  for (const sequence of sequences) {
    steps.push({ kind: "sequence", begin: sequence.begin, end: sequence.end, sequence })
    for (const action of sequence.actions || [])
      steps.push({ kind: "action", begin: action.begin, end: action.end, sequence, action })
  }
  const rank = { sequence: 0, action: 1, call: 0 }
  steps.sort((a, b) => a.begin - b.begin || rank[a.kind] - rank[b.kind])

  function labelOf(fields) {
    const target = fields.selector ?? fields.url ?? fields.key ?? fields.direction ?? ""
    return `${fields.action} ${text(target)}`.trim()
  }

  function stepName(step) {
    if (step.kind === "call") return step.span.label
    if (step.kind === "action") return labelOf(step.action.fields)
    const reason = step.sequence.result ? step.sequence.result.reason : "did not end"
    return `sequence ${step.sequence.id}: ${reason}`
  }

  function stepState(step) {
    if (step.kind === "call") return step.span.state || "ok"
    if (step.kind === "action") return step.action.result || "open"
    const result = step.sequence.result
    if (!result) return "open"
    return result.failed || !result.stable ? "error" : "ok"
  }

  const SIGNS = { ok: ["✓", "good"], error: ["✗", "bad"], open: ["…", "warn"] }

  function drawSteps() {
    const list = byId("steps")
    list.replaceChildren(
      ...steps.map((step, index) => {
        const [sign, kind] = SIGNS[stepState(step)] || SIGNS.ok
        const name = stepName(step)
        const button = node(
          "button",
          { type: "button", class: step.kind, title: name, "data-step": String(index), onclick: () => select(index) },
          node("span", { class: kind, "aria-label": stepState(step) }, sign),
          node("span", { class: "name" }, name),
          node("span", { class: "ms" }, ms(step.end - step.begin)),
        )
        return button
      }),
    )
    if (!steps.length) list.append(node("p", { class: "quiet" }, "No action and no call was recorded."))
  }

  function select(index) {
    if (!steps.length) return
    state.step = clamp(index, 0, steps.length - 1)
    const step = steps[state.step]
    const end = step.kind === "sequence" ? step.sequence.waits_from ?? step.end : step.end
    moveTo(end)
    for (const button of byId("steps").children)
      if (button.dataset.step) button.setAttribute("aria-current", String(Number(button.dataset.step) === state.step))
    byId("steps").querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" })
    drawView()
  }

  const current = () => steps[state.step]
  const sequenceOf = (step) => (step && step.sequence) || null

  // -- the timeline -------------------------------------------------------------------------------

  const ROW = 14
  const GAP = 6
  const AXIS = 20
  const MAX_ROWS = 6
  let gutter = 92
  let layout = []

  // Each lane has as many rows as overlap at most, up to MAX_ROWS; rows are fixed, so that zooming moves nothing.
  function arrange() {
    let top = AXIS
    layout = []
    for (const lane of names) {
      if (state.hidden.has(lane)) continue
      const ends = []
      const placed = []
      for (const span of spans) {
        if (span.lane !== lane || !matches(span.label, JSON.stringify(span.details || {}))) continue
        let row = ends.findIndex((end) => end <= span.begin)
        if (row < 0) row = ends.length < MAX_ROWS ? ends.length : MAX_ROWS - 1
        ends[row] = Math.max(ends[row] || 0, span.end + total / 2000)
        placed.push({ span, row })
      }
      const rows = Math.max(1, ends.length)
      layout.push({ lane, top, rows, placed })
      top += rows * ROW + GAP
    }
    return top + 2
  }

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  const width = () => canvas.clientWidth - gutter
  const x = (at) => gutter + ((at - state.from) / (state.to - state.from)) * width()
  const timeAt = (pixel) => state.from + ((pixel - gutter) / width()) * (state.to - state.from)

  function drawLanes() {
    gutter = canvas.clientWidth < 600 ? 74 : 92
    const height = arrange()
    const ratio = devicePixelRatio || 1
    canvas.style.height = `${height}px`
    canvas.width = Math.round(canvas.clientWidth * ratio)
    canvas.height = Math.round(height * ratio)
    const draw = canvas.getContext("2d")
    draw.scale(ratio, ratio)
    draw.font = "11px system-ui, sans-serif"
    draw.textBaseline = "middle"
    drawAxis(draw, height)
    for (const each of layout) drawLane(draw, each)
    drawCursor(draw, height)
    byId("moment").textContent = `${ms(state.at)} of ${ms(durationMs)}`
  }

  function drawAxis(draw, height) {
    const visible = state.to - state.from
    const target = visible / Math.max(2, width() / 90)
    const power = 10 ** Math.floor(Math.log10(target))
    const tick = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= target)
    draw.strokeStyle = colour("line")
    draw.fillStyle = colour("quiet")
    for (let at = Math.ceil(state.from / tick) * tick; at <= state.to; at += tick) {
      draw.beginPath()
      draw.moveTo(Math.round(x(at)) + 0.5, AXIS - 4)
      draw.lineTo(Math.round(x(at)) + 0.5, height)
      draw.stroke()
      draw.fillText(ms(at), x(at) + 3, AXIS / 2)
    }
    const step = current()
    if (step) {
      draw.fillStyle = colour("accent")
      draw.globalAlpha = 0.08
      const left = clamp(x(step.begin), gutter, canvas.clientWidth)
      draw.fillRect(left, AXIS, Math.max(1, clamp(x(step.end), gutter, canvas.clientWidth) - left), height)
      draw.globalAlpha = 1
    }
  }

  function drawLane(draw, { lane, top, rows, placed }) {
    draw.fillStyle = colour(lane)
    for (const { span, row } of placed) {
      if (span.end < state.from || span.begin > state.to) continue
      const left = Math.max(gutter, x(span.begin))
      const right = Math.min(canvas.clientWidth, x(span.end))
      draw.fillStyle = colour(span.state === "error" ? "bad" : lane)
      draw.globalAlpha = span.state === "open" ? 0.45 : 0.85
      const y = top + row * ROW
      if (span.end === span.begin) {
        draw.beginPath()
        draw.arc(left, y + ROW / 2 - 1, 3, 0, 7)
        draw.fill()
      } else {
        draw.fillRect(left, y + 1, Math.max(1.5, right - left), ROW - 3)
      }
      if (right - left > 60) {
        draw.save()
        draw.beginPath()
        draw.rect(left, y, right - left - 4, ROW)
        draw.clip()
        draw.globalAlpha = 1
        draw.fillStyle = colour("back")
        draw.fillText(span.label, left + 4, y + ROW / 2)
        draw.restore()
      }
    }
    draw.globalAlpha = 1
    draw.fillStyle = colour("back")
    draw.fillRect(0, top - 1, gutter - 2, rows * ROW + 2)
    draw.fillStyle = colour("quiet")
    draw.fillText(lane, 6, top + ROW / 2)
  }

  function drawCursor(draw, height) {
    if (state.at < state.from || state.at > state.to) return
    draw.strokeStyle = colour("accent")
    draw.lineWidth = 1.5
    draw.beginPath()
    draw.moveTo(x(state.at), 0)
    draw.lineTo(x(state.at), height)
    draw.stroke()
    draw.lineWidth = 1
  }

  function spanAt(event) {
    const box = canvas.getBoundingClientRect()
    const [px, py] = [event.clientX - box.left, event.clientY - box.top]
    for (const { top, rows, placed } of layout) {
      if (py < top || py > top + rows * ROW) continue
      const row = Math.floor((py - top) / ROW)
      const near = placed.filter((each) => each.row === row && px >= x(each.span.begin) - 4 && px <= x(each.span.end) + 4)
      if (near.length) return near[near.length - 1].span
    }
    return null
  }

  function moveTo(at) {
    state.at = clamp(at, 0, total)
    const visible = state.to - state.from
    if (state.at < state.from || state.at > state.to) show(state.at - visible / 2, state.at + visible / 2)
    else drawLanes()
    if (state.view === "waiting" || state.view === "details") drawView()
  }

  function show(from, to) {
    const wanted = clamp(to - from, Math.min(1, total), total)
    state.from = clamp(from, 0, total - wanted)
    state.to = state.from + wanted
    drawLanes()
  }

  function zoom(factor, around = state.at) {
    const share = (around - state.from) / (state.to - state.from)
    const wanted = clamp((state.to - state.from) * factor, Math.min(1, total), total)
    show(around - share * wanted, around + (1 - share) * wanted)
  }

  const zoomToStep = () => {
    const step = current()
    if (step) show(step.begin - (step.end - step.begin) * 0.1 - 1, step.end + (step.end - step.begin) * 0.1 + 1)
  }

  // -- views --------------------------------------------------------------------------------------

  const lines = (rows) => table([], rows.map(([name, value]) => node("tr", {}, node("th", {}, name), cell(value))))

  function viewStep() {
    const step = current()
    if (!step) return [node("p", { class: "quiet" }, "No step is recorded.")]
    if (step.kind === "call") {
      const { arguments: given, error } = step.span.details || {}
      return [
        node("h2", {}, step.span.label),
        lines([
          ["took", ms(step.end - step.begin)],
          ["arguments", node("code", {}, text(given || {}))],
          ...(error ? [["error", node("span", { class: "bad" }, `${error.code}: ${error.message}`)]] : []),
        ]),
        ...verdictWithin(step),
      ]
    }
    if (step.kind === "action") {
      const { fields, result, error } = step.action
      return [
        node("h2", {}, labelOf(fields)),
        lines([
          ["result", node("span", { class: (SIGNS[result || "open"] || SIGNS.ok)[1] }, result || "did not end")],
          ...(error ? [["error", node("span", { class: "bad" }, error)]] : []),
          ["took", ms(step.end - step.begin)],
          ["action", node("code", {}, text(fields))],
        ]),
      ]
    }
    return viewSequence(step.sequence)
  }

  function viewSequence(sequence) {
    const result = sequence.result
    if (!result)
      return [
        node("h2", {}, `Sequence ${sequence.id}`),
        node("p", { class: "warn" }, "The trace ends before this sequence did."),
        node("pre", {}, JSON.stringify(sequence.planned, null, 2)),
      ]
    return [
      node("h2", {}, `Sequence ${sequence.id}`),
      lines([
        ["verdict", node("span", { class: result.stable ? "good" : "bad" }, `${result.stable ? "still" : "not still"}: ${result.reason}`)],
        ["waited", ms(result.stabilityWaitMs)],
        ["completed", `${result.completed} of ${sequence.planned.length} actions`],
        ...(result.failed ? [["failed", node("span", { class: "bad" }, result.failed.error)]] : []),
        ["options", node("code", {}, text(sequence.options || {}))],
      ]),
      ...listed("Still pending", result.pending, (row) => [row.kind, row.what, `${ms(row.ageMs)} old`, row.site]),
      ...listed("Ignored as noise", result.ignored, (row) => [row.kind, row.key, `${row.rate} per second`]),
      ...listed("Late: after the verdict before", result.late, (row) => [row.kind, row.what, `${ms(row.afterMs)} after`]),
      ...listed("Dialogs", result.dialogs, (row) => [row.type, row.message, row.accepted ? "accepted" : "dismissed"]),
      ...listed("Downloads", result.downloads, (row) => [row.state, row.suggestedFilename, row.url]),
      ...listed("Opened", result.newTargets, (row) => [row.type, row.url]),
      ...listed("Refused", result.refused, (row) => [row.kind, row.url, row.rule]),
    ]
  }

  function listed(title, rows, cells) {
    if (!rows || !rows.length) return []
    return [node("h2", {}, title), table([], rows.map((row) => node("tr", {}, ...cells(row).map((each) => cell(each)))))]
  }

  function verdictWithin(step) {
    const found = spans.find((each) => each.lane === "verdicts" && each.begin >= step.begin && each.end <= step.end + 1)
    if (!found) return []
    const verdict = found.details.verdict
    return [
      node("h2", {}, "Verdict"),
      node("p", { class: verdict.stable ? "good" : "bad" }, `${verdict.reason}, after ${ms(verdict.waitedMs)}`),
      ...listed("Still pending", verdict.pending, (row) => [row.kind, row.what, `${ms(row.ageMs)} old`, row.site]),
    ]
  }

  function viewWaiting() {
    const waiting = pending.filter((row) => row.begin <= state.at && state.at < row.end)
    const head = node("h2", {}, `What it waited for at ${ms(state.at)}`)
    const moments = node("h2", {}, "All that it waited for")
    const step = current()
    const within = pending.filter((row) => !step || (row.end >= step.begin && row.begin <= step.end))
    const row = (each) =>
      pickable(each.begin, cell(each.kind, "fix"), cell(each.what), cell(ms(each.end - each.begin), "fix"), cell(each.site || ""))
    const heads = ["kind", "what", "waited", "started by"]
    return [
      head,
      waiting.length
        ? table(heads, waiting.map(row), "wide")
        : node("p", { class: "quiet" }, waitedForNothing()),
      moments,
      within.length
        ? table(heads, within.map(row), "wide")
        : node("p", { class: "quiet" }, "No work was pending during this step."),
    ]
  }

  function waitedForNothing() {
    const inside = (lane) => spans.find((each) => each.lane === lane && each.begin <= state.at && state.at <= each.end && each.end > each.begin)
    const fence = inside("fences")
    if (fence) return `No work: it asked the page whether it is still (${fence.label}).`
    if (inside("verdicts")) return "No work: it waited for the rest of the quiet window after the last activity."
    return "Nothing: no wait was in progress."
  }

  const KINDS = ["appeared", "changed", "disappeared"]

  function changeOf(sequence) {
    return (sequence && sequence.result && sequence.result.stateChange) || null
  }

  // Where a page had not changed, the screenshot before a sequence is the one after an earlier sequence.
  function screenshotsOf(sequence) {
    const { before, after } = sequence.screenshots || {}
    const other = before && before.sameAs !== undefined && sequences.find((each) => each.id === before.sameAs)
    return { before: other ? (other.screenshots || {}).after : before, after }
  }

  function viewScreens() {
    const sequence = sequenceOf(current())
    if (!sequence) return [node("p", { class: "quiet" }, "Select a sequence to see its screenshots.")]
    const screenshots = screenshotsOf(sequence)
    if (!screenshots.before && !screenshots.after)
      return [node("p", { class: "quiet" }, "This trace has no screenshots: trace with screenshots to have them.")]
    const kinds = new Map()
    for (const kind of KINDS) for (const row of (changeOf(sequence) || {})[kind] || []) kinds.set(row.ref, [kind, row])
    return [
      node("p", { class: "legend" }, ...KINDS.map((kind) => node("span", { class: { appeared: "good", changed: "warn", disappeared: "bad" }[kind] }, kind))),
      node("div", { class: "screenshots" }, ...["before", "after"].map((when) => screenshot(sequence, when, screenshots[when], kinds))),
    ]
  }

  function screenshot(sequence, when, shot, kinds) {
    const figure = node("figure", {}, node("figcaption", {}, when))
    if (!shot || !shot.data) {
      figure.append(node("p", { class: "quiet" }, (shot && shot.error) || "no screenshot"))
      return figure
    }
    const frame = node("div", { class: "screenshot" }, node("img", { alt: `the page ${when} sequence ${sequence.id}`, src: `data:image/jpeg;base64,${shot.data}` }))
    for (const [ref, box] of Object.entries((sequence.boxes || {})[when] || {})) {
      const [kind, row] = kinds.get(ref) || ["changed", { selector: ref }]
      const mark = node("i", { class: kind, title: `${kind}: ${row.selector}`, "data-ref": ref })
      const [left, top, wide, high] = box
      mark.style.left = `${(left / shot.width) * 100}%`
      mark.style.top = `${(top / shot.height) * 100}%`
      mark.style.width = `${(wide / shot.width) * 100}%`
      mark.style.height = `${(high / shot.height) * 100}%`
      frame.append(mark)
    }
    figure.append(frame)
    return figure
  }

  function viewChanges() {
    const sequence = sequenceOf(current())
    if (!sequence || !sequence.result) return [node("p", { class: "quiet" }, "Select a sequence to see what it changed.")]
    const change = changeOf(sequence)
    if (!change) return [node("p", { class: "quiet" }, "Nothing changed."), ...pageText(sequence, {})]
    const rows = []
    for (const name of ["url", "title"])
      if (change[name]) rows.push(node("tr", {}, cell(name, "fix"), cell(""), cell(`${change[name].from} → ${change[name].to}`)))
    for (const kind of KINDS)
      for (const row of change[kind] || []) {
        if (!matches(kind, row.selector, row.name, row.text || "", row.from || "", row.to || "")) continue
        const sign = { appeared: "good", changed: "warn", disappeared: "bad" }[kind]
        const element = `${row.role || row.tagName}${row.name ? ` “${row.name}”` : ""} ${row.selector}`
        const what = kind === "changed" ? `${row.field}: ${text(row.from ?? "")} → ${text(row.to ?? "")}` : row.text
        const count = row.count > 1 ? ` (${row.count} of them)` : ""
        rows.push(node("tr", {}, cell(node("span", { class: sign }, kind), "fix"), cell(element), cell(what + count)))
      }
    const omitted = change.omitted ? Object.entries(change.omitted).filter(([, count]) => count) : []
    return [
      table(["", "element", "what"], rows),
      omitted.length ? node("p", { class: "quiet" }, `Without a row of their own: ${omitted.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`) : null,
      ...pageText(sequence, change),
    ].filter(Boolean)
  }

  function pageText(sequence, change) {
    if (!sequence.text) return []
    const kinds = new Map()
    const texts = new Map()
    for (const kind of ["appeared", "changed"])
      for (const row of change[kind] || []) {
        kinds.set(row.ref, kind)
        // Only what a user can reach has a ref in the text; the rest is found by what it says.
        for (const each of [row.text, row.to, ...(row.examples || [])]) if (each) texts.set(JSON.stringify(each), kind)
      }
    const kindOf = (each) => {
      const ref = /\[ref=(e\d+)\]/.exec(each)
      if (ref) return kinds.get(ref[1])
      const said = /"(?:[^"\\]|\\.)*"/.exec(each)
      return said && texts.get(said[0])
    }
    const block = node("pre", { id: "page-text" })
    for (const row of change.disappeared || [])
      block.append(node("span", { class: "disappeared" }, `${row.role || row.tagName} ${row.name || row.text || row.selector}`), "\n")
    for (const each of sequence.text.split("\n")) {
      const kind = kindOf(each)
      block.append(kind ? node("span", { class: kind }, each) : each, "\n")
    }
    return [node("h2", {}, "The text of the page afterwards"), block]
  }

  function viewConsole() {
    const rows = spans
      .filter((each) => each.lane === "console" && matches(each.label))
      .map((each) => {
        const details = each.details || {}
        const from = (details.message || details.error || {}).location
        const where = from ? `${from.url}:${from.line}` : ""
        const stack = details.error && details.error.stack
        return pickable(each.begin, cell(ms(each.begin), "fix"), cell(node("span", { class: each.state === "error" ? "bad" : "" }, stack || each.label)), cell(where))
      })
    return rows.length ? [table(["at", "message", "where"], rows)] : [node("p", { class: "quiet" }, "The console stayed empty.")]
  }

  function viewRequests() {
    const rows = spans
      .filter((each) => each.lane === "requests" && matches(each.label, String((each.details || {}).status || "")))
      .map((each) => {
        const { status, resourceType, error, mimeType } = each.details || {}
        const outcome = error || (status === undefined ? "no response" : String(status))
        const sign = each.state === "error" ? "bad" : each.state === "open" ? "warn" : "good"
        return pickable(each.begin, cell(node("span", { class: sign }, outcome), "fix"), cell(each.label), cell(ms(each.end - each.begin), "fix"), cell(ms(each.begin), "fix"), cell(mimeType || resourceType || ""))
      })
    return rows.length ? [table(["status", "request", "took", "at", "type"], rows, "wide")] : [node("p", { class: "quiet" }, "No request.")]
  }

  const VIEWS = { step: ["Step", viewStep], waiting: ["Waiting", viewWaiting], screens: ["Screens", viewScreens], changes: ["Changes", viewChanges], console: ["Console", viewConsole], requests: ["Requests", viewRequests] }

  function drawView() {
    byId("view").replaceChildren(...VIEWS[state.view][1]())
    for (const tab of byId("tabs").children) {
      const chosen = tab.dataset.view === state.view
      tab.setAttribute("aria-selected", String(chosen))
      tab.tabIndex = chosen ? 0 : -1
    }
  }

  function choose(view) {
    state.view = view
    drawView()
  }

  // -- beginning ----------------------------------------------------------------------------------

  function drawHeader() {
    const facts = [
      ["file", file],
      ["page", header.url || "about:blank"],
      ["browser", header.browser],
      ["began", new Date(header.startedAt).toISOString().replace("T", " ").slice(0, 19) + " UTC"],
      ["took", ms(durationMs)],
      ["sequences", String(sequences.length)],
    ]
    byId("about").append(...facts.map(([name, value]) => node("div", {}, node("dt", {}, name), node("dd", {}, value))))
    document.title = `Trace · ${file}`
    byId("problems").append(...problems.map((each) => node("li", {}, each)))
    byId("problems").hidden = !problems.length
  }

  function drawControls() {
    for (const [view, [name]] of Object.entries(VIEWS))
      byId("tabs").append(node("button", { type: "button", role: "tab", "data-view": view, onclick: () => choose(view) }, name))
    for (const lane of names) {
      const swatch = node("i")
      swatch.style.background = `var(--${lane})`
      const box = node("input", { type: "checkbox", checked: true, value: lane })
      box.addEventListener("change", () => {
        box.checked ? state.hidden.delete(lane) : state.hidden.add(lane)
        drawLanes()
      })
      byId("lane-filter").append(node("label", { title: lanes[lane] }, box, swatch, lane))
    }
    const deeds = { in: () => zoom(0.5), out: () => zoom(2), fit: () => show(0, total), step: zoomToStep }
    for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", deeds[button.dataset.do])
    byId("find").addEventListener("input", (event) => {
      state.find = event.target.value.trim().toLowerCase()
      drawLanes()
      drawView()
    })
  }

  function listen() {
    canvas.addEventListener("click", (event) => {
      const span = spanAt(event)
      moveTo(span ? span.begin : timeAt(event.clientX - canvas.getBoundingClientRect().left))
      if (!span) return
      const index = steps.findIndex((step) => step.begin <= span.begin && span.begin <= step.end && step.kind !== "sequence")
      if (["actions", "calls"].includes(span.lane) && index >= 0) select(index)
    })
    canvas.addEventListener("dblclick", (event) => {
      const span = spanAt(event)
      if (span && span.end > span.begin) show(span.begin - (span.end - span.begin) * 0.2, span.end + (span.end - span.begin) * 0.2)
    })
    canvas.addEventListener("mousemove", (event) => {
      const span = spanAt(event)
      byId("hover").textContent = span ? `${span.lane} · ${ms(span.begin)}${span.end > span.begin ? ` · took ${ms(span.end - span.begin)}` : ""} · ${span.label}` : ""
    })
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaY) > Math.abs(event.deltaX)) return
        event.preventDefault()
        if (event.ctrlKey || event.metaKey) zoom(1.002 ** event.deltaY, timeAt(event.clientX - canvas.getBoundingClientRect().left))
        else {
          const by = (event.deltaX / width()) * (state.to - state.from)
          show(state.from + by, state.to + by)
        }
      },
      { passive: false },
    )
    document.addEventListener("keydown", key)
    addEventListener("resize", drawLanes)
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawLanes)
  }

  const KEYS = {
    j: () => select(state.step + 1),
    k: () => select(state.step - 1),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => show(0, total),
    z: zoomToStep,
    ArrowLeft: () => moveTo(state.at - (state.to - state.from) / 100),
    ArrowRight: () => moveTo(state.at + (state.to - state.from) / 100),
    "/": () => byId("find").focus(),
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.tagName === "INPUT" && event.target.type === "search") {
      if (event.key === "Escape") event.target.blur()
      return
    }
    const view = Object.keys(VIEWS)[Number(event.key) - 1]
    const deed = view && !KEYS[event.key] ? () => choose(view) : KEYS[event.key]
    if (!deed) return
    event.preventDefault()
    deed()
  }

  drawHeader()
  drawControls()
  listen()
  drawSteps()
  drawLanes()
  drawView()
  const failed = steps.findIndex((step) => stepState(step) === "error")
  select(failed >= 0 ? failed : 0)
})()
