// The page: filters, tiles, charts and tables over the figures. What is chosen stands in the address, so that a reload
// or a link shows the same.
"use strict";

const POINT_COUNT_MAX = 240;
const data = JSON.parse(document.getElementById("data").textContent);
const one = (id) => document.getElementById(id);

// MARK: Words

const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (millionths) => `${(Math.floor((millionths + 50) / 100) / 100).toFixed(2)} %`;
const share = (part, whole) => (whole === 0 ? null : Math.floor((2000000 * part + whole) / (2 * whole)));
const name = (text) => (text === "" ? "(none)" : text);

function duration(microseconds) {
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  const milliseconds = Math.round(microseconds / 1000);
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(Math.round(microseconds / 10000) / 100).toFixed(2)} s`;
}

// On an axis, where values are round.
const percentTick = (millionths) => `${millionths / 10000} %`;
function durationTick(microseconds) {
  if (microseconds < 1000) return `${microseconds} µs`;
  return microseconds < 1000000 ? `${microseconds / 1000} ms` : `${microseconds / 1000000} s`;
}

const calendarIn = (timeZone) => new Intl.DateTimeFormat("en-GB", {
  timeZone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
  hourCycle: "h23",
});

/** Times of the export's time zone; a browser that does not know the zone's name shows UTC and says so. */
let calendar;
let zone = data.rules.timezone;
try {
  calendar = calendarIn(zone);
} catch {
  calendar = calendarIn("UTC");
  zone = `UTC, as this browser does not know ${zone}`;
}

/** `2026-11-29 10:15`, with seconds where there are some. */
function time(milliseconds) {
  const parts = Object.fromEntries(calendar.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const seconds = parts.second === "00" ? "" : `:${parts.second}`;
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}${seconds}`;
}

const words = {
  span: ({ start, end }) => `${time(start)} to ${time(end)}`,
  tick: (milliseconds) => {
    const [date, clock] = time(milliseconds).split(" ");
    return clock === "00:00" ? date : `${date.slice(5)} ${clock}`;
  },
};

// MARK: Choices

const windows = data.windows;
const lastWindow = windows.start.length - 1;
const choice = { names: {}, from: 0, to: lastWindow };
const details = [...document.querySelectorAll("details")];

function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  showPaused(fields.has("paused"));
  for (const part of details) part.open = fields.has(`open.${part.id}`);
  for (const table of tables) table.orderFromAddress(fields.get(`order.${table.id}`));
  for (const dimension of data.by) choice.names[dimension] = fields.get(dimension);
  const starts = (key) => windows.start.indexOf(Date.parse(fields.get(key) ?? ""));
  choice.from = Math.max(starts("from"), 0);
  choice.to = starts("to") >= choice.from ? starts("to") : lastWindow;
}

function writeAddress() {
  const fields = new URLSearchParams();
  for (const dimension of data.by) {
    if (choice.names[dimension] != null) fields.set(dimension, choice.names[dimension]);
  }
  if (choice.from > 0) fields.set("from", new Date(windows.start[choice.from]).toISOString());
  if (choice.to < lastWindow) fields.set("to", new Date(windows.start[choice.to]).toISOString());
  for (const table of tables) {
    if (table.orderForAddress !== null) fields.set(`order.${table.id}`, table.orderForAddress);
  }
  for (const part of details.filter((part) => part.open)) fields.set(`open.${part.id}`, "");
  if (isPaused()) fields.set("paused", "");
  history.replaceState(null, "", `#${fields}`);
}

