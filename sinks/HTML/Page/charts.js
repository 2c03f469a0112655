// Lines, bands and stacks over time as SVG. A chart takes points and draws them; what they are is the page's business.
"use strict";

const SIZE = { width: 600, height: 230, left: 56, right: 12, top: 8, bottom: 22 };
const LINES = ["", "dashed", "dotted", "mixed"];

function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// MARK: Scales

/** Steps of 1, 2 or 5 times a power of ten, about four of them up to the greatest value. */
function linearScale(max, top, bottom, isWhole) {
  // Whole numbers all of them, so nothing above 0 is below 1.
  const rough = Math.max(max, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  if (isWhole) step = Math.max(1, step);
  const end = Math.max(Math.ceil(max / step), 1) * step;
  const ticks = [];
  for (let value = 0; value <= end + step / 2; value += step) ticks.push(value);
  return { ticks, at: (value) => bottom - (Math.min(value, end) / end) * (bottom - top) };
}

/** Powers of ten, with 2 and 5 between them where these are few. */
function logScale(min, max, top, bottom) {
  let low = Math.floor(Math.log10(min));
  let high = Math.ceil(Math.log10(max));
  if (low === high) high += 1;
  const factors = high - low > 3 ? [1] : high - low > 1 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let power = low; power <= high; power++) {
    for (const factor of factors) if (power < high || factor === 1) ticks.push(factor * 10 ** power);
  }
  return {
    ticks,
    at: (value) => bottom - ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (bottom - top),
  };
}

/** As many times of the axis as fit, at the beginnings of spans. */
function timeTicks(spans, x, countMax) {
  const every = Math.max(1, Math.ceil(spans.length / countMax));
  return spans.filter((_, place) => place % every === 0).map((span) => ({ time: span.start, x: x(span.start) }));
}

// MARK: A chart

/**
 * A figure that draws itself anew for other points.
 *
 * `spec` has: id, title, format(value), tick(value), kind ("lines" or "stack"), isLog, isWhole, and series, each with
 * label, ink (a custom property), value(point), and low and high for a band.
 */
class Chart {
  constructor(spec, words, events) {
    Object.assign(this, { spec, words, events });
    this.drawing = svg("svg", {
      viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", tabindex: "0", "aria-describedby": `${spec.id}-readout`,
    });
    this.readout = html("p", { class: "readout", id: `${spec.id}-readout`, "aria-live": "polite" });
    this.figure = html("figure", { id: spec.id }, html(
      "figcaption", {}, html("h2", {}, spec.title), this.legend()), this.drawing, this.readout);
    this.listen();
  }

  legend() {
    const entries = this.spec.series.map((series, place) => {
      const mark = this.spec.kind === "stack"
        ? svg("rect", { class: "area", width: 20, height: 10, style: `--ink:var(${series.ink})` })
        : svg("path", { class: `line ${LINES[place]}`, d: "M0 5H20", style: `--ink:var(${series.ink})` });
      return html("span", {}, svg("svg", { viewBox: "0 0 20 10", "aria-hidden": "true" }, mark), series.label);
    });
    return html("span", { class: "legend" }, ...entries);
  }

  draw(spans, points) {
    Object.assign(this, { spans, points, cursor: null, brush: null });
    const { left, right, width, top, height, bottom } = SIZE;
    const begin = spans[0].start;
    const end = spans[spans.length - 1].end;
    this.x = (time) => left + ((time - begin) / (end - begin)) * (width - left - right);
    this.y = this.scale(top, height - bottom);
    this.drawing.setAttribute("aria-label", this.summary());
    this.drawing.replaceChildren(this.axes(), ...this.spec.series.flatMap((_, place) => this.shapes(place)));
    this.readout.textContent = "";
  }

  scale(top, bottom) {
    const values = [];
    for (const point of this.points) {
      for (const series of this.spec.series) {
        for (const read of [series.value, series.low, series.high]) {
          const value = read?.(point);
          if (value != null) values.push(value);
        }
      }
    }
    if (this.spec.kind === "stack") {
      values.push(...this.points.map((point) => this.spec.series.reduce((sum, { value }) => sum + value(point), 0)));
    }
    const max = values.reduce((left, right) => Math.max(left, right), 0);
    if (!this.spec.isLog) return linearScale(max, top, bottom, this.spec.isWhole);
    const min = values.reduce((left, right) => (right > 0 ? Math.min(left, right) : left), Infinity);
    return max > 0 ? logScale(min, max, top, bottom) : linearScale(0, top, bottom, false);
  }

  axes() {
    const { left, right, width, height, bottom } = SIZE;
    const axes = svg("g", { "aria-hidden": "true" });
    for (const value of this.y.ticks) {
      const y = this.y.at(value);
      axes.append(
        svg("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }),
        svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, (this.spec.tick ?? this.spec.format)(value)));
    }
    for (const { time, x } of timeTicks(this.spans, this.x, 5)) {
      axes.append(svg("text", { x: Math.min(x, width - right - 60), y: height - bottom + 16 }, this.words.tick(time)));
    }
    return axes;
  }

  middle(place) { return this.x((this.spans[place].start + this.spans[place].end) / 2); }

  // MARK: Shapes

