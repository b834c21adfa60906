// The data of the picture: sheets of triangles, whose places and values are integers of 16 bits in
// base64 (src/output/report/picture_json.h says how they are written).

function decodeBytes(text) {
  const bytes = atob(text);
  const result = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes.charCodeAt(i);
  return result;
}

function decodeIntegers(text) {
  const bytes = decodeBytes(text);
  const result = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < result.length; i++) result[i] = bytes[2 * i] | bytes[2 * i + 1] << 8;
  return result;
}

// Numbers of vertices, as how far each lies below the next new one, seven bits a byte.
function decodeTriangles(text) {
  const bytes = decodeBytes(text);
  const result = [];
  let next = 0, back = 0, shift = 0;
  for (const byte of bytes) {
    back |= (byte & 127) << shift;
    shift += 7;
    if (byte & 128) continue;
    result.push(next - back);
    if (back === 0) next++;
    back = shift = 0;
  }
  return new Uint32Array(result);
}

// The sides of triangles that are edges of the mesh, each once, as pairs of vertices. `outlines` has
// a bit for each side of a triangle; without it all sides are.
function edgesOf(triangles, outlines) {
  const seen = new Set(), result = [];
  const most = triangles.reduce((a, b) => Math.max(a, b), 0) + 1;
  for (let t = 0; t < triangles.length; t += 3)
    for (let e = 0; e < 3; e++) {
      if (outlines && !(outlines[t / 3] >> e & 1)) continue;
      const a = triangles[t + e], b = triangles[t + (e + 1) % 3];
      const key = Math.min(a, b) * most + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      result.push(a, b);
    }
  return new Uint32Array(result);
}

function makeSheet(sheet) {
  const places = sheet.places.map(decodeIntegers);
  const triangles = decodeTriangles(sheet.triangles);
  const outlines = sheet.outlines ? decodeBytes(sheet.outlines) : null;
  const columns = sheet.values.map(text => typeof text === "string" ? decodeIntegers(text) : text);
  for (let i = 0; i < columns.length; i++) // a number: the same as that column
    if (typeof columns[i] === "number") columns[i] = columns[columns[i]];
  let edges = null;
  return {name: sheet.name, axis: sheet.axis, places, triangles, columns, count: places[0].length,
          edges: () => edges || (edges = edgesOf(triangles, outlines))};
}

// Places about the middle of the picture's box, in units of half its diagonal: [vertex][3].
function unitPlaces(sheet, box) {
  const size = box.map(([least, most]) => most - least);
  const half = Math.hypot(...size) / 2 || 1;
  const result = new Float32Array(3 * sheet.count);
  for (let d = 0; d < 3; d++)
    for (let v = 0; v < sheet.count; v++)
      result[3 * v + d] = (sheet.places[d][v] / 65534 - 0.5) * size[d] / half;
  return result;
}

function makePicture(data) {
  const picture = {...data, sheets: data.sheets.map(makeSheet)};
  picture.halfDiagonal = Math.hypot(...data.box.map(([a, b]) => b - a)) / 2 || 1;
  picture.firstColumn = [];
  picture.numColumns = 0;
  for (const field of data.fields) {
    picture.firstColumn.push(picture.numColumns);
    picture.numColumns += field.components;
  }
  for (const sheet of picture.sheets) sheet.unitPlaces = unitPlaces(sheet, data.box);
  return picture;
}

// A component of a field on a sheet; NaN where it has no value.
function componentValues(picture, sheet, time, field, component) {
  const [least, most] = picture.fields[field].ranges[component];
  const column = sheet.columns[time * picture.numColumns + picture.firstColumn[field] + component];
  const result = new Float32Array(sheet.count);
  for (let v = 0; v < sheet.count; v++)
    result[v] = column[v] === 65535 ? NaN : least + (most - least) * column[v] / 65534;
  return result;
}

// Component -1 is the magnitude.
function fieldValues(picture, sheet, time, field, component) {
  const components = picture.fields[field].components;
  if (component >= 0 || components === 1)
    return componentValues(picture, sheet, time, field, Math.max(component, 0));
  const result = new Float32Array(sheet.count);
  for (let k = 0; k < components; k++) {
    const values = componentValues(picture, sheet, time, field, k);
    for (let v = 0; v < sheet.count; v++) result[v] += values[v] * values[v];
  }
  return result.map(Math.sqrt);
}

// The least and the largest value on all sheets, at one time or (null) at all.
function rangeOf(picture, time, field, component) {
  let least = Infinity, most = -Infinity;
  const times = time === null ? picture.times.keys() : [time];
  for (const t of times)
    for (const sheet of picture.sheets)
      for (const value of fieldValues(picture, sheet, t, field, component)) {
        if (value < least) least = value;
        if (value > most) most = value;
      }
  return least <= most ? [least, most] : [0, 0];
}

// Edges of the surface where it bends or ends: the shape of a body whose inside is shown.
function shapeEdges(sheet) {
  const bend = Math.cos(Math.PI / 6);
  const key = v => (sheet.places[0][v] * 65536 + sheet.places[1][v]) + "," + sheet.places[2][v];
  const keys = Array.from({length: sheet.count}, (_, v) => key(v));
  const sides = new Map();
  for (let t = 0; t < sheet.triangles.length; t += 3) {
    const corners = [0, 1, 2].map(i => sheet.triangles[t + i]);
    const normal = unitNormal(sheet.unitPlaces, corners);
    for (let e = 0; e < 3; e++) {
      const a = corners[e], b = corners[(e + 1) % 3];
      const side = keys[a] < keys[b] ? keys[a] + ";" + keys[b] : keys[b] + ";" + keys[a];
      const known = sides.get(side);
      if (known) known.normals.push(normal);
      else sides.set(side, {ends: [a, b], normals: [normal]});
    }
  }
  const result = [];
  for (const {ends, normals} of sides.values())
    if (normals.length !== 2 || Math.abs(dot(normals[0], normals[1])) < bend) result.push(...ends);
  return new Uint32Array(result);
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unitNormal(places, [a, b, c]) {
  const side = (from, to) => [0, 1, 2].map(d => places[3 * to + d] - places[3 * from + d]);
  const u = side(a, b), v = side(a, c);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.sqrt(dot(n, n)) || 1;
  return n.map(x => x / length);
}
