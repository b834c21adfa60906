// The page: what is chosen, the view of it, the mouse.

// The view that the page begins with; the still picture has it too (src/output/picture/still.cpp).
const firstTurn = -0.6, firstTilt = 1.05;

const element = id => document.getElementById(id);

function showError(error) {
  const line = element("script-errors");
  line.hidden = false;
  line.textContent += `The picture failed: ${error.message || error}\n`;
}

// Multiples of 1, 2 or 5 times a power of ten, about `count` of them.
function ticksOf(least, most, count) {
  if (!(most > least)) return [least];
  const rough = (most - least) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most + 1e-9 * step; i++) ticks.push(i * step);
  return ticks;
}

// To a thousandth of the span of its like, or to four digits.
function numberText(value, span) {
  const step = 10 ** (Math.floor(Math.log10(span || Math.abs(value) || 1)) - 3);
  const rounded = Number((Math.round(value / step) * step).toPrecision(12));
  const size = Math.abs(rounded), power = Math.floor(Math.log10(size));
  if (rounded === 0) return "0";
  return size >= 1e6 || size < 1e-4 ? `${Number((rounded / 10 ** power).toPrecision(5))}e${power}` : String(rounded);
}

function drawLegend(title, [least, most], colours) {
  element("legend-title").textContent = title;
  const bar = element("legend-bar"), context = bar.getContext("2d");
  colours.forEach((colour, i) => {
    const from = Math.floor(256 * i / colours.length), to = Math.ceil(256 * (i + 1) / colours.length);
    context.fillStyle = `rgb(${colour.join()})`;
    context.fillRect(0, 256 - to, 1, to - from);
  });
  const inner = ticksOf(least, most, 6).filter(
    v => (v - least) > 0.06 * (most - least) && (most - v) > 0.06 * (most - least));
  const ticks = most > least ? [least, ...inner, most] : [least];
  element("legend-ticks").replaceChildren(...ticks.map(value => {
    const tick = document.createElement("span");
    tick.style.bottom = `${most > least ? 100 * (value - least) / (most - least) : 50}%`;
    tick.textContent = numberText(value, most - least);
    return tick;
  }));
}

// The names of a field's components: of vectors and of tensors by rows.
function componentNames(field) {
  if (field.components === 3) return ["x", "y", "z"];
  if (field.components === 9) return ["x", "y", "z"].flatMap(a => ["x", "y", "z"].map(b => a + b));
  return Array.from({length: field.components}, (_, k) => String(k));
}

function setOptions(select, options) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
}

// In columns: seen = turn * place, as in still.cpp.
function turnMatrix(turn, tilt) {
  const c = Math.cos(turn), s = Math.sin(turn), ct = Math.cos(tilt), st = Math.sin(tilt);
  return [c, ct * s, -st * s, -s, ct * c, -st * c, 0, st, ct];
}

class ReportPage {
  constructor(picture, view) {
    this.picture = picture;
    this.view = view;
    this.flat = picture.dim === 2;
    this.ranges = new Map();
    this.camera = {turn: [], x: 0, y: 0, zoom: 1, deformation: 0};
    this.makeControls();
    this.makeMouse();
    this.chooseField();
    this.wholeView();
    new ResizeObserver(() => this.resized()).observe(view.canvas);
  }

  makeControls() {
    const {picture} = this, on = (id, event, work) => element(id).addEventListener(event, work);
    setOptions(element("field"), picture.fields.map((field, f) => [f, field.name]));
    const slices = picture.sheets.slice(1).map((sheet, i) => [i + 1, `slice ${sheet.name}`]);
    setOptions(element("show"), [[0, "surface"], ...(slices.length > 1 ? [["slices", "all slices"]] : []), ...slices]);
    element("show-label").hidden = slices.length === 0;
    const vectors = picture.fields.map((field, f) => [f, field.name]).filter(([f]) => picture.fields[f].components === 3);
    setOptions(element("deform"), [["", "nothing"], ...vectors]);
    element("deformation").hidden = vectors.length === 0;
    element("time").max = picture.times.length - 1;
    element("time").value = picture.times.length - 1;
    element("times").hidden = picture.times.length < 2;
    element("range").parentElement.hidden = picture.times.length < 2;
    on("field", "change", () => this.chooseField());
    for (const id of ["component", "show", "range", "edges"]) on(id, "change", () => this.update());
    on("time", "input", () => this.update());
    on("deform", "change", () => this.chooseDeformation());
    on("factor", "input", () => this.update());
    on("reset", "click", () => this.wholeView());
    on("play", "click", () => this.play());
  }