function makeChoices() {
  for (const [place, dimension] of data.by.entries()) {
    const select = html("select", { id: `by-${dimension}` }, html("option", { value: "" }, "all"));
    const names = [...new Set(data.groups.map((group) => group[place]))].sort();
    // An absent name is a choice as well, so values are told apart from "all" by their first character.
    for (const text of names) select.append(html("option", { value: `=${text}` }, name(text)));
    select.addEventListener("change", () => {
      choice.names[dimension] = select.value === "" ? null : select.value.slice(1);
      update();
    });
    one("choices").append(html("label", {}, dimension, select));
  }
  for (const [id, other] of [["from", "to"], ["to", "from"]]) {
    const input = one(id);
    input.max = lastWindow;
    input.addEventListener("input", () => {
      choice[id] = Number(input.value);
      choice[other] = id === "from" ? Math.max(choice.to, choice.from) : Math.min(choice.from, choice.to);
      updateSoon();
    });
  }
  for (const [label, days] of [["last day", 1], ["7 days", 7], ["30 days", 30]]) {
    const begin = windows.end[lastWindow] - days * 86400000;
    const first = windows.start.findIndex((start) => start >= begin);
    if (first <= 0) continue;
    const button = html("button", { type: "button" }, label);
    button.addEventListener("click", () => chooseWindows(first, lastWindow));
    one("spans").append(button);
  }
  one("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    for (const dimension of data.by) choice.names[dimension] = null;
    chooseWindows(0, lastWindow);
  });
  one("range").hidden = lastWindow < 1;
}

function chooseWindows(from, to) {
  Object.assign(choice, { from, to });
  update();
}

function showChoices() {
  for (const dimension of data.by) {
    const chosen = choice.names[dimension];
    one(`by-${dimension}`).value = chosen == null ? "" : `=${chosen}`;
  }
  for (const id of ["from", "to"]) {
    one(id).value = choice[id];
    one(id).setAttribute("aria-valuetext", time(id === "from" ? windows.start[choice.from] : windows.end[choice.to]));
  }
  one("span").textContent = words.span({ start: windows.start[choice.from], end: windows.end[choice.to] });
}

// MARK: Tiles

function tile(id, title, value, text, ...details) {
  const figure = html("span", { class: "figure", id, "data-value": value ?? "" }, text);
  return html("div", { class: "tile" }, html("h2", {}, title), figure, ...details);
}

function detail(text) { return html("span", { class: "detail" }, text); }

function tiles({ total, causes }) {
  const rate = total.failureRate;
  const [p50, p95, p99] = total.percentiles([50, 95, 99]);
  const reasons = [...causes].map(([cause, evaluations]) => [data.causes[cause], evaluations])
    .filter(([cause]) => cause[0] === "skipped");
  const byReason = new Map();
  for (const [[, reason], evaluations] of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + evaluations);
  const list = [...byReason].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1)).map(
    ([reason, evaluations]) => html("li", { "data-reason": reason, "data-value": evaluations },
      html("span", {}, name(reason)), html("span", {}, count(evaluations))));
  one("tiles").replaceChildren(
    tile("tile-evaluations", "Evaluations", total.evaluations, count(total.evaluations),
      detail(`${count(total.retried)} with more than one attempt`)),
    tile("tile-impressions", "Impressions", total.impressions, count(total.impressions),
      detail(`${count(total.reEvaluations)} evaluations folded into one before`)),
    tile("tile-failure-rate", "Failure rate", rate?.rate, rate ? percent(rate.rate) : "–",
      detail(rate ? `95 %: ${percent(rate.low)} to ${percent(rate.high)}` : "none completed or failed")),
    tile("tile-p95", "p95", p95, p95 == null ? "–" : duration(p95),
      detail(p95 == null ? "nothing was measured" : `p50 ${duration(p50)}, p99 ${duration(p99)}`)),
    tile("tile-skipped", "Skipped", total.skipped, count(total.skipped), html("ul", {}, ...list)));
}

// MARK: Charts

const percentile = (percents, place) => (point) => {
  point.cached ??= point.percentiles(percents);
  return point.cached[place];
};
const PERCENTS = [50, 90, 95, 99];

