// What the page's numbers mean: docs/metrics.md, once more, on what the export has counted. The browser test holds
// them against the CSV.
"use strict";

const OUTCOMES = ["completed", "skipped", "failed", "cancelled"];

/** Counts of evaluations and impressions, to which rows are added. */
class Sum {
  constructor() {
    this.completed = this.skipped = this.failed = this.cancelled = 0;
    this.retried = 0;
    this.impressions = this.reEvaluations = 0;
    this.bins = new Map();
    this.durationCount = 0;
    this.min = Infinity;
    this.max = 0;
  }

  addEvaluations(table, row) {
    for (const outcome of OUTCOMES) this[outcome] += table[outcome][row];
    this.retried += table.retried[row];
    const bins = table.bins[row];
    if (bins.length === 0) return;
    this.min = Math.min(this.min, table.min_us[row]);
    this.max = Math.max(this.max, table.max_us[row]);
    // Pairs: by how much the bin's number exceeds the one before, and the count.
    let bin = 0;
    for (let place = 0; place < bins.length; place += 2) {
      bin += bins[place];
      this.bins.set(bin, (this.bins.get(bin) ?? 0) + bins[place + 1]);
      this.durationCount += bins[place + 1];
    }
  }

  addImpressions(table, row) {
    for (const outcome of OUTCOMES) this.impressions += table[outcome][row];
    this.reEvaluations += table.re_evaluations[row];
  }

  get evaluations() { return this.completed + this.skipped + this.failed + this.cancelled; }

  /** Rate and ends of the 95 % Wilson interval in millionths; null where none completed or failed. */
  get failureRate() {
    const n = this.completed + this.failed;
    if (n === 0) return null;
    const z = 1.959963984540054;
    const p = this.failed / n;
    const zz = z * z;
    const divisor = 1 + zz / n;
    const centre = p + zz / (2 * n);
    const half = z * Math.sqrt((p * (1 - p) + zz / (4 * n)) / n);
    const millionths = (share) => Math.min(Math.max(0, Math.floor(share * 1000000 + 0.5)), 1000000);
    return {
      rate: Math.floor((2000000 * this.failed + n) / (2 * n)),
      low: this.failed === 0 ? 0 : millionths((centre - half) / divisor),
      high: this.completed === 0 ? 1000000 : millionths((centre + half) / divisor),
    };
  }

  /** Percentiles in µs, by nearest rank over the bins; null without durations. */
  percentiles(percents) {
    if (this.durationCount === 0) return percents.map(() => null);
    const bins = [...this.bins].sort((left, right) => left[0] - right[0]);
    let place = 0;
    let passed = bins[0][1];
    return percents.map((percent) => {
      const rank = Math.floor((percent * this.durationCount + 99) / 100);
      while (passed < rank) passed += bins[++place][1];
      const { lower, width } = binEdges(bins[place][0]);
      return Math.min(Math.max(lower + Math.floor(width / 2), this.min), this.max);
    });
  }
}

/** The least value of a bin and how many values share it, in µs. */
function binEdges(bin) {
  if (bin < 512) return { lower: bin, width: 1 };
  const width = 2 ** ((bin >> 8) - 1);
  return { lower: ((bin & 255) + 256) * width, width };
}

/** Which rows of a table pass: of a chosen group, and of a window from the first to the last chosen. */
function forEachRow(table, groups, first, last, body) {
  // Rows stand in the order of their windows.
  let low = 0;
  let high = table.window.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.window[middle] < first) low = middle + 1; else high = middle;
  }
  for (let row = low; row < table.window.length && table.window[row] <= last; row++) {
    if (groups[table.group[row]]) body(row);
  }
}

/** Everything that the page shows of a choice. */
function figures(data, groups, first, last, buckets) {
  const result = {
    total: new Sum(),
    byGroup: new Map(),
    points: buckets.spans.map(() => new Sum()),
    causes: new Map(),
  };
  const sums = (table, row) => {
    const group = table.group[row];
    if (!result.byGroup.has(group)) result.byGroup.set(group, new Sum());
    return [result.total, result.byGroup.get(group), result.points[buckets.of[table.window[row]]]];
  };
  forEachRow(data.evaluations, groups, first, last, (row) => {
    for (const sum of sums(data.evaluations, row)) sum.addEvaluations(data.evaluations, row);
  });
  forEachRow(data.impressions, groups, first, last, (row) => {
    for (const sum of sums(data.impressions, row)) sum.addImpressions(data.impressions, row);
  });
  const outcomes = data.outcomes;
  forEachRow(outcomes, groups, first, last, (row) => {
    const cause = outcomes.cause[row];
    result.causes.set(cause, (result.causes.get(cause) ?? 0) + outcomes.evaluations[row]);
  });
  return result;
}

/**
 * Windows put together so that a chart has no more points than can be told apart: each span holds those that begin
 * in an equal stretch of time.
 */
function bucketsOf(windows, first, last, countMax) {
  const of = new Int32Array(windows.start.length).fill(-1);
  const spans = [];
  const begin = windows.start[first];
  const count = last - first + 1;
  const stretch = count <= countMax ? 0 : (windows.start[last] - begin + 1) / countMax;
  let current = -1;
  for (let window = first; window <= last; window++) {
    const bucket = stretch === 0 ? window - first : Math.floor((windows.start[window] - begin) / stretch);
    if (bucket !== current) {
      current = bucket;
      spans.push({ start: windows.start[window], end: windows.end[window], count: 0 });
    }
    const span = spans[spans.length - 1];
    span.end = windows.end[window];
    span.count += 1;
    of[window] = spans.length - 1;
  }
  return { of, spans };
}