  chooseField() {
    const field = this.picture.fields[Number(element("field").value)];
    const names = componentNames(field).map((name, k) => [k, name]);
    setOptions(element("component"), field.components > 1 ? [[-1, "magnitude"], ...names] : [[0, ""]]);
    element("component-label").hidden = field.components === 1;
    this.update();
  }

  // The slider reaches to where the largest shift is a fifth of the picture's half diagonal, or to
  // the true size, with which it begins where that can be seen.
  chooseDeformation() {
    const chosen = element("deform").value, slider = element("factor");
    element("factor-label").hidden = chosen === "";
    if (chosen !== "") {
      const [, largest] = this.rangeOfAllTimes(Number(chosen), -1);
      const most = largest > 0 ? 0.2 * this.picture.halfDiagonal / largest : 1;
      slider.max = Math.max(most, 1);
      slider.step = slider.max / 200;
      slider.value = most < 10 ? 1 : slider.max / 2;
    }
    this.update();
    this.wholeView();
  }

  rangeOfAllTimes(field, component) {
    const {components, ranges} = this.picture.fields[field];
    if (components === 1 || component >= 0) return ranges[Math.max(component, 0)];
    const key = `${field} ${component}`;
    if (!this.ranges.has(key)) this.ranges.set(key, rangeOf(this.picture, null, field, component));
    return this.ranges.get(key);
  }

  chosen() {
    const number = id => Number(element(id).value);
    const deform = element("deform").value;
    return {field: number("field"), component: number("component"), time: number("time"),
            show: element("show").value, edges: element("edges").checked,
            deform: deform === "" ? null : Number(deform), factor: number("factor"),
            allTimes: element("range").value === "all"};
  }

  // What is drawn after a choice.
  update() {
    const {picture} = this, chosen = this.chosen();
    const range = chosen.allTimes ? this.rangeOfAllTimes(chosen.field, chosen.component)
      : rangeOf(picture, chosen.time, chosen.field, chosen.component);
    const names = componentNames(picture.fields[chosen.field]);
    const {name, components} = picture.fields[chosen.field];
    drawLegend(components === 1 ? name : chosen.component < 0 ? `|${name}|` : `${name}, ${names[chosen.component]}`,
               range, picture.colours);
    this.camera.deformation = chosen.deform === null ? 0 : chosen.factor / picture.halfDiagonal;
    element("factor-text").textContent = numberText(chosen.factor);
    element("time-text").textContent = `${picture.timeName} = ${numberText(picture.times[chosen.time])}`;
    this.scene = {flat: this.flat, sheets: this.sheetsShown(chosen).map(shown => this.coloured(shown, chosen, range))};
    this.draw();
  }

  sheetsShown({show, edges}) {
    const [surface, ...slices] = this.picture.sheets;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const meshInk = [0, 0, 0, 0.35], shapeInk = dark ? [1, 1, 1, 0.45] : [0, 0, 0, 0.5];
    const lines = edges ? [["edges", meshInk]] : [];
    if (show === "0") return [{sheet: surface, triangles: true, lines}];
    const shown = show === "slices" ? slices : [this.picture.sheets[Number(show)]];
    return [...shown.map(sheet => ({sheet, triangles: true, lines})),
            {sheet: surface, triangles: false, lines: [["shape", shapeInk]]}];
  }

  coloured(shown, {field, component, time, deform}, [least, most]) {
    const values = fieldValues(this.picture, shown.sheet, time, field, component).map(
      value => Number.isNaN(value) ? -1 : most > least ? (value - least) / (most - least) : 0.5);
    return {...shown, values, shifts: deform === null ? null : this.shiftsOf(shown.sheet, time, deform)};
  }

  shiftsOf(sheet, time, field) {
    const result = new Float32Array(3 * sheet.count);
    for (let d = 0; d < 3; d++) {
      const values = componentValues(this.picture, sheet, time, field, d);
      for (let v = 0; v < sheet.count; v++) result[3 * v + d] = values[v] || 0;
    }
    return result;
  }

  // Drawn at once, as the browser would stretch what was drawn for the other size.
  resized() {
    if (!this.moved) this.wholeView();
    this.drawNow();
  }