const charts = [
  {
    id: "chart-failure-rate", title: "Failure rate with its 95 % interval", kind: "lines", format: percent, tick: percentTick,
    series: [{
      label: "failed", ink: "--failed", value: (point) => point.failureRate?.rate,
      low: (point) => point.failureRate?.low, high: (point) => point.failureRate?.high,
    }],
  },
  {
    id: "chart-percentiles", title: "Durations", kind: "lines", isLog: true, format: duration, tick: durationTick,
    series: PERCENTS.map((percent, place) => (
      { label: `p${percent}`, ink: `--p${percent}`, value: percentile(PERCENTS, place) })),
  },
  {
    id: "chart-impressions", title: "Evaluations against impressions", kind: "lines", isWhole: true, format: count,
    series: [
      { label: "evaluations", ink: "--accent", value: (point) => point.evaluations },
      { label: "impressions", ink: "--impressions", value: (point) => point.impressions },
    ],
  },
  {
    id: "chart-outcomes", title: "Outcomes", kind: "stack", isWhole: true, format: count,
    series: OUTCOMES.map((outcome) => ({ label: outcome, ink: `--${outcome}`, value: (point) => point[outcome] })),
  },
].map((spec) => new Chart(spec, words, {
  point: (place) => { for (const chart of charts) chart.point(place); },
  choose: (from, to) => chooseWindows(shownBuckets.of.indexOf(from), shownBuckets.of.lastIndexOf(to)),
}));
let shownBuckets;

// MARK: Tables

/** A table whose columns are sorted by their buttons; the order stays over other rows and stands in the address. */
class Table {
  constructor(id, caption, columns, order) {
    Object.assign(this, { id, caption, columns, order, firstOrder: order });
  }

  /** The title of the column, after a "-" where the greatest comes first; null for the order that is there at first. */
  get orderForAddress() {
    const { column, isAscending } = this.order;
    const { firstOrder: first } = this;
    if (column === first.column && isAscending === first.isAscending) return null;
    return (isAscending ? "" : "-") + this.columns[column].title;
  }

  orderFromAddress(text) {
    const isAscending = !text?.startsWith("-");
    const column = this.columns.findIndex(({ title }) => title === text?.slice(isAscending ? 0 : 1));
    this.order = column < 0 ? this.firstOrder : { column, isAscending };
  }

  show(rows) {
    this.rows = rows;
    const { column, isAscending } = this.order;
    const value = this.columns[column].value;
    const compare = (left, right) => {
      const [a, b] = [value(left), value(right)];
      if (a === b) return 0;
      if (a == null || b == null) return a == null ? 1 : -1;
      return (a < b ? -1 : 1) * (isAscending ? 1 : -1);
    };
    const head = this.columns.map((_, place) => this.heading(place));
    const body = [...rows].sort(compare).map((row) => html("tr", {}, ...this.columns.map((_, place) => this.cell(place, row))));
    one(this.id).replaceChildren(
      html("caption", { id: `${this.id}-caption` }, this.caption), html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...body));
  }

  heading(place) {
    const { title, isText } = this.columns[place];
    const button = html("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      const isSame = this.order.column === place;
      this.order = { column: place, isAscending: isSame ? !this.order.isAscending : Boolean(isText) };
      this.show(this.rows);
      writeAddress();
      one(this.id).querySelectorAll("th button")[place].focus();
    });
    const heading = html("th", { scope: "col", ...(isText ? { class: "text" } : {}) }, button);
    if (this.order.column === place) {
      heading.setAttribute("aria-sort", this.order.isAscending ? "ascending" : "descending");
    }
    return heading;
  }

  cell(place, row) {
    const { value, text, isText } = this.columns[place];
    const found = value(row);
    const [tag, scope] = isText && place === 0 ? ["th", { scope: "row" }] : ["td", {}];
    const cell = html(tag, { ...scope, "data-value": found ?? "" }, found == null ? "–" : text(found, row));
    if (isText) cell.className = found === "" ? "text absent" : "text";
    return cell;
  }
}

