// The views of the selected step: what it did, what it waited for, what it changed, and what happened meanwhile.

const KINDS = { appeared: "good", changed: "warn", disappeared: "bad" }
const MAX_TABLE = 1000

const lines = (rows) => table([], rows.map(([name, value]) => node("tr", {}, node("th", { scope: "row" }, name), cell(value))))
const toned = (kind, said) => node("span", { class: kind }, said)

function listed(title, rows, cells) {
  if (!rows || !rows.length) return []
  const row = ([first, ...others]) => node("tr", {}, cell(first, others.length ? "fix" : ""), ...others.map((each) => cell(each)))
  return [node("h2", {}, title), table([], rows.map((each) => row(cells(each))))]
}

// A row that moves the cursor to its moment.
function pickable(at, ...cells) {
  const show = () => moveTo(at)
  const keys = (event) => event.key === "Enter" && show()
  return node("tr", { class: "pick", tabindex: "0", onclick: show, onkeydown: keys }, ...cells)
}

// -- the step -------------------------------------------------------------------------------------

function viewStep() {
  const step = current()
  if (!step) return [quiet("No step is recorded.")]
  return { call: viewCall, action: viewAction, sequence: viewSequence }[step.kind](step)
}

function viewCall(step) {
  const { arguments: given, error } = step.span.details || {}
  return [
    node("h2", {}, step.span.label),
    lines([
      ["took", ms(step.end - step.begin)],
      ["arguments", node("code", {}, text(given || {}))],
      ...(error ? [["error", toned("bad", `${error.code}: ${error.message}`)]] : []),
    ]),
    ...verdictWithin(step),
  ]
}

function verdictWithin(step) {
  const found = spans.find((each) => each.lane === "verdicts" && each.begin >= step.begin && each.end <= step.end + 1)
  const verdict = found && found.details && found.details.verdict
  if (!verdict) return []
  return [
    node("h2", {}, "Verdict"),
    node("p", { class: verdict.stable ? "good" : "bad" }, `${found.label}, after ${ms(verdict.waitedMs)}`),
    ...stillPending(verdict.pending),
  ]
}

const stillPending = (rows) =>
  listed("Still pending", rows, (row) => [row.kind, row.what, `${ms(row.ageMs)} old`, row.site])

function viewAction(step) {
  const { fields, error } = step.action
  const [, kind, word] = signOf(step)
  return [
    node("h2", {}, actionName(fields)),
    lines([
      ["result", toned(kind, word)],
      ...(error ? [["error", toned("bad", error)]] : []),
      ["took", ms(step.end - step.begin)],
      ["action", node("code", {}, text(fields))],
    ]),
  ]
}

function viewSequence({ sequence }) {
  const { result, planned } = sequence
  const title = node("h2", {}, `Sequence ${sequence.id}`)
  const notRun = listed("Not run", planned.slice((sequence.actions || []).length), (each) => [actionName(each)])
  if (!result) return [title, node("p", { class: "warn" }, "The trace ends before this sequence did."), ...notRun]
  return [
    title,
    lines([
      ["verdict", toned(result.stable ? "good" : "bad", `${result.stable ? "still" : "not still"}: ${sequence.outcome}`)],
      ["waited", ms(result.stabilityWaitMs)],
      ["completed", `${result.completed} of ${planned.length} actions`],
      ...(result.failed ? [["failed", toned("bad", result.failed.error)]] : []),
      ["options", node("code", {}, text(sequence.options || {}))],
    ]),
    ...notRun,
    ...stillPending(result.pending),
    ...listed("Ignored as noise", result.ignored, (row) => [row.kind, row.key, `${row.rate} per second`]),
    ...listed("Late: after the verdict before", result.late, (row) => [row.kind, row.what, `${ms(row.afterMs)} after`]),
    ...listed("Dialogs", result.dialogs, (row) => [row.type, row.message, row.accepted ? "accepted" : "dismissed"]),
    ...listed("Downloads", result.downloads, (row) => [row.state, row.suggestedFilename, row.url]),
    ...listed("Opened", result.newTargets, (row) => [row.type, row.url]),
    ...listed("Refused", result.refused, (row) => [row.kind, row.url, row.rule]),
  ]
}

// -- what it waited for ---------------------------------------------------------------------------

function viewWaiting() {
  const now = pending.filter((row) => row.begin <= state.at && state.at < row.end)
  const within = pending.filter((row) => isWithin(current(), row))
  return [
    node("h2", {}, `What it waited for at ${ms(state.at)}`),
    now.length ? pendingTable(now) : quiet(waitedForNothing()),
    node("h2", {}, "All that it waited for"),
    within.length ? pendingTable(within) : quiet("No work was pending during this step."),
  ]
}

