// The header, the controls, and what mouse, touch and keyboard do; then the first drawing.

function drawHeader() {
  const first = spans.find((each) => each.lane === "documents")
  const failed = sequences.filter((sequence) => stepState({ sequence }) === "error").length
  const blank = !header.url || header.url === "about:blank"
  const facts = [
    ["file", file],
    ["page", blank && first ? first.label : header.url || "about:blank"],
    ["browser", header.browser],
    ["began", new Date(header.startedAt).toISOString().replace("T", " ").slice(0, 19) + " UTC"],
    ["took", ms(durationMs)],
    ["sequences", failed ? `${sequences.length}, ${failed} failed` : String(sequences.length)],
  ]
  byId("about").append(...facts.map(([name, value]) => node("div", {}, node("dt", {}, name), node("dd", {}, value))))
  document.title = `Trace · ${file}`
  byId("problems").append(...problems.map((each) => node("li", {}, each)))
  byId("problems").hidden = !problems.length
}

function drawControls() {
  for (const [view, [name]] of Object.entries(VIEWS)) {
    const properties = { type: "button", role: "tab", id: `tab-${view}`, "data-view": view, "aria-controls": "view" }
    byId("tabs").append(node("button", { ...properties, onclick: () => choose(view) }, name))
  }
  for (const lane of names) byId("lane-filter").append(laneFilter(lane))
  const deeds = { in: () => zoom(0.5), out: () => zoom(2), fit: () => show(0, total), step: zoomToStep, fail: selectNextFailure }
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", deeds[button.dataset.do])
  byId("find").addEventListener("input", (event) => {
    state.find = event.target.value.trim().toLowerCase()
    arrangeAgain()
    drawView()
  })
  canvas.setAttribute("aria-valuemax", String(Math.round(total)))
}

function laneFilter(lane) {
  const box = node("input", { type: "checkbox", checked: true, value: lane })
  box.addEventListener("change", () => {
    box.checked ? state.hidden.delete(lane) : state.hidden.add(lane)
    arrangeAgain()
  })
  const swatch = node("i")
  swatch.style.background = `var(--${lane})`
  return node("label", { title: lanes[lane] }, box, swatch, lane)
}

// -- mouse and touch ------------------------------------------------------------------------------

const DRAG = 4 // pixels from which on a press is a drag

function listenToPointer() {
  let pressedAt = null
  let dragged = false
  canvas.addEventListener("pointerdown", (event) => {
    pressedAt = event.clientX
    dragged = false
  })
  canvas.addEventListener("pointermove", (event) => {
    const span = spanAt(event)
    byId("hover").textContent = span ? describe(span) : ""
    if (pressedAt === null) return
    const by = event.clientX - pressedAt
    if (!dragged && Math.abs(by) < DRAG) return
    if (!dragged) canvas.setPointerCapture(event.pointerId)
    dragged = true
    pressedAt = event.clientX
    moveWindow((-by / width()) * (state.to - state.from))
  })
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (pressedAt = null))
  canvas.addEventListener("click", (event) => dragged || pick(event))
  canvas.addEventListener("dblclick", (event) => {
    const span = spanAt(event)
    if (span && span.end > span.begin) zoomTo(span)
  })
  canvas.addEventListener("wheel", turnWheel, { passive: false })
}

function pick(event) {
  const span = spanAt(event)
  const index = span ? steps.findIndex((step) => step.kind !== "sequence" && step.begin <= span.begin && span.begin <= step.end) : -1
  if (span && ["actions", "calls"].includes(span.lane) && index >= 0) select(index)
  moveTo(span ? span.begin : timeAt(event.clientX))
}

function turnWheel(event) {
  const zooms = event.ctrlKey || event.metaKey
  if (!zooms && Math.abs(event.deltaY) > Math.abs(event.deltaX)) return
  event.preventDefault()
  if (zooms) zoom(1.002 ** event.deltaY, timeAt(event.clientX))
  else moveWindow((event.deltaX / width()) * (state.to - state.from))
}

// -- keyboard -------------------------------------------------------------------------------------

const part = () => (state.to - state.from) / 100

function turnTab(by) {
  const all = Object.keys(VIEWS)
  choose(all[(all.indexOf(state.view) + by + all.length) % all.length], true)
}

const KEYS = {
  j: () => select(state.step + 1),
  k: () => select(state.step - 1),
  f: selectNextFailure,
  "+": () => zoom(0.5),
  "=": () => zoom(0.5),
  "-": () => zoom(2),
  0: () => show(0, total),
  z: zoomToStep,
  ArrowLeft: () => moveTo(state.at - part()),
  ArrowRight: () => moveTo(state.at + part()),
  "/": () => byId("find").focus(),
  ...Object.fromEntries(Object.keys(VIEWS).map((view, index) => [index + 1, () => choose(view)])),
}

// What arrow keys do where a widget of its own has the focus.
const KEYS_WITHIN = {
  "#tabs": { ArrowLeft: () => turnTab(-1), ArrowRight: () => turnTab(1) },
  "#steps": { ArrowUp: () => select(state.step - 1, true), ArrowDown: () => select(state.step + 1, true) },
  "#lanes": { Home: () => moveTo(0), End: () => moveTo(total) },
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target === byId("find")) {
    if (event.key === "Escape") event.target.blur()
    return
  }
  const within = Object.entries(KEYS_WITHIN).find(([selector]) => event.target.closest?.(selector))
  const deed = (within && within[1][event.key]) || KEYS[event.key]
  if (!deed) return
  event.preventDefault()
  deed()
}

drawHeader()
drawControls()
listenToPointer()
document.addEventListener("keydown", key)
addEventListener("resize", drawLanes)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawLanes)
drawSteps()
drawLanes()
drawView()
select(Math.max(0, steps.findIndex((step) => stepState(step) === "error")))