const number = (title, value, text = count) => ({ title, value, text });
const label = (title, value) => ({ title, value, text: name, isText: true });
const percentileColumns = (sum) => PERCENTS.map(
  (percent, place) => number(`p${percent}`, (row) => percentile(PERCENTS, place)(sum(row)), duration));
const rateColumns = (sum) => [
  number("failure rate", (row) => sum(row).failureRate?.rate, percent),
  number("95 % from", (row) => sum(row).failureRate?.low, percent),
  number("95 % to", (row) => sum(row).failureRate?.high, percent),
];

const groupTable = new Table("groups", `By ${data.by.join(", ") || "nothing"}`, [
  ...data.by.map((dimension, place) => label(dimension, ([group]) => data.groups[group][place])),
  number("evaluations", ([, sum]) => sum.evaluations),
  number("impressions", ([, sum]) => sum.impressions),
  ...rateColumns(([, sum]) => sum),
  ...percentileColumns(([, sum]) => sum),
  number("skipped", ([, sum]) => share(sum.skipped, sum.evaluations), percent),
  number("retried", ([, sum]) => sum.retried),
], { column: data.by.length, isAscending: false });

const causeTable = new Table("causes", "Outcomes, reasons and errors", [
  label("outcome", ({ cause }) => cause[0]), label("reason or error", ({ cause }) => cause[1]),
  label("detail", ({ cause }) => cause[2]), number("evaluations", ({ evaluations }) => evaluations),
  number("share", ({ share }) => share, percent),
], { column: 3, isAscending: false });

const windowTable = new Table("windows", "The points of the charts", [
  { title: "from", value: ({ span }) => span.start, text: time, isText: true },
  { title: "to", value: ({ span }) => span.end, text: time, isText: true },
  number("evaluations", ({ sum }) => sum.evaluations), number("impressions", ({ sum }) => sum.impressions),
  ...rateColumns(({ sum }) => sum),
  ...OUTCOMES.map((outcome) => number(outcome, ({ sum }) => sum[outcome])),
  ...percentileColumns(({ sum }) => sum),
], { column: 0, isAscending: true });

const qualityTable = new Table("quality", "Quality", [
  { title: "name", value: ([key]) => key, text: (key) => key.replaceAll("_", " "), isText: true },
  number("value", ([, value]) => value),
], { column: 1, isAscending: false });

// The comparison is of the whole range: what is chosen above does not act on it.
const spoken = (text) => text.replaceAll("_", " ");
const measured = (value, row) => (row.measure.startsWith("duration") ? duration(value) : percent(value));
const signed = (text) => (value, row) => (value < 0 ? `−${text(-value, row)}` : `+${text(value, row)}`);
const decimals = (value) => (value / 1000000).toFixed(2);
const compared = data.rules.drift;
const driftTable = compared && new Table(
  "drift", `Drift of the whole range: ${compared.by} ${compared.candidate} against ${compared.baseline}`, [
    label("usage", ({ usage }) => usage),
    { title: "measure", value: ({ measure }) => measure, text: spoken, isText: true },
    label("subject", ({ subject }) => subject), label("field", ({ field }) => field),
    label("value", ({ value }) => value),
    { title: "verdict", value: ({ verdict }) => verdict, text: spoken, isText: true },
    number("baseline", ({ baseline }) => baseline, measured),
    number("candidate", ({ candidate }) => candidate, measured),
    number("change", ({ difference }) => difference, signed(measured)),
    number("change from", ({ low }) => low, signed(measured)),
    number("change to", ({ high }) => high, signed(measured)),
    number("effect size", ({ effect }) => effect, signed(decimals)),
    number("adjusted p", ({ p }) => p, (value) => (value < 1000 ? "<0.001" : (value / 1000000).toFixed(3))),
    number("baseline sessions", (row) => row.baseline_sessions),
    number("candidate sessions", (row) => row.candidate_sessions),
  ], { column: 0, isAscending: true });

const tables = [groupTable, causeTable, windowTable, qualityTable, ...(driftTable ? [driftTable] : [])];

// MARK: All of it