function pendingTable(works) {
  const rows = works.map((each) =>
    pickable(each.begin, cell(each.kind, "fix"), cell(each.what), cell(ms(each.end - each.begin), "fix"), cell(each.site || "")),
  )
  return table(["kind", "what", "waited", "started by"], rows, "wide")
}

function waitedForNothing() {
  const inside = (lane) =>
    spans.find((each) => each.lane === lane && each.begin <= state.at && state.at <= each.end && each.end > each.begin)
  const fence = inside("fences")
  if (fence) return `No work: it asked the page whether it is still (${fence.label}).`
  if (inside("verdicts")) return "No work: it waited for the rest of the quiet window after the last activity."
  return "Nothing: no wait was in progress."
}

// -- screenshots ----------------------------------------------------------------------------------

const changeOf = (sequence) => (sequence && sequence.result && sequence.result.stateChange) || null

// Where a page had not changed, the screenshot before a sequence is the one after an earlier sequence.
function screenshotsOf(sequence) {
  const { before, after } = sequence.screenshots || {}
  const other = before && before.sameAs !== undefined && sequences.find((each) => each.id === before.sameAs)
  return { before: other ? (other.screenshots || {}).after : before, after }
}

function viewScreens() {
  const sequence = sequenceOf(current())
  if (!sequence) return [quiet("Select a sequence to see its screenshots.")]
  const screenshots = screenshotsOf(sequence)
  if (!screenshots.before && !screenshots.after)
    return [quiet("This sequence has no screenshots: trace with screenshots to have them.")]
  const rows = new Map()
  for (const kind of Object.keys(KINDS)) for (const row of (changeOf(sequence) || {})[kind] || []) rows.set(row.ref, [kind, row])
  const figures = node("div", { class: "screenshots" }, ...["before", "after"].map((when) => figure(sequence, when, screenshots[when], rows)))
  const enlarge = (event) => event.target.setAttribute("aria-pressed", String(figures.classList.toggle("large")))
  return [
    node(
      "p",
      { class: "legend" },
      ...Object.entries(KINDS).map(([kind, tone]) => toned(tone, kind)),
      node("button", { type: "button", "aria-pressed": "false", onclick: enlarge }, "Large"),
    ),
    figures,
  ]
}

function figure(sequence, when, taken, rows) {
  const made = node("figure", {}, node("figcaption", {}, when))
  if (!taken || !taken.data) {
    made.append(quiet((taken && taken.error) || "no screenshot"))
    return made
  }
  const image = node("img", { alt: `the page ${when} sequence ${sequence.id}`, src: `data:image/jpeg;base64,${taken.data}` })
  const frame = node("div", { class: "screenshot" }, image)
  for (const [ref, box] of Object.entries((sequence.boxes || {})[when] || {})) {
    const [kind, row] = rows.get(ref) || ["changed", { selector: ref }]
    frame.append(outline(box, taken, { class: kind, title: `${kind}: ${row.selector}`, "data-ref": ref }))
  }
  made.append(frame)
  return made
}

function outline([left, top, wide, high], taken, properties) {
  const mark = node("i", properties)
  mark.style.left = `${(left / taken.width) * 100}%`
  mark.style.top = `${(top / taken.height) * 100}%`
  mark.style.width = `${(wide / taken.width) * 100}%`
  mark.style.height = `${(high / taken.height) * 100}%`
  return mark
}

// -- changes --------------------------------------------------------------------------------------

function viewChanges() {
  const sequence = sequenceOf(current())
  if (!sequence || !sequence.result) return [quiet("Select a sequence to see what it changed.")]
  const change = changeOf(sequence)
  if (!change) return [quiet("Nothing changed."), ...pageText(sequence, {})]
  const omitted = Object.entries(change.omitted || {}).filter(([, count]) => count)
  return [
    table(["", "element", "what"], changeRows(change)),
    ...(omitted.length ? [quiet(`Without a row of their own: ${omitted.map(([kind, count]) => `${count} ${kind}`).join(", ")}.`)] : []),
    ...pageText(sequence, change),
  ]
}

function changeRows(change) {
  const rows = []
  for (const name of ["url", "title"])
    if (change[name]) rows.push(node("tr", {}, cell(name, "fix"), cell(""), cell(`${change[name].from} → ${change[name].to}`)))
  for (const kind of Object.keys(KINDS))
    for (const row of change[kind] || []) {
      if (!matches(kind, row.selector, row.name, row.text || "", row.from || "", row.to || "")) continue
      const element = `${row.role || row.tagName}${row.name ? ` “${row.name}”` : ""} ${row.selector}`
      const what = kind === "changed" ? `${row.field}: ${text(row.from ?? "")} → ${text(row.to ?? "")}` : row.text
      const count = row.count > 1 ? ` (${row.count} of them)` : ""
      rows.push(node("tr", {}, cell(toned(KINDS[kind], kind), "fix"), cell(element), cell(what + count)))
    }
  return rows
}

