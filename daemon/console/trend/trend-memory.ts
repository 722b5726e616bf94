import { Samples } from './samples.ts';
import type { Gap } from './samples.ts';

/** Curve whose values exist only in this tab. */
export interface RememberedCurve {
  /** Name of the curve. */
  readonly key: string;
  readonly samples: Samples;
  /** Time at which the page received the first value. */
  readonly firstHeardMs: number;
  /** Time until which an unchanged value is known to be valid. */
  readonly heardMs: number;
}

/** Curve in session storage. */
interface StoredCurve {
  readonly key: string;
  readonly firstHeardMs: number;
  readonly heardMs: number;
  /** Time of the first sample, then milliseconds since the previous one. */
  readonly times: readonly number[];
  /** Texts of numbers that a double cannot hold. */
  readonly values: readonly (number | string)[];
  readonly gaps: readonly Gap[];
}

const CURVES = 'penstock.trend-curves';
const LINK = 'penstock.trend-link';
// About 2 MiB of the 5 MiB that browsers allow, which drafts share.
const MAXIMUM_SAMPLES = 60_000;
const MAXIMUM_SAMPLES_OF_CURVE = 10_000;

/** Stores the newest values of curves for a reload of the page. */
export function rememberCurves(identity: string, curves: readonly RememberedCurve[]): void {
  let left = MAXIMUM_SAMPLES;
  const stored = curves.flatMap((curve) => {
    const count = Math.min(curve.samples.length, left, MAXIMUM_SAMPLES_OF_CURVE);
    left -= count;
    return count === 0 ? [] : [toStored(curve, count)];
  });
  put(toKey(CURVES, identity), stored.length === 0 ? undefined : JSON.stringify(stored));
}

/** Returns the stored curves of an identity; none if there are none or another version of the console has stored them. */
export function recallCurves(identity: string): readonly RememberedCurve[] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(toKey(CURVES, identity)) ?? '[]') as unknown;
    return Array.isArray(stored) ? stored.filter(isStoredCurve).map(fromStored) : [];
  } catch {
    return [];
  }
}

/** Stores the parameters of the link of the trend; an empty text forgets them. */
export function rememberLink(identity: string, query: string): void {
  put(toKey(LINK, identity), query === '' ? undefined : query);
}

/** Returns the parameters of the last trend of an identity in this tab. */
export function recallLink(identity: string): string | undefined {
  return sessionStorage.getItem(toKey(LINK, identity)) ?? undefined;
}

/** Forgets the trends of all identities in this tab but one. */
export function forgetTrends(except?: string): void {
  const kept = except === undefined ? [] : [CURVES, LINK].map((kind) => toKey(kind, except));
  for (const key of Object.keys(sessionStorage)) {
    const isOwn = [CURVES, LINK].some((kind) => key.startsWith(toKey(kind, '')));
    if (isOwn && !kept.includes(key)) sessionStorage.removeItem(key);
  }
}

// Names can contain any character but a line feed.
function toKey(kind: string, identity: string): string {
  return `${kind}\n${identity}`;
}

function put(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Too large next to the drafts: the values exist in memory only.
    sessionStorage.removeItem(key);
  }
}

function toStored({ key, samples, firstHeardMs, heardMs }: RememberedCurve, count: number): StoredCurve {
  const first = samples.length - count;
  const times: number[] = [];
  const values: (number | string)[] = [];
  for (let index = first; index < samples.length; index += 1) {
    const before = index === first ? 0 : samples.timeAt(index - 1);
    times.push(samples.timeAt(index) - before);
    const value = samples.valueAt(index);
    const text = samples.textAt(index);
    values.push(text === String(value) && Number.isFinite(value) ? value : text);
  }
  const startMs = samples.timeAt(first);
  const gaps = samples.gaps.filter(({ untilMs = Infinity }) => first === 0 || untilMs > startMs);
  return { key, firstHeardMs, heardMs, times, values, gaps };
}

function fromStored({ key, firstHeardMs, heardMs, times, values, gaps }: StoredCurve): RememberedCurve {
  const samples = new Samples(gaps.map((gap) => ({ ...gap, untilMs: gap.untilMs })));
  let ms = 0;
  for (const [index, value] of values.entries()) {
    ms += times[index] ?? 0;
    samples.add(ms, Number(value), typeof value === 'string' ? value : undefined);
  }
  return { key, samples, firstHeardMs, heardMs };
}

function isStoredCurve(stored: unknown): stored is StoredCurve {
  if (typeof stored !== 'object' || stored === null) return false;
  const { key, firstHeardMs, heardMs, times, values, gaps } = stored as Partial<Record<string, unknown>>;
  return (
    typeof key === 'string' &&
    Number.isFinite(firstHeardMs) &&
    Number.isFinite(heardMs) &&
    Array.isArray(times) &&
    Array.isArray(values) &&
    times.length === values.length &&
    times.every(Number.isFinite) &&
    Array.isArray(gaps) &&
    gaps.every(isGap)
  );
}

function isGap(gap: unknown): gap is Gap {
  if (typeof gap !== 'object' || gap === null) return false;
  const { fromMs, untilMs, cause } = gap as Partial<Gap>;
  return (
    Number.isFinite(fromMs) &&
    (untilMs === undefined || Number.isFinite(untilMs)) &&
    typeof cause === 'string'
  );
}