function update() {
  writeAddress();
  showChoices();
  const groups = data.groups.map((group) => data.by.every(
    (dimension, place) => choice.names[dimension] == null || choice.names[dimension] === group[place]));
  const buckets = bucketsOf(windows, choice.from, choice.to, POINT_COUNT_MAX);
  const shown = figures(data, groups, choice.from, choice.to, buckets);
  shownBuckets = buckets;
  one("nothing").hidden = shown.total.evaluations > 0;
  tell(shown.total);
  tiles(shown);
  for (const chart of charts) chart.draw(buckets.spans, shown.points);
  groupTable.show([...shown.byGroup]);
  causeTable.show([...shown.causes].map(([cause, evaluations]) => (
    { cause: data.causes[cause], evaluations, share: share(evaluations, shown.total.evaluations) })));
  windowTable.show(buckets.spans.map((span, place) => ({ span, sum: shown.points[place] })));
}

/** In one sentence, for who does not see what changed. */
function tell({ evaluations, failureRate }) {
  const rate = failureRate ? `, failure rate ${percent(failureRate.rate)}` : "";
  const text = evaluations > 0 ? `${count(evaluations)} evaluations${rate}` : "";
  if (one("told").textContent !== text) one("told").textContent = text;
}

/** Once for all that a pointer asks for between two frames. */
let isUpdateDue = false;
function updateSoon() {
  showChoices();
  if (isUpdateDue) return;
  isUpdateDue = true;
  requestAnimationFrame(() => {
    isUpdateDue = false;
    update();
  });
}

function tellSource() {
  const quality = Object.fromEntries(data.quality);
  const range = data.range ? `from ${time(data.range[0])} to ${time(data.range[1])}` : "none yet";
  one("source").textContent = `${count(quality.records)} facts of an evalog log, ${range} (${zone}). `
    + `Computed ${time(data.made)} by evalog ${data.version}.`;
  const losses = [];
  if (quality.log_damages > 0) losses.push(`the log is damaged in ${count(quality.log_damages)} places`);
  if (quality.log_lost > 0) losses.push(`${count(quality.log_lost)} lines of it are lost`);
  if (quality.refused > 0) losses.push(`${count(quality.refused)} lines were refused by their writers`);
  if (quality.unreadable_lines > 0) losses.push(`${count(quality.unreadable_lines)} lines could not be read`);
  one("warning").hidden = losses.length === 0;
  one("warning").textContent = `Not all that happened is here: ${losses.join(", ")}.`;
  for (const [key, value] of Object.entries(data.rules)) {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    one("rules").append(html("dt", {}, key.replaceAll("_", " ")), html("dd", {}, text));
  }
}

/** Who reads, or looks with a magnifier, may want the page to stay as it is. */
const isPaused = () => one("pause").getAttribute("aria-pressed") === "true";
function showPaused(isPressed) { one("pause").setAttribute("aria-pressed", isPressed); }

function refresh() {
  one("pause").hidden = false;
  one("pause").addEventListener("click", () => {
    showPaused(!isPaused());
    writeAddress();
  });
  setInterval(() => { if (!document.hidden && !isPaused()) location.reload(); }, data.refresh * 1000);
}

tellSource();
readAddress();
for (const part of details) part.addEventListener("toggle", writeAddress);
if (lastWindow < 0) {
  for (const id of ["filters", "charts", "points"]) one(id).hidden = true;
  for (const id of ["groups", "causes"]) one(id).parentElement.hidden = true;
  one("nothing").hidden = false;
  one("nothing").textContent = "The log has no evaluations in this range yet.";
} else {
  for (const chart of charts) one("charts").append(chart.figure);
  makeChoices();
  update();
  addEventListener("hashchange", () => { readAddress(); update(); });
}
qualityTable.show(data.quality);
if (driftTable) {
  driftTable.show(data.drift);
  one("drift").parentElement.hidden = false;
}
if (data.refresh > 0) refresh();