  // Before the next frame, however often it is asked for until then.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.drawNow();
    });
  }

  drawNow() {
    const {canvas} = this.view;
    this.camera.turn = turnMatrix(this.turn, this.tilt);
    try {
      drawScene(this.view, this.scene, this.camera);
      canvas.dataset.drawnMs = canvas.dataset.drawnMs || Math.round(performance.now());
    } catch (error) { showError(error); }
  }

  // All that is shown, from where the page begins.
  wholeView() {
    this.moved = false; // by the reader
    [this.turn, this.tilt] = this.flat ? [0, 0] : [firstTurn, firstTilt];
    const [x, y] = this.extents(turnMatrix(this.turn, this.tilt));
    const {clientWidth, clientHeight} = this.view.canvas, half = ([a, b]) => (b - a) / 2 || 1;
    this.camera.zoom = 0.94 * Math.min(1 / half(y), clientWidth / Math.max(clientHeight, 1) / half(x));
    this.camera.x = (x[0] + x[1]) / 2;
    this.camera.y = (y[0] + y[1]) / 2;
    this.draw();
  }

  // What the shown sheets, deformed, reach over to the right and upwards.
  extents(turn) {
    const extents = [[Infinity, -Infinity], [Infinity, -Infinity]];
    for (const {sheet, shifts} of this.scene.sheets)
      for (let v = 0; v < sheet.count; v++)
        for (const row of [0, 1]) {
          let seen = 0;
          for (let d = 0; d < 3; d++)
            seen += turn[3 * d + row] * (sheet.unitPlaces[3 * v + d] + (shifts ? this.camera.deformation * shifts[3 * v + d] : 0));
          extents[row][0] = Math.min(extents[row][0], seen);
          extents[row][1] = Math.max(extents[row][1], seen);
        }
    return extents;
  }

  // Where a place of the window lies in the view, in its units, from its middle.
  at(x, y) {
    const box = this.view.canvas.getBoundingClientRect(), unit = box.height / 2 * this.camera.zoom;
    return [(x - box.left - box.width / 2) / unit, -(y - box.top - box.height / 2) / unit];
  }

  zoomAt(x, y, factor) {
    this.moved = true;
    const before = this.at(x, y);
    this.camera.zoom = Math.min(Math.max(this.camera.zoom * factor, 0.05), 5000);
    const after = this.at(x, y);
    this.camera.x += before[0] - after[0];
    this.camera.y += before[1] - after[1];
    this.draw();
  }

  move(dx, dy) {
    this.moved = true;
    const unit = this.view.canvas.clientHeight / 2 * this.camera.zoom;
    this.camera.x -= dx / unit;
    this.camera.y += dy / unit;
    this.draw();
  }

  rotate(dx, dy) {
    this.moved = true;
    this.turn += dx * 0.008;
    this.tilt = Math.min(Math.max(this.tilt - dy * 0.008, 0), Math.PI);
    this.draw();
  }

  makeMouse() {
    const canvas = this.view.canvas, fingers = new Map();
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.wholeView());
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoomAt(event.clientX, event.clientY, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, event => fingers.delete(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY], moved = [now[0] - before[0], now[1] - before[1]];
      if (fingers.size === 2) this.pinch(fingers, event.pointerId, now);
      else if (this.flat || event.shiftKey || event.buttons > 1) this.move(...moved);
      else this.rotate(...moved);
      fingers.set(event.pointerId, now);
    });
    canvas.addEventListener("keydown", event => this.key(event));
  }

  // Two fingers: what lies between them moves and grows with them.
  pinch(fingers, moving, now) {
    const [[, other]] = [...fingers].filter(([id]) => id !== moving);
    const before = fingers.get(moving);
    const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    this.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, apart(now, other) / apart(before, other));
  }

  key(event) {
    const turns = {ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10]};
    const box = this.view.canvas.getBoundingClientRect();
    const middle = [box.left + box.width / 2, box.top + box.height / 2];
    if (turns[event.key]) this.flat || event.shiftKey ? this.move(...turns[event.key]) : this.rotate(...turns[event.key]);
    else if (event.key === "+") this.zoomAt(...middle, 1.2);
    else if (event.key === "-") this.zoomAt(...middle, 1 / 1.2);
    else return;
    event.preventDefault();
  }

  play() {
    if (this.playing) {
      clearInterval(this.playing);
      this.playing = null;
    } else {
      this.playing = setInterval(() => {
        const slider = element("time");
        slider.value = (Number(slider.value) + 1) % this.picture.times.length;
        this.update();
      }, 500);
    }
    element("play").textContent = this.playing ? "Stop" : "Play";
  }
}

// The still picture stays where there is no WebGL, or it fails.
function start() {
  const data = JSON.parse(element("picture-data").textContent);
  if (!data) return;
  const canvas = element("canvas"), picture = makePicture(data);
  canvas.hidden = false;
  let view = null;
  try { view = makeView(canvas, picture); } finally { canvas.hidden = view === null; }
  if (!view) return;
  for (const id of ["still", "still-note"]) element(id).hidden = true;
  for (const id of ["controls", "legend", "view-note"]) element(id).hidden = false;
  element("factor-label").hidden = true;
  new ReportPage(picture, view);
}

window.addEventListener("error", event => showError(event.error || event));
try { start(); } catch (error) { showError(error); }
