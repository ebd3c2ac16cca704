// The timeline: lanes of spans on a canvas, with a cursor.

const ROW = 14
const GAP = 6
const AXIS = 20
const MAX_ROWS = 6
const canvas = byId("lanes")
const names = Object.keys(lanes)
let gutter = 92
let arranged = null

// -- places ---------------------------------------------------------------------------------------

// Each lane has as many rows as overlap at most, up to MAX_ROWS; rows are fixed, so that zooming moves nothing.
function arrange() {
  const layout = []
  let top = AXIS
  for (const lane of names) {
    if (state.hidden.has(lane)) continue
    const placed = placedIn(lane)
    const rows = placed.reduce((most, each) => Math.max(most, each.row + 1), 1)
    layout.push({ lane, top, rows, placed })
    top += rows * ROW + GAP
  }
  return { layout, height: top + 2 }
}

function placedIn(lane) {
  const ends = []
  const placed = []
  for (const span of spans) {
    if (span.lane !== lane || (state.find && !matches(span.label, JSON.stringify(span.details || {})))) continue
    let row = ends.findIndex((end) => end <= span.begin)
    if (row < 0) row = Math.min(ends.length, MAX_ROWS - 1)
    ends[row] = Math.max(ends[row] || 0, span.end + total / 2000)
    placed.push({ span, row })
  }
  return placed
}

function arrangeAgain() {
  arranged = null
  drawLanes()
}

const width = () => canvas.clientWidth - gutter
const x = (at) => gutter + ((at - state.from) / (state.to - state.from)) * width()
const timeAt = (clientX) =>
  state.from + ((clientX - canvas.getBoundingClientRect().left - gutter) / width()) * (state.to - state.from)

function spanAt(event) {
  const box = canvas.getBoundingClientRect()
  const [px, py] = [event.clientX - box.left, event.clientY - box.top]
  for (const { top, rows, placed } of arranged.layout) {
    if (py < top || py > top + rows * ROW) continue
    const row = Math.floor((py - top) / ROW)
    const near = placed.filter((each) => each.row === row && px >= x(each.span.begin) - 4 && px <= x(each.span.end) + 4)
    if (near.length) return near[near.length - 1].span
  }
  return null
}

// -- drawing --------------------------------------------------------------------------------------

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

function drawLanes() {
  gutter = canvas.clientWidth < 600 ? 74 : 92
  arranged ??= arrange()
  const { layout, height } = arranged
  const ratio = devicePixelRatio || 1
  canvas.style.height = `${height}px`
  canvas.width = Math.round(canvas.clientWidth * ratio)
  canvas.height = Math.round(height * ratio)
  const draw = canvas.getContext("2d")
  draw.scale(ratio, ratio)
  draw.font = "11px system-ui, sans-serif"
  draw.textBaseline = "middle"
  drawAxis(draw, height)
  drawStep(draw, height)
  for (const each of layout) drawLane(draw, each)
  drawCursor(draw, height)
  tellMoment()
}

function drawAxis(draw, height) {
  const target = (state.to - state.from) / Math.max(2, width() / 90)
  const power = 10 ** Math.floor(Math.log10(target))
  const tick = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= target)
  draw.strokeStyle = colour("line")
  draw.fillStyle = colour("quiet")
  for (let at = Math.ceil(state.from / tick) * tick; at <= state.to; at += tick) {
    draw.beginPath()
    draw.moveTo(Math.round(x(at)) + 0.5, AXIS - 4)
    draw.lineTo(Math.round(x(at)) + 0.5, height)
    draw.stroke()
    draw.fillText(at >= 1000 ? `${Math.round(at * 1000) / 1000000} s` : `${Math.round(at * 1000) / 1000} ms`, x(at) + 3, AXIS / 2)
  }
}

function drawStep(draw, height) {
  const step = current()
  if (!step) return
  draw.fillStyle = colour("accent")
  draw.globalAlpha = 0.08
  const left = clamp(x(step.begin), gutter, canvas.clientWidth)
  draw.fillRect(left, AXIS, Math.max(1, clamp(x(step.end), gutter, canvas.clientWidth) - left), height)
  draw.globalAlpha = 1
}

function drawLane(draw, { lane, top, rows, placed }) {
  const colours = { error: colour("bad"), plain: colour(lane), on: colour("back"), off: colour("text") }
  for (const { span, row } of placed)
    if (span.end >= state.from && span.begin <= state.to) drawSpan(draw, span, top + row * ROW, colours)
  draw.fillStyle = colour("back")
  draw.fillRect(0, top - 1, gutter - 2, rows * ROW + 2)
  draw.fillStyle = colour("quiet")
  draw.fillText(lane, 6, top + ROW / 2)
}

function drawSpan(draw, span, y, colours) {
  const left = Math.max(gutter, x(span.begin))
  const right = Math.min(canvas.clientWidth, x(span.end))
  draw.fillStyle = span.state === "error" ? colours.error : colours.plain
  draw.globalAlpha = span.state === "open" ? 0.35 : 1
  if (span.end === span.begin) {
    draw.beginPath()
    draw.arc(left, y + ROW / 2 - 1, 3, 0, 7)
    draw.fill()
  } else {
    draw.fillRect(left, y + 1, Math.max(1.5, right - left), ROW - 3)
  }
  draw.globalAlpha = 1
  if (right - left <= 60) return
  draw.save()
  draw.beginPath()
  draw.rect(left, y, right - left - 4, ROW)
  draw.clip()
  draw.fillStyle = span.state === "open" ? colours.off : colours.on
  draw.fillText(span.label, left + 4, y + ROW / 2)
  draw.restore()
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

// -- the cursor and the zoom ----------------------------------------------------------------------

function describe(span) {
  const took = span.end > span.begin ? ` · took ${ms(span.end - span.begin)}` : ""
  return `${span.lane} · ${ms(span.begin)}${took} · ${span.label}`
}

function tellMoment() {
  const now = `${ms(state.at)} of ${ms(durationMs)}`
  const running = spans.filter((each) => each.begin <= state.at && state.at <= each.end && !state.hidden.has(each.lane))
  const said = running.length ? running.map((each) => `${each.lane}: ${each.label}`).join(" · ") : "nothing"
  byId("moment").textContent = now
  byId("under-cursor").textContent = said
  canvas.setAttribute("aria-valuenow", String(Math.round(state.at)))
  canvas.setAttribute("aria-valuetext", `${now}: ${said}`)
}

function moveTo(at) {
  state.at = clamp(at, 0, total)
  const visible = state.to - state.from
  if (state.at < state.from || state.at > state.to) show(state.at - visible / 2, state.at + visible / 2)
  else drawLanes()
  if (state.view === "waiting") drawView()
}

function show(from, to) {
  const wanted = clamp(to - from, Math.min(1, total), total)
  state.from = clamp(from, 0, total - wanted)
  state.to = state.from + wanted
  drawLanes()
}

const moveWindow = (by) => show(state.from + by, state.to + by)

function zoom(factor, around = state.at) {
  const share = (around - state.from) / (state.to - state.from)
  const wanted = clamp((state.to - state.from) * factor, Math.min(1, total), total)
  show(around - share * wanted, around + (1 - share) * wanted)
}

function zoomTo({ begin, end }) {
  show(begin - (end - begin) * 0.1 - 1, end + (end - begin) * 0.1 + 1)
}

function zoomToStep() {
  if (current()) zoomTo(current())
}
