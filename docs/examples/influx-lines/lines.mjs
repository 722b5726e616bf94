// Influx line protocol: measurement,tag=value field=value nanoseconds. A measurement is an asset, a field a channel.

const NANOSECONDS_IN_MILLISECOND = 1_000_000n;

/**
 * Returns the lines of a batch of the journal. A sample of bad quality has no value, so it has no line.
 *
 * @param gateway name of the gateway, the tag `gateway`
 */
export function toLines(gateway, { series, seriesIndexes, values, qualities, timestamps }) {
  const heads = series.map(({ asset }) => `${escapeMeasurement(asset)},gateway=${escapeKey(gateway)}`);
  const fields = series.map(({ channel }) => escapeKey(channel));
  const lines = [];
  for (const [index, value] of values.entries()) {
    const at = seriesIndexes[index];
    const field = value === undefined ? undefined : toField(value, series[at].valueType);
    if (field === undefined) continue;
    // A tag of its own, so that a query can leave uncertain values out.
    const quality = qualities[index] === 'UNCERTAIN' ? ',quality=UNCERTAIN' : '';
    lines.push(`${heads[at]}${quality} ${fields[at]}=${field} ${toNanoseconds(timestamps[index])}`);
  }
  return lines;
}

/** Returns undefined for what the protocol cannot carry: NaN and the infinities. */
function toField(value, valueType) {
  if (valueType === 'INTEGER' || valueType === 'LONG') return `${value}i`;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : Buffer.from(value).toString('base64');
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', String.raw`\n`)}"`;
}

function toNanoseconds(timestampMs) {
  return BigInt(Math.round(timestampMs)) * NANOSECONDS_IN_MILLISECOND;
}

function escapeMeasurement(name) {
  return escapeLineEnds(name).replaceAll(/[, ]/g, String.raw`\$&`);
}

function escapeKey(name) {
  return escapeLineEnds(name).replaceAll(/[, =]/g, String.raw`\$&`);
}

// A line end would begin another point, and a backslash at the end would take the separator with it.
function escapeLineEnds(name) {
  return name.replaceAll(/[\r\n\\]/g, '_');
}