  shapes(place) {
    const series = this.spec.series[place];
    const style = `--ink:var(${series.ink})`;
    if (this.spec.kind === "stack") return [svg("path", { class: "area", d: this.stack(place), style })];
    const runs = this.runs(series.value);
    const shapes = [];
    if (series.low) {
      for (const run of runs) shapes.push(this.band(run, series, style));
    }
    const lines = runs.filter((run) => run.length > 1).map((run) => this.path(run, series.value)).join("");
    shapes.push(svg("path", { class: `line ${LINES[place]}`, d: lines, style }));
    for (const run of runs.filter((run) => run.length === 1)) {
      const y = this.y.at(series.value(this.points[run[0]]));
      shapes.push(svg("circle", { class: "dot", cx: this.middle(run[0]), cy: y, r: 3, style }));
    }
    return shapes;
  }

  /** Places that follow each other without a gap in time or in values. */
  runs(value) {
    const runs = [];
    let run = [];
    for (let place = 0; place < this.points.length; place++) {
      const isApart = place > 0 && this.spans[place].start > this.spans[place - 1].end;
      if (run.length > 0 && (isApart || value(this.points[place]) == null)) {
        runs.push(run);
        run = [];
      }
      if (value(this.points[place]) != null) run.push(place);
    }
    if (run.length > 0) runs.push(run);
    return runs;
  }

  path(run, value) {
    const steps = run.map((place) => `${this.middle(place).toFixed(1)} ${this.y.at(value(this.points[place])).toFixed(1)}`);
    return `M${steps.join("L")}`;
  }

  band(run, series, style) {
    if (run.length === 1) {
      const x = this.middle(run[0]);
      const point = this.points[run[0]];
      const [y1, y2] = [this.y.at(series.low(point)), this.y.at(series.high(point))];
      return svg("line", { class: "bar", x1: x, x2: x, y1, y2, style });
    }
    const back = this.path([...run].reverse(), series.low).replace("M", "L");
    return svg("path", { class: "band", d: `${this.path(run, series.high)}${back}Z`, style });
  }

  stack(place) {
    const below = this.spec.series.slice(0, place);
    const { value } = this.spec.series[place];
    return this.points.map((point, index) => {
      const count = value(point);
      if (count === 0) return "";
      const base = below.reduce((sum, series) => sum + series.value(point), 0);
      const [x1, x2] = [this.x(this.spans[index].start), this.x(this.spans[index].end)];
      const [y1, y2] = [this.y.at(base), this.y.at(base + count)];
      return `M${x1.toFixed(1)} ${y1.toFixed(1)}H${Math.max(x2, x1 + 0.5).toFixed(1)}V${y2.toFixed(1)}H${x1.toFixed(1)}Z`;
    }).join("");
  }

  // MARK: Reading a chart

  summary() {
    const last = this.points.length - 1;
    const values = this.spec.series.map((series) => this.reading(series, last)).join(", ");
    return `${this.spec.title}: ${this.points.length} points, the last ${this.words.span(this.spans[last])}: ${values}`;
  }

  reading(series, place) {
    const point = this.points[place];
    const value = series.value(point);
    const band = value != null && series.low
      ? ` (${this.spec.format(series.low(point))} to ${this.spec.format(series.high(point))})` : "";
    return `${series.label} ${value == null ? "none" : this.spec.format(value)}${band}`;
  }

  point(place) {
    this.cursor = place;
    this.drawing.querySelector(".cursor")?.remove();
    if (place == null) {
      this.readout.textContent = "";
      return;
    }
    const x = this.middle(place);
    this.drawing.append(svg("line", { class: "cursor", x1: x, x2: x, y1: SIZE.top, y2: SIZE.height - SIZE.bottom }));
    const values = this.spec.series.map((series) => this.reading(series, place)).join(" · ");
    this.readout.textContent = `${this.words.span(this.spans[place])}: ${values}`;
  }

  placeAt(event) {
    const box = this.drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * SIZE.width;
    let nearest = 0;
    for (let place = 1; place < this.spans.length; place++) {
      if (Math.abs(this.middle(place) - x) < Math.abs(this.middle(nearest) - x)) nearest = place;
    }
    return nearest;
  }

  listen() {
    const drawing = this.drawing;
    drawing.addEventListener("pointermove", (event) => {
      const place = this.placeAt(event);
      this.events.point(place);
      if (this.brush != null) this.showBrush(this.brush, place);
    });
    drawing.addEventListener("pointerleave", () => { if (this.brush == null) this.events.point(null); });
    drawing.addEventListener("pointerdown", (event) => {
      this.brush = this.placeAt(event);
      drawing.setPointerCapture(event.pointerId);
    });
    drawing.addEventListener("pointercancel", () => { this.brush = null; });
    drawing.addEventListener("pointerup", (event) => {
      const [from, to] = [this.brush, this.placeAt(event)].sort((left, right) => left - right);
      this.brush = null;
      drawing.querySelector(".brush")?.remove();
      if (from != null && to > from) this.events.choose(from, to);
    });
    drawing.addEventListener("keydown", (event) => {
      const last = this.points.length - 1;
      const at = this.cursor ?? last;
      const place = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (event.key === "Escape") this.events.point(null);
      if (place == null) return;
      event.preventDefault();
      this.events.point(Math.min(Math.max(place, 0), last));
    });
  }

  showBrush(from, to) {
    this.drawing.querySelector(".brush")?.remove();
    const [x1, x2] = [this.middle(from), this.middle(to)].sort((left, right) => left - right);
    this.drawing.append(svg("rect", {
      class: "brush", x: x1, width: x2 - x1, y: SIZE.top, height: SIZE.height - SIZE.top - SIZE.bottom,
    }));
  }
}
