// Draws sheets with WebGL: coloured triangles, and lines of the mesh.

const vertexText = `
attribute vec3 place, shift;
attribute float value;
uniform mat3 turn;
uniform vec2 middle, scale;
uniform float deformation, nearer;
varying float coloured;
varying vec3 seen;
void main() {
  seen = turn * (place + deformation * shift);
  coloured = value;
  gl_Position = vec4((seen.xy - middle) * scale, -seen.z / 8.0 - nearer, 1.0);
}`;

// Values are parts of the range of colours; below it there is none.
const trianglesText = derivatives => `
${derivatives ? "#extension GL_OES_standard_derivatives : enable" : ""}
precision highp float;
uniform sampler2D map;
uniform float lit;
varying float coloured;
varying vec3 seen;
void main() {
  vec3 colour = coloured < -0.01 ? vec3(0.59) : texture2D(map, vec2(clamp(coloured, 0.002, 0.998), 0.5)).rgb;
  float light = 1.0;
  ${derivatives ? "vec3 n = cross(dFdx(seen), dFdy(seen)); if (lit > 0.5) light = 0.7 + 0.3 * abs(n.z) / max(length(n), 1e-12);" : ""}
  gl_FragColor = vec4(colour * light, 1.0);
}`;

const linesText = `
precision highp float;
uniform vec4 ink;
varying float coloured;
varying vec3 seen;
void main() { gl_FragColor = ink; }`;

// A program, and where its uniforms are.
function makeProgram(gl, fragmentText) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  ["place", "shift", "value"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return {program, at: name => gl.getUniformLocation(program, name)};
}

// The colour map as a texture of one row.
function makeMap(gl, colours) {
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  const pixels = new Uint8Array(colours.flatMap(colour => [...colour, 255]));
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
}

// Null without WebGL.
function makeView(canvas, picture) {
  const gl = canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
  if (!gl || !gl.getExtension("OES_element_index_uint")) return null;
  const derivatives = Boolean(gl.getExtension("OES_standard_derivatives"));
  const view = {gl, canvas, sheets: new Map()};
  view.triangles = makeProgram(gl, trianglesText(derivatives));
  view.lines = makeProgram(gl, linesText);
  makeMap(gl, picture.colours);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  return view;
}

function fill(gl, target, buffer, data) {
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.STATIC_DRAW);
}

// The buffers of a sheet on the graphics card, made when it is first drawn.
function buffersOf(view, sheet) {
  const gl = view.gl;
  let buffers = view.sheets.get(sheet);
  if (!buffers) {
    buffers = {place: gl.createBuffer(), shift: gl.createBuffer(), value: gl.createBuffer(),
               triangles: gl.createBuffer(), edges: null, shape: null, values: null, shifts: null};
    fill(gl, gl.ARRAY_BUFFER, buffers.place, sheet.unitPlaces);
    fill(gl, gl.ELEMENT_ARRAY_BUFFER, buffers.triangles, sheet.triangles);
    view.sheets.set(sheet, buffers);
  }
  return buffers;
}

// Lines of a sheet: "edges" of the mesh, or of its "shape".
function linesOf(view, sheet, kind) {
  const buffers = buffersOf(view, sheet);
  if (!buffers[kind]) {
    const pairs = kind === "edges" ? sheet.edges() : shapeEdges(sheet);
    buffers[kind] = {buffer: view.gl.createBuffer(), count: pairs.length};
    fill(view.gl, view.gl.ELEMENT_ARRAY_BUFFER, buffers[kind].buffer, pairs);
  }
  return buffers[kind];
}

function bindAttributes(view, sheet, drawn) {
  const gl = view.gl, buffers = buffersOf(view, sheet);
  if (buffers.values !== drawn.values) fill(gl, gl.ARRAY_BUFFER, buffers.value, buffers.values = drawn.values);
  if (drawn.shifts && buffers.shifts !== drawn.shifts)
    fill(gl, gl.ARRAY_BUFFER, buffers.shift, buffers.shifts = drawn.shifts);
  const bind = (index, buffer, size) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(index);
    gl.vertexAttribPointer(index, size, gl.FLOAT, false, 0, 0);
  };
  bind(0, buffers.place, 3);
  bind(2, buffers.value, 1);
  if (drawn.shifts) {
    bind(1, buffers.shift, 3);
  } else {
    gl.disableVertexAttribArray(1);
    gl.vertexAttrib3f(1, 0, 0, 0);
  }
}

function useProgram(view, program, camera, nearer) {
  const gl = view.gl;
  gl.useProgram(program.program);
  gl.uniformMatrix3fv(program.at("turn"), false, camera.turn);
  gl.uniform2f(program.at("middle"), camera.x, camera.y);
  const aspect = view.canvas.width / view.canvas.height;
  gl.uniform2f(program.at("scale"), camera.zoom / aspect, camera.zoom);
  gl.uniform1f(program.at("deformation"), camera.deformation);
  gl.uniform1f(program.at("nearer"), nearer);
}

function drawTriangles(view, drawn, camera, flat) {
  const gl = view.gl;
  useProgram(view, view.triangles, camera, 0);
  gl.uniform1f(view.triangles.at("lit"), flat ? 0 : 1);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffersOf(view, drawn.sheet).triangles);
  gl.drawElements(gl.TRIANGLES, drawn.sheet.triangles.length, gl.UNSIGNED_INT, 0);
}

function drawLines(view, drawn, kind, ink, camera) {
  const gl = view.gl, lines = linesOf(view, drawn.sheet, kind);
  useProgram(view, view.lines, camera, 0.0002);
  gl.uniform4fv(view.lines.at("ink"), ink);
  gl.enable(gl.BLEND);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, lines.buffer);
  gl.drawElements(gl.LINES, lines.count, gl.UNSIGNED_INT, 0);
  gl.disable(gl.BLEND);
}

function fitCanvas(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
}

// `scene`: sheets as {sheet, values, shifts, triangles, lines: [[kind, ink]]}, and whether they are
// flat. Values are parts of the range, shifts are in units of places.
function drawScene(view, scene, camera) {
  const gl = view.gl;
  fitCanvas(view.canvas);
  gl.viewport(0, 0, view.canvas.width, view.canvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  for (const drawn of scene.sheets) {
    bindAttributes(view, drawn.sheet, drawn);
    if (drawn.triangles) drawTriangles(view, drawn, camera, scene.flat);
    for (const [kind, ink] of drawn.lines) drawLines(view, drawn, kind, ink, camera);
  }
}