function pageText(sequence, change) {
  if (!sequence.text) return []
  const kindOf = kindsInText(change)
  const block = node("pre", { id: "page-text" })
  for (const row of change.disappeared || [])
    block.append(toned("disappeared", `${row.role || row.tagName} ${row.name || row.text || row.selector}`), "\n")
  for (const each of sequence.text.split("\n")) {
    const kind = kindOf(each)
    block.append(kind ? toned(kind, each) : each, "\n")
  }
  return [node("h2", {}, "The text of the page afterwards"), block]
}

// Only what a user can reach has a ref in the text; the rest is found by what it says.
function kindsInText(change) {
  const kinds = new Map()
  const texts = new Map()
  for (const kind of ["appeared", "changed"])
    for (const row of change[kind] || []) {
      kinds.set(row.ref, kind)
      for (const each of [row.text, row.to, ...(row.examples || [])]) if (each) texts.set(JSON.stringify(each), kind)
    }
  return (line) => {
    const ref = /\[ref=(e\d+)\]/.exec(line)
    if (ref) return kinds.get(ref[1])
    const said = /"(?:[^"\\]|\\.)*"/.exec(line)
    return said && texts.get(said[0])
  }
}

// -- console and requests -------------------------------------------------------------------------

function inLane(lane, heads, none, rowOf, textsOf) {
  const step = state.stepOnly ? current() : null
  const found = spans.filter((each) => each.lane === lane && isWithin(step, each) && matches(each.label, ...textsOf(each)))
  const box = node("input", { type: "checkbox", checked: state.stepOnly, onchange: toggleStepOnly })
  const more = found.length - MAX_TABLE
  return [
    node("label", { class: "only" }, box, "Only during the selected step"),
    found.length ? table(heads, found.slice(0, MAX_TABLE).map(rowOf), "wide") : quiet(none),
    ...(more > 0 ? [quiet(`And ${more} more: search for them, or show those of one step.`)] : []),
  ]
}

function toggleStepOnly() {
  state.stepOnly = !state.stepOnly
  drawView()
  document.querySelector(".only input").focus()
}

function viewConsole() {
  return inLane("console", ["at", "message", "where"], "The console stayed empty.", consoleRow, () => [])
}

function consoleRow(span) {
  const { message, error } = span.details || {}
  const from = (message || error || {}).location
  const tone = span.state === "error" ? "bad" : message && message.type === "warning" ? "warn" : ""
  return pickable(
    span.begin,
    cell(ms(span.begin), "fix"),
    cell(toned(tone, (error && error.stack) || span.label)),
    cell(from ? `${from.url}:${from.line}` : ""),
  )
}

function viewRequests() {
  const status = (span) => [String((span.details || {}).status || ""), (span.details || {}).error || ""]
  return inLane("requests", ["status", "request", "took", "at", "type"], "No request.", requestRow, status)
}

function requestRow(span) {
  const { status, resourceType, error, mimeType } = span.details || {}
  const tone = span.state === "error" ? "bad" : span.state === "open" ? "warn" : "good"
  return pickable(
    span.begin,
    cell(toned(tone, error ? "failed" : status === undefined ? "none yet" : String(status)), "fix"),
    cell(error ? `${span.label}: ${error}` : span.label),
    cell(ms(span.end - span.begin), "fix"),
    cell(ms(span.begin), "fix"),
    cell(mimeType || resourceType || ""),
  )
}

const VIEWS = {
  step: ["Step", viewStep],
  waiting: ["Waiting", viewWaiting],
  screens: ["Screens", viewScreens],
  changes: ["Changes", viewChanges],
  console: ["Console", viewConsole],
  requests: ["Requests", viewRequests],
}

function drawView() {
  byId("view").replaceChildren(...VIEWS[state.view][1]())
  byId("view").setAttribute("aria-labelledby", `tab-${state.view}`)
  for (const tab of byId("tabs").children) {
    const chosen = tab.dataset.view === state.view
    tab.setAttribute("aria-selected", String(chosen))
    tab.tabIndex = chosen ? 0 : -1
  }
}

function choose(view, focus = false) {
  state.view = view
  drawView()
  if (focus) byId(`tab-${view}`).focus()
}
